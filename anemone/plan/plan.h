#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/plan/chips.h"
#include "anemone/plan/traffic.h"

// How fast a package can be at most, if it runs on the Neural Engine alone: a roofline of constants
// that others measured. Every figure is predicted; docs/plan.md says by which rule.
namespace anemone::plan {

// What a run of calls takes, one after another.
struct Estimate {
  Range milliseconds;           // low is the fastest
  double bytes_ms = 0;          // at the likely constants: moving bytes,
  double flops_ms = 0;          // computing,
  double dispatch_ms = 0;       // and handing over
  std::string_view bound = {};  // "bytes" or "flops", whichever is longer
  // `rows` tokens in that time.
  Range tokens_per_second(double rows) const;
};

// The time of each call is the longer of moving and computing, and a dispatch. The slow end of the
// band counts what may spill as well.
Estimate estimate(std::span<const Traffic> calls, const Chip& chip);

// What a model does to take in or give a token.
struct Step {
  std::string name = {};  // "decode", "prefill"
  std::int64_t rows = 1;  // tokens that it takes in
  std::vector<Traffic> calls = {};
};

struct Model {
  std::filesystem::path path = {};
  std::vector<Traffic> functions = {};       // of all packages
  std::vector<Step> steps = {};              // of a bundle; a package alone has none
  std::optional<std::int64_t> context = {};  // of a bundle
};

// A package or a bundle. Throws Error.
Model load_model(const std::filesystem::path& path);

// The same bundle had it been made with another context: caches, and what grows with them at the
// boundary, in proportion. Throws Error(kUnsupported) for a package alone.
Model with_context(const Model& model, std::int64_t context);

// One object: everything above, for every chip and context, with the constants and their sources.
// An empty list of contexts stands for the model's own.
OrderedJson to_json(const Model& model, std::span<const Chip* const> chips,
                    std::span<const std::int64_t> contexts);

}  // namespace anemone::plan
