#pragma once

#include <cstdint>
#include <span>

#include "anemone/base/json.h"

namespace anemone {

// The rope_scaling of a config.json that the frequency factors of a GGUF file (rope_freqs.weight:
// what each rotary frequency is divided by) amount to; null if they are all 1, "linear" if they are
// all the same. Such a file has the factors that Llama 3's rule gave in place of the rule. So this
// looks for a rule ("llama3") that gives these very factors; if none does, they are handed on as
// they are, under the one Hugging Face type that takes a list ("longrope", with equal short and
// long lists and no attention factor).
Json rope_scaling_of_factors(std::span<const float> factors, double rope_theta,
                             std::int64_t max_position_embeddings);

}  // namespace anemone
