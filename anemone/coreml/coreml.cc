#include "anemone/coreml/coreml.h"

#include <cstdlib>

namespace anemone::coreml {
namespace {

struct UnitsRow {
  ComputeUnits units;
  std::string_view name;
};
constexpr UnitsRow kUnits[] = {{ComputeUnits::kCpu, "cpu"},
                               {ComputeUnits::kCpuAndGpu, "cpu+gpu"},
                               {ComputeUnits::kCpuAndAne, "cpu+ane"},
                               {ComputeUnits::kAll, "all"}};

}  // namespace

std::string_view name(ComputeUnits units) { return kUnits[static_cast<std::size_t>(units)].name; }

std::optional<ComputeUnits> find_compute_units(std::string_view name) {
  for (const UnitsRow& row : kUnits) {
    if (row.name == name) return row.units;
  }
  return std::nullopt;
}

void require_available() {
  if (is_available()) return;
  throw Error(Code::kUnsupported,
              "the runner 'coreml' needs a build of anemone for macOS 15 or later; this one has "
              "the runner 'cpu' alone");
}

std::filesystem::path default_compiled_folder() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return std::filesystem::temp_directory_path() / "anemone-compiled";
  }
  return std::filesystem::path(home) / "Library" / "Caches" / "anemone" / "compiled";
}

generate::OpenPredictor opener(const Options& options) {
  require_available();
  return
      [options](const std::filesystem::path& package) { return open_predictor(package, options); };
}

}  // namespace anemone::coreml
