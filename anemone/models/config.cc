#include "anemone/models/config.h"

#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/models/architecture.h"
#include "anemone/models/rotary.h"

namespace anemone::models {
namespace {

// Keys that any config.json may hold and that change nothing about inference on one sequence:
// training, generation defaults (which have a file of their own), token ids, bookkeeping.
// Source: transformers 5.24 and 4.51, configuration_utils.py.
constexpr std::string_view kBookkeeping[] = {"architectures",
                                             "attention_dropout",
                                             "auto_map",
                                             "bad_words_ids",
                                             "begin_suppress_tokens",
                                             "bos_token_id",
                                             "chunk_size_feed_forward",
                                             "decoder_start_token_id",
                                             "diversity_penalty",
                                             "do_sample",
                                             "dtype",
                                             "early_stopping",
                                             "encoder_no_repeat_ngram_size",
                                             "eos_token_id",
                                             "exponential_decay_length_penalty",
                                             "finetuning_task",
                                             "forced_bos_token_id",
                                             "forced_eos_token_id",
                                             "hidden_dropout",
                                             "id2label",
                                             "initializer_range",
                                             "is_decoder",
                                             "is_encoder_decoder",
                                             "keys_to_ignore_at_inference",
                                             "label2id",
                                             "length_penalty",
                                             "max_length",
                                             "min_length",
                                             "no_repeat_ngram_size",
                                             "num_beam_groups",
                                             "num_beams",
                                             "num_return_sequences",
                                             "output_attentions",
                                             "output_hidden_states",
                                             "output_scores",
                                             "pad_token_id",
                                             "prefix",
                                             "problem_type",
                                             "pruned_heads",
                                             "remove_invalid_values",
                                             "repetition_penalty",
                                             "resid_pdrop",
                                             "embd_pdrop",
                                             "return_dict",
                                             "return_dict_in_generate",
                                             "sep_token_id",
                                             "suppress_tokens",
                                             "task_specific_params",
                                             "temperature",
                                             "tf_legacy_loss",
                                             "tokenizer_class",
                                             "top_k",
                                             "top_p",
                                             "torch_dtype",
                                             "torchscript",
                                             "transformers_version",
                                             "transformers.js_config",
                                             "typical_p",
                                             "unsloth_fixed",
                                             "unsloth_version",
                                             "use_bfloat16",
                                             "use_cache",
                                             "attn_implementation",
                                             "max_new_tokens",
                                             "name_or_path",
                                             "pad_to_multiple_of",
                                             "eos_token",
                                             "bos_token",
                                             "pad_token"};

// A value that switches nothing on: null, false, "", [], {}.
bool is_idle(const Json& value) {
  return value.is_null() || (value.is_boolean() && !value.get<bool>()) ||
         ((value.is_string() || value.is_structured()) && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

const KeyDef* find_key(const Architecture& architecture, std::string_view name) {
  for (const auto& table : architecture.keys) {
    for (const KeyDef& key : table) {
      if (key.name == name) return &key;
    }
  }
  return nullptr;
}

void check_key(const ConfigReader& reader, const Architecture& architecture, const std::string& key,
               const Json& value, std::span<const std::string> ignored) {
  if (std::find(ignored.begin(), ignored.end(), key) != ignored.end()) return;
  if (key == "layer_types") return;  // read_windows has a look at it
  if (const KeyDef* def = find_key(architecture, key)) {
    if (def->use != KeyDef::Use::kOneOf || value.is_null()) return;
    const Json allowed = Json::parse(def->allowed);
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
      reader.fail_unsupported(key, "is " + to_line(value) + "; handled: " + to_line(allowed));
    }
    return;
  }
  if (std::find(std::begin(kBookkeeping), std::end(kBookkeeping), key) != std::end(kBookkeeping)) {
    return;
  }
  if (key.starts_with("_") || is_idle(value)) return;
  reader.fail_unsupported(
      key, "is unknown to " + std::string(architecture.model_type) + " (= " + to_line(value) +
               ") and may change the arithmetic; --ignore-key " + key + " goes on without it");
}

void check_sizes(const ConfigReader& reader, const DecoderConfig& config) {
  if (config.num_attention_heads % config.num_key_value_heads != 0) {
    reader.fail("num_attention_heads", "is " + std::to_string(config.num_attention_heads) +
                                           ", not a multiple of num_key_value_heads (" +
                                           std::to_string(config.num_key_value_heads) + ")");
  }
  if (config.head_dim % 2 != 0) {
    reader.fail("head_dim", "is " + std::to_string(config.head_dim) +
                                "; the rotation pairs elements, so it must be even");
  }
  struct Limit {
    const char* key;
    std::int64_t value;
    std::int64_t most;
  };
  constexpr std::int64_t kMostWide = std::int64_t{1} << 24;
  const Limit limits[] = {{"hidden_size", config.hidden_size, kMostWide},
                          {"intermediate_size", config.intermediate_size, kMostWide},
                          {"vocab_size", config.vocab_size, kMostWide},
                          {"num_hidden_layers", config.num_hidden_layers, 4096},
                          {"num_attention_heads", config.num_attention_heads, 65536},
                          {"head_dim", config.head_dim, 65536}};
  for (const Limit& limit : limits) {
    if (limit.value > limit.most) {
      reader.fail(limit.key, "is " + std::to_string(limit.value) + "; at most " +
                                 std::to_string(limit.most) + " is believable");
    }
  }
}

// Which layers slide, and how far they see. Source: transformers 5.24,
// models/qwen2/configuration_qwen2.py and models/qwen3 (defaults included).
void read_windows(const ConfigReader& reader, const Architecture& architecture,
                  DecoderConfig& config) {
  const bool can_slide = find_key(architecture, "use_sliding_window") != nullptr;
  // A window that is null is no window.
  const bool does_slide =
      can_slide && reader.boolean("use_sliding_window", false) && !reader.is_null("sliding_window");
  std::vector<bool> slides;
  if (!reader.has("layer_types")) {
    const double first = reader.number("max_window_layers", 28);
    if (first < 0) reader.fail("max_window_layers", "is below 0");
    for (std::int64_t i = 0; i < config.num_hidden_layers; ++i) {
      slides.push_back(does_slide && static_cast<double>(i) >= first);
    }
  } else {
    const Json& kinds = reader.value("layer_types");
    if (!kinds.is_array() || static_cast<std::int64_t>(kinds.size()) != config.num_hidden_layers) {
      reader.fail("layer_types", "is no list of num_hidden_layers (" +
                                     std::to_string(config.num_hidden_layers) + ") kinds");
    }
    for (const Json& kind : kinds) {
      const bool is_sliding = kind == "sliding_attention";
      if (kind != "full_attention" && !(is_sliding && can_slide)) {
        reader.fail_unsupported("layer_types", "has " + to_line(kind) +
                                                   "; handled: \"full_attention\"" +
                                                   (can_slide ? ", \"sliding_attention\"" : ""));
      }
      if (is_sliding && !does_slide) {
        reader.fail("layer_types", "has \"sliding_attention\", but use_sliding_window is not true");
      }
      slides.push_back(is_sliding);
    }
  }
  if (std::find(slides.begin(), slides.end(), true) == slides.end()) return;
  config.sliding_window = reader.integer("sliding_window", 4096);
  config.slides = std::move(slides);
}

}  // namespace

void ConfigReader::fail(std::string_view key, const std::string& why) const {
  throw Error(Code::kBadInput, what_ + ": key '" + std::string(key) + "' " + why);
}
void ConfigReader::fail_unsupported(std::string_view key, const std::string& why) const {
  throw Error(Code::kUnsupported, what_ + ": key '" + std::string(key) + "' " + why);
}

bool ConfigReader::is_null(std::string_view key) const {
  const auto found = config_.find(key);
  return found != config_.end() && found->is_null();
}

bool ConfigReader::has(std::string_view key) const {
  const auto found = config_.find(key);
  return found != config_.end() && !found->is_null();
}

std::int64_t ConfigReader::integer(std::string_view key) const {
  if (!has(key)) throw Error(Code::kBadInput, what_ + ": lacks key '" + std::string(key) + "'");
  const Json& found = value(key);
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  if (!found.is_number_integer() || found.get<std::int64_t>() < 1 ||
      found.get<std::int64_t>() > kMost) {
    fail(key, "is " + to_line(found) + "; a whole number from 1 to " + std::to_string(kMost) +
                  " is wanted");
  }
  return found.get<std::int64_t>();
}

std::int64_t ConfigReader::integer(std::string_view key, std::int64_t otherwise) const {
  return has(key) ? integer(key) : otherwise;
}

double ConfigReader::number(std::string_view key, double otherwise) const {
  if (!has(key)) return otherwise;
  if (!value(key).is_number() || !std::isfinite(value(key).get<double>())) {
    fail(key, "is " + to_line(value(key)) + "; a number is wanted");
  }
  return value(key).get<double>();
}

bool ConfigReader::boolean(std::string_view key, bool otherwise) const {
  if (!has(key)) return otherwise;
  if (!value(key).is_boolean())
    fail(key, "is " + to_line(value(key)) + "; true or false is wanted");
  return value(key).get<bool>();
}

DecoderConfig read_config(const Checkpoint& checkpoint, std::span<const std::string> ignored_keys,
                          const Architecture** architecture) {
  const std::string& file = checkpoint.config_file();
  if (!checkpoint.config().is_object()) {
    throw Error(Code::kBadInput, file + ": is not a JSON object");
  }
  const Json json = normalised_config(checkpoint.config(), file);
  const ConfigReader reader(json, file);
  if (!reader.has("model_type") || !reader.value("model_type").is_string()) {
    throw Error(Code::kBadInput, file + ": lacks the string 'model_type'");
  }
  DecoderConfig config;
  config.model_type = reader.value("model_type").get<std::string>();
  *architecture = find_architecture(config.model_type);
  if (*architecture == nullptr) {
    std::string known;
    for (const Architecture* row : all_architectures()) {
      known += (known.empty() ? "" : ", ") + std::string(row->model_type);
    }
    reader.fail_unsupported("model_type",
                            "is '" + config.model_type + "'; architectures handled: " + known);
  }
  for (const auto& [key, value] : json.items()) {
    check_key(reader, **architecture, key, value, ignored_keys);
  }

  config.vocab_size = reader.integer("vocab_size");
  config.hidden_size = reader.integer("hidden_size");
  config.intermediate_size = reader.integer("intermediate_size");
  config.num_hidden_layers = reader.integer("num_hidden_layers");
  config.num_attention_heads = reader.integer("num_attention_heads");
  config.rms_norm_eps = reader.number("rms_norm_eps", 1e-6);
  config.tie_word_embeddings = reader.boolean("tie_word_embeddings", false);
  (*architecture)->read(reader, config);
  if (config.head_dim == 0) {
    if (reader.has("head_dim")) {
      config.head_dim = reader.integer("head_dim");
    } else if (config.hidden_size % config.num_attention_heads == 0) {
      config.head_dim = config.hidden_size / config.num_attention_heads;
    } else {
      reader.fail("hidden_size", "is " + std::to_string(config.hidden_size) +
                                     ", not a multiple of num_attention_heads (" +
                                     std::to_string(config.num_attention_heads) +
                                     "), and there is no head_dim");
    }
  }
  check_sizes(reader, config);
  if (!(config.rms_norm_eps >= 0)) reader.fail("rms_norm_eps", "must not be negative");
  read_windows(reader, **architecture, config);
  config.inv_freq = read_inv_freq(reader, config.head_dim);
  return config;
}

}  // namespace anemone::models
