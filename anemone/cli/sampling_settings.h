#pragma once

#include <filesystem>
#include <map>
#include <optional>

#include "anemone/base/json.h"
#include "anemone/cli/options.h"
#include "anemone/generate/sampling.h"

namespace anemone::cli {

// How ids are chosen, as the command line says it. Without any of these options the likeliest id is
// taken; one that only makes sense with chance (--temperature above 0, --top-k, --top-p, --min-p)
// or --sample turns chance on. --sample starts from the bundle's generation_config.json; what an
// option says overrides it.
struct SamplingSettings {
  bool greedy = false;
  bool sample = false;
  std::optional<double> temperature = {}, top_p = {}, min_p = {}, repetition_penalty = {};
  std::optional<std::int64_t> top_k = {};
  std::optional<std::uint64_t> seed = {};
  std::map<int, float> logit_bias = {};
};
void add_sampling_options(Options& options, SamplingSettings& settings);

// `generation_config` is that of the bundle ({} if there is none), `file` its name for messages; it
// is read with --sample alone. Without --seed the seed is drawn from the system. Throws Error.
generate::SamplingOptions sampling_options(const SamplingSettings& settings,
                                           const Json& generation_config, std::string_view file);

}  // namespace anemone::cli
