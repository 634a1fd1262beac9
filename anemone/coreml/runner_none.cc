// For systems other than macOS: there is no Core ML to call.
#include "anemone/coreml/framework.h"

namespace anemone::coreml {

bool is_available() { return false; }

namespace framework {
namespace {

Failure nothing(const char* stage) {
  return {.stage = stage, .domain = "anemone", .message = "this build has no Core ML"};
}

}  // namespace

Answer<std::filesystem::path> compile(const std::filesystem::path&, double) {
  return {.failure = nothing("compile")};
}

Answer<std::unique_ptr<Model>> load(const std::filesystem::path&, const std::string&, ComputeUnits,
                                    double) {
  return {.failure = nothing("load")};
}

Answer<std::vector<OpPlacement>> read_plan(const std::filesystem::path&, const std::string&,
                                           ComputeUnits, double) {
  return {.failure = nothing("plan")};
}

}  // namespace framework
}  // namespace anemone::coreml
