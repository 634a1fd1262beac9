#pragma once

#include <cstdint>
#include <string>

#include "anemone/cli/options.h"
#include "anemone/generate/runner.h"

namespace anemone::cli {

// The options that every command has which runs a bundle.
struct ModelSettings {
  std::string arithmetic = "float16";
  std::string path = "auto";
  std::int64_t threads = 0;
};
void add_model_options(Options& options, ModelSettings& settings);
generate::Runner::Options runner_options(const ModelSettings& settings, bool scores);

// The most memory this process ever held, in bytes; 0 where the system does not say.
std::uint64_t peak_bytes();

}  // namespace anemone::cli
