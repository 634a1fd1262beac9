#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "anemone/cli/options.h"
#include "anemone/generate/runner.h"

namespace anemone::cli {

// The options that every command has which runs a bundle.
struct ModelSettings {
  std::string arithmetic = "float16";
  std::string path = "auto";
  std::int64_t threads = 0;
  std::string runner = "cpu";
  std::string units = {};  // of Core ML; empty: none was named
  std::string accumulate = "float32";
  std::vector<std::string> hazards = {};  // names, or "all"
};
void add_model_options(Options& options, ModelSettings& settings);
// The part of them that says who runs the packages: --runner and --units.
void add_runner_options(Options& options, ModelSettings& settings);
// The part of them that makes the CPU engine's fp16 stricter: --accumulate and --ane-hazards.
void add_strictness_options(Options& options, ModelSettings& settings);
// Throws Error(kUsage) for the name of no hazard.
engine::Strictness strictness_of(const ModelSettings& settings);
// "float16", and what is stricter about it: "float16, sums in float16, hazards subnormals".
std::string arithmetic_text(const ModelSettings& settings);
// Throws Error(kUsage) for options that do not go together, and Error(kUnsupported) where there is
// no Core ML and it is asked for.
generate::Runner::Options runner_options(const ModelSettings& settings, bool scores);

// The most memory this process ever held, in bytes; 0 where the system does not say.
std::uint64_t peak_bytes();

}  // namespace anemone::cli
