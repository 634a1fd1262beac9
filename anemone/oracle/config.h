#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "anemone/checkpoint/checkpoint.h"

namespace anemone::oracle {

// What config.json says of a decoder's arithmetic. Read here once more, from the JSON alone, so
// that a mistake of the converter's tables is not repeated. Names are Hugging Face's.
struct Config {
  std::string model_type;
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t head_dim = 0;
  double epsilon = 0;
  bool tied = false;
  std::vector<float> inv_freq;  // head_dim / 2, scaling applied
  std::int64_t sliding_window = 0;
  std::vector<bool> slides;  // by layer

  // How many positions one sees in that layer, itself included; 0: all up to itself.
  std::int64_t window_of(std::int64_t layer) const {
    return slides[static_cast<std::size_t>(layer)] ? sliding_window : 0;
  }

  std::int64_t query_size() const { return heads * head_dim; }
  std::int64_t kv_size() const { return kv_heads * head_dim; }
};

// Throws Error(kUnsupported) for arithmetic that the oracle does not do, Error(kBadInput) for a
// config that is broken. Keys that it does not know are passed over: which of them matter is for
// the converter to ask.
Config read_config(const Checkpoint& checkpoint);

}  // namespace anemone::oracle
