#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"

namespace anemone {
class Checkpoint;
}

namespace anemone::models {

struct Architecture;

// A decoder's hyperparameters, whatever architecture they came from. Names are Hugging Face's.
struct DecoderConfig {
  std::string model_type;
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t intermediate_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t max_position_embeddings = 0;
  double rms_norm_eps = 0;
  bool tie_word_embeddings = false;

  // Block variants.
  bool qk_norm = false;  // RMS norms on the heads of queries and keys, before the rotation
  bool qkv_bias = false;
  bool o_bias = false;
  bool mlp_bias = false;

  // In layers that slide, a position sees itself and the sliding_window - 1 before it.
  std::int64_t sliding_window = 0;  // 0: no layer slides
  std::vector<bool> slides = {};    // by layer
  bool is_sliding(std::int64_t layer) const {
    return sliding_window > 0 && layer < static_cast<std::int64_t>(slides.size()) &&
           slides[static_cast<std::size_t>(layer)];
  }

  // Rotation: angle of pair i at position p is p * inv_freq[i]; head_dim / 2 of them, scaling
  // applied.
  std::vector<float> inv_freq;

  std::int64_t query_size() const { return num_attention_heads * head_dim; }
  std::int64_t kv_size() const { return num_key_value_heads * head_dim; }
  // Query heads that share one key/value head.
  std::int64_t group() const { return num_attention_heads / num_key_value_heads; }
};

// Reads config.json for a known architecture. Refuses by name: an unknown model_type; a missing key
// that has no default; a key of the wrong type or out of range; a value that asks for arithmetic
// that is not done here; an unknown key that may change the arithmetic, unless `ignored_keys` names
// it; an unknown kind of rope scaling. `architecture` receives the row of the catalogue.
DecoderConfig read_config(const Checkpoint& checkpoint, std::span<const std::string> ignored_keys,
                          const Architecture** architecture);

// Reads typed values off a config and remembers the file's name for messages.
class ConfigReader {
 public:
  ConfigReader(const Json& config, std::string what) : config_(config), what_(std::move(what)) {}

  // Null values count as absent.
  bool has(std::string_view key) const;
  bool is_null(std::string_view key) const;
  std::int64_t integer(std::string_view key) const;  // 1 ... 2^31
  std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
  double number(std::string_view key, double otherwise) const;  // finite
  bool boolean(std::string_view key, bool otherwise) const;
  const Json& value(std::string_view key) const { return config_.at(std::string(key)); }
  const std::string& what() const { return what_; }
  [[noreturn]] void fail(std::string_view key, const std::string& why) const;
  [[noreturn]] void fail_unsupported(std::string_view key, const std::string& why) const;

 private:
  const Json& config_;
  std::string what_;
};

}  // namespace anemone::models
