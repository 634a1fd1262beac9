#pragma once

#include <cstdint>
#include <vector>

#include "anemone/models/config.h"

namespace anemone::models {

// inv_freq of head_dim / 2 pairs from `rope_parameters` of a normalised config: kinds default,
// linear and llama3. Computed in float as transformers does, so that both give the same numbers.
// Throws Error for an unknown kind or a factor that makes no sense.
std::vector<float> read_inv_freq(const ConfigReader& config, std::int64_t head_dim);

}  // namespace anemone::models
