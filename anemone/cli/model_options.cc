#include "anemone/cli/model_options.h"

#include <sys/resource.h>

#include <fstream>

#include "anemone/base/error.h"
#include "anemone/coreml/coreml.h"

namespace anemone::cli {

void add_model_options(Options& options, ModelSettings& settings) {
  options.choice("--arithmetic A", settings.arithmetic, {"float16", "float32"},
                 "float16 rounds as the program says, float32 keeps activations exact (default: "
                 "float16)");
  options.integer("--threads N", settings.threads, 1, 1024, "(default: all processors)");
  options.choice("--path P", settings.path, {"auto", "decode"},
                 "auto takes prompts in by whole blocks, decode one position at a time (default: "
                 "auto)");
  add_runner_options(options, settings);
}

void add_runner_options(Options& options, ModelSettings& settings) {
  options.choice("--runner R", settings.runner, {"cpu", "coreml"},
                 "cpu is anemone's own engine; coreml is the system's, on macOS 15 or later "
                 "(default: cpu)");
  options.choice("--units U", settings.units, {"cpu", "cpu+gpu", "cpu+ane", "all"},
                 "the processors that Core ML may use (default: cpu+ane)");
}

namespace {

generate::OpenPredictor opener(const ModelSettings& settings) {
  if (settings.runner != "coreml") {
    if (settings.units.empty()) return {};
    throw Error(Code::kUsage,
                "--units says which processors Core ML may use; it goes with --runner coreml");
  }
  coreml::require_available();
  if (settings.arithmetic != "float16") {
    throw Error(Code::kUsage, "--arithmetic " + settings.arithmetic +
                                  " is the CPU engine's; Core ML computes as the program says");
  }
  coreml::Options options;
  if (!settings.units.empty()) options.units = coreml::find_compute_units(settings.units).value();
  return coreml::opener(options);
}

}  // namespace

generate::Runner::Options runner_options(const ModelSettings& settings, bool scores) {
  return {.arithmetic = settings.arithmetic == "float32" ? engine::Arithmetic::kFloat32
                                                         : engine::Arithmetic::kFloat16,
          .threads = static_cast<int>(settings.threads),
          .path = settings.path == "decode" ? generate::Path::kDecode : generate::Path::kAuto,
          .scores = scores,
          .open = opener(settings)};
}

std::uint64_t peak_bytes() {
  // getrusage's figure would count what the parent process held before exec. Source: Linux
  // getrusage(2) and proc(5), VmHWM.
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmHWM:") {
      std::uint64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  }
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return static_cast<std::uint64_t>(usage.ru_maxrss);
#else
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace anemone::cli
