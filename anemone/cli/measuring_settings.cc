#include "anemone/cli/measuring_settings.h"

namespace anemone::cli {

void add_measuring_options(Options& options, MeasuringSettings& settings) {
  options.text("--runner NAME", settings.runner,
               "cpu (numbers alone), coreml (macOS), scripted:FILE (needed)");
  options.integer("--steps N", settings.steps, 1, 1'000'000,
                  "predictions after the first, all on one state (default: 20)");
  options.integer("--timeout S", settings.timeout, 1, 86400,
                  "seconds that a process may take (default: 1800)");
  options.integer("--threads N", settings.threads, 1, 1024,
                  "for what is computed here first (default: all processors)", std::nullopt);
}

}  // namespace anemone::cli
