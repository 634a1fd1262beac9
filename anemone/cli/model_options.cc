#include "anemone/cli/model_options.h"

#include <sys/resource.h>

#include <fstream>

namespace anemone::cli {

void add_model_options(Options& options, ModelSettings& settings) {
  options.choice("--arithmetic A", settings.arithmetic, {"float16", "float32"},
                 "float16 rounds as the program says, float32 keeps activations exact (default: "
                 "float16)");
  options.integer("--threads N", settings.threads, 1, 1024, "(default: all processors)");
  options.choice("--path P", settings.path, {"auto", "decode"},
                 "auto takes prompts in by whole blocks, decode one position at a time (default: "
                 "auto)");
}

generate::Runner::Options runner_options(const ModelSettings& settings, bool scores) {
  return {.arithmetic = settings.arithmetic == "float32" ? engine::Arithmetic::kFloat32
                                                         : engine::Arithmetic::kFloat16,
          .threads = static_cast<int>(settings.threads),
          .path = settings.path == "decode" ? generate::Path::kDecode : generate::Path::kAuto,
          .scores = scores};
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
