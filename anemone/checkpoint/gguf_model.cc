#include <algorithm>
#include <set>

#include "anemone/base/check.h"
#include "anemone/checkpoint/checkpoint_state.h"
#include "anemone/checkpoint/decode.h"
#include "anemone/checkpoint/gguf.h"
#include "anemone/checkpoint/gguf_names.h"
#include "anemone/checkpoint/gguf_rope.h"
#include "anemone/checkpoint/gguf_vocabulary.h"
#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

// The metadata keys <architecture>.* are those of ggml docs/gguf.md, "LLM", and of the Python
// package gguf 0.19.0, constants.py (Keys).
class ConfigMaker {
 public:
  ConfigMaker(const GgufMetadata& metadata, const std::string& architecture)
      : metadata_(metadata), architecture_(architecture) {}

  // `tensors` under the file's own names.
  Json make(const std::map<std::string_view, const CheckpointTensor*>& tensors);

 private:
  std::string full(std::string_view key) {
    used_.insert(std::string(key));
    return architecture_ + "." + std::string(key);
  }
  void copy_count(std::string_view key, const char* to) {
    if (const auto value = count(key)) config_[to] = *value;
  }
  void copy_number(std::string_view key, const char* to) {
    if (const auto value = metadata_.find_number(full(key))) config_[to] = *value;
  }
  // A count, or an array of equal counts (one a layer).
  std::optional<std::int64_t> count(std::string_view key);
  void head_size();
  void rope(const CheckpointTensor* factors);
  Json rope_scaling();
  void experts();
  void token_ids();
  void pass_on_the_rest();

  const GgufMetadata& metadata_;
  std::string architecture_;
  std::set<std::string> used_;
  Json config_ = Json::object();
};

std::optional<std::int64_t> ConfigMaker::count(std::string_view key) {
  const std::string name = full(key);
  const GgufValue* value = metadata_.find(name);
  if (value == nullptr || value->type != GgufType::kArray) return metadata_.find_count(name);
  const std::vector<std::int64_t> each = metadata_.find_integers(name);
  if (each.empty() || each[0] < 0) {
    bad_input(metadata_.file() + ": metadata " + in_quotes(name) + " is " +
              (each.empty() ? "an empty array" : "negative") + "; allowed: an integer from 0 up");
  }
  for (const std::int64_t one : each) {
    if (one != each[0]) {
      throw Error(Code::kUnsupported, metadata_.file() + ": metadata " + in_quotes(name) +
                                          " differs from layer to layer (" +
                                          std::to_string(each[0]) + ", " + std::to_string(one) +
                                          "); allowed: the same for all");
    }
  }
  return each[0];
}

void ConfigMaker::head_size() {
  const auto key_length = count("attention.key_length");
  const auto value_length = count("attention.value_length");
  const auto rotary = count("rope.dimension_count");
  const auto hidden = config_.value("hidden_size", std::int64_t{0});
  const auto heads = config_.value("num_attention_heads", std::int64_t{0});
  std::int64_t head = heads > 0 ? hidden / heads : 0;
  if (key_length) head = *key_length;
  if (head <= 0) return;
  if (value_length && *value_length != head) {
    throw Error(Code::kUnsupported, metadata_.file() + ": metadata " +
                                        in_quotes(architecture_ + ".attention.value_length") +
                                        " is " + std::to_string(*value_length) +
                                        " where keys have length " + std::to_string(head) +
                                        "; allowed: equal lengths");
  }
  config_["head_dim"] = head;
  if (rotary && *rotary != head) {
    config_["partial_rotary_factor"] = static_cast<double>(*rotary) / static_cast<double>(head);
  }
}

Json ConfigMaker::rope_scaling() {
  const std::string type = metadata_.find_string(full("rope.scaling.type")).value_or("");
  auto factor = metadata_.find_number(full("rope.scaling.factor"));
  const auto old_factor = metadata_.find_number(full("rope.scale_linear"));
  const auto original = count("rope.scaling.original_context_length");
  const auto attention = metadata_.find_number(full("rope.scaling.attn_factor"));
  metadata_.find_bool(full("rope.scaling.finetuned"));
  if (factor && old_factor && *factor != *old_factor) {
    bad_input(metadata_.file() + ": metadata " + in_quotes(architecture_ + ".rope.scaling.factor") +
              " is " + to_line(Json(*factor)) + " but " +
              in_quotes(architecture_ + ".rope.scale_linear") + " is " +
              to_line(Json(*old_factor)));
  }
  if (!factor) factor = old_factor;
  // Without a type, a factor means linear. Source: llama.cpp src/llama-model.cpp (load_hparams).
  if (type == "none" || (type.empty() && factor.value_or(0) == 0)) return nullptr;
  if ((type.empty() || type == "linear") && (factor.value_or(0) == 0 || *factor == 1))
    return nullptr;
  Json scaling = {{"rope_type", type.empty() ? "linear" : type}};
  if (factor) scaling["factor"] = *factor;
  if (original) scaling["original_max_position_embeddings"] = *original;
  if (attention) scaling["attention_factor"] = *attention;
  return scaling;
}

void ConfigMaker::rope(const CheckpointTensor* factors) {
  const double theta = metadata_.find_number(full("rope.freq_base")).value_or(10000.0);
  config_["rope_theta"] = theta;
  Json scaling = rope_scaling();
  if (factors != nullptr) {
    const std::vector<float> list = decode_f32(*factors);
    const std::string what = factors->file + ": tensor " + in_quotes(factors->stored_name);
    const auto rotary = config_.value("head_dim", std::int64_t{0});
    if (static_cast<std::int64_t>(list.size()) * 2 != rotary) {
      bad_input(what + " has " + std::to_string(list.size()) + " elements; allowed: one for each " +
                "pair of a head's " + std::to_string(rotary) + " numbers");
    }
    for (const float factor : list) {
      if (!(factor > 0) || !std::isfinite(factor)) {
        bad_input(what + " holds the factor " + std::to_string(factor) +
                  "; allowed: finite numbers above 0");
      }
    }
    const Json given = rope_scaling_of_factors(
        list, theta, config_.value("max_position_embeddings", std::int64_t{0}));
    if (!given.is_null() && !scaling.is_null()) {
      throw Error(Code::kUnsupported, what + " scales rotary frequencies, and so does metadata " +
                                          in_quotes(architecture_ + ".rope.scaling.type") +
                                          "; allowed: one of the two");
    }
    if (!given.is_null()) scaling = given;
  }
  if (!scaling.is_null()) config_["rope_scaling"] = std::move(scaling);
}

void ConfigMaker::experts() {
  if (const auto experts = count("expert_count"); experts.value_or(0) > 0) {
    config_["num_local_experts"] = *experts;
  }
  if (const auto used = count("expert_used_count"); used.value_or(0) > 0) {
    config_["num_experts_per_tok"] = *used;
  }
}

void ConfigMaker::token_ids() {
  constexpr std::pair<std::string_view, const char*> kIds[] = {
      {"tokenizer.ggml.bos_token_id", "bos_token_id"},
      {"tokenizer.ggml.eos_token_id", "eos_token_id"},
      {"tokenizer.ggml.padding_token_id", "pad_token_id"},
  };
  for (const auto& [key, to] : kIds) {
    if (const auto id = metadata_.find_count(key)) config_[to] = *id;
  }
}

// What has no place in a config.json goes there under its own name, so that whoever refuses unknown
// keys sees it.
void ConfigMaker::pass_on_the_rest() {
  const std::string prefix = architecture_ + ".";
  for (const auto& [key, value] : metadata_.values()) {
    if (!key.starts_with(prefix) || used_.contains(std::string(key.substr(prefix.size()))))
      continue;
    const std::string name(key);
    if (value.type == GgufType::kString) {
      config_[name] = *metadata_.find_string(name);
    } else if (value.type == GgufType::kBool) {
      config_[name] = *metadata_.find_bool(name);
    } else if (value.type == GgufType::kArray) {
      config_[name] = "an array of " + std::to_string(value.count) + " values";
    } else {
      config_[name] = *metadata_.find_number(name);
    }
  }
}

Json ConfigMaker::make(const std::map<std::string_view, const CheckpointTensor*>& tensors) {
  const auto find = [&](std::string_view name) -> const CheckpointTensor* {
    const auto it = tensors.find(name);
    return it == tensors.end() ? nullptr : it->second;
  };
  config_["model_type"] = architecture_;
  config_["hidden_act"] = "silu";
  copy_count("context_length", "max_position_embeddings");
  copy_count("embedding_length", "hidden_size");
  copy_count("block_count", "num_hidden_layers");
  copy_count("feed_forward_length", "intermediate_size");
  copy_count("attention.head_count", "num_attention_heads");
  copy_count("attention.head_count_kv", "num_key_value_heads");
  if (!config_.contains("num_key_value_heads") && config_.contains("num_attention_heads")) {
    config_["num_key_value_heads"] = config_["num_attention_heads"];
  }
  copy_number("attention.layer_norm_rms_epsilon", "rms_norm_eps");
  copy_count("attention.sliding_window", "sliding_window");
  if (config_.value("sliding_window", std::int64_t{1}) == 0) config_.erase("sliding_window");
  // The embedding has the last word: it is what will be looked up.
  copy_count("vocab_size", "vocab_size");
  if (const CheckpointTensor* embedding = find("token_embd.weight")) {
    config_["vocab_size"] = embedding->rows();
  }
  head_size();
  rope(find("rope_freqs.weight"));
  experts();
  full("tensor_data_layout");  // how the file was made; the rows of q and k are permuted either way
  if (!tensors.empty()) config_["tie_word_embeddings"] = find("output.weight") == nullptr;
  if (architecture_ == "llama" || architecture_ == "qwen3") {
    config_["attention_bias"] = find("blk.0.attn_q.bias") != nullptr;
  }
  if (architecture_ == "llama") config_["mlp_bias"] = find("blk.0.ffn_gate.bias") != nullptr;
  token_ids();
  pass_on_the_rest();
  return config_;
}

Json generation_config_of(const Json& config, const std::optional<Vocabulary>& vocabulary) {
  Json made = Json::object();
  for (const char* key : {"bos_token_id", "pad_token_id"}) {
    if (config.contains(key)) made[key] = config[key];
  }
  std::vector<std::int64_t> eos;
  if (config.contains("eos_token_id")) eos.push_back(config["eos_token_id"].get<std::int64_t>());
  if (vocabulary) {
    for (const std::int64_t id : vocabulary->eog_token_ids) {
      if (std::find(eos.begin(), eos.end(), id) == eos.end()) eos.push_back(id);
    }
  }
  if (eos.size() == 1) made["eos_token_id"] = eos[0];
  if (eos.size() > 1) made["eos_token_id"] = eos;
  return made;
}

// Only the llama architecture's files keep the rows of q and k permuted; see
// CheckpointTensor::interleaved_rows.
// Source: llama.cpp convert_hf_to_gguf.py (LlamaModel.permute).
void mark_interleaved(CheckpointTensor& tensor, const Json& config) {
  const bool is_q = tensor.stored_name.find(".attn_q.") != std::string::npos;
  const bool is_k = tensor.stored_name.find(".attn_k.") != std::string::npos;
  if (!is_q && !is_k) return;
  const char* key = is_q ? "num_attention_heads" : "num_key_value_heads";
  const auto heads = config.value(key, std::int64_t{0});
  const std::int64_t rows = tensor.shape.empty() ? 1 : tensor.shape[0];
  if (tensor.shape.size() > 2 || heads <= 0 || rows % heads != 0 || rows / heads % 2 != 0) {
    bad_input(tensor.file + ": tensor " + in_quotes(tensor.stored_name) + " has shape " +
              to_string(tensor.shape) + ", which does not divide into " + std::to_string(heads) +
              " heads of an even number of rows");
  }
  tensor.interleaved_rows = rows / heads;
}

}  // namespace

Checkpoint gguf_checkpoint(const std::filesystem::path& path, std::vector<GgufFile> parts) {
  ANEMONE_CHECK(!parts.empty());
  const GgufMetadata& metadata = parts[0].metadata;
  Checkpoint::State state;
  state.path = path;
  state.is_gguf = true;
  state.config_file = metadata.file();
  const auto architecture = metadata.find_string("general.architecture");
  if (!architecture || architecture->empty()) {
    bad_input(metadata.file() + ": has no metadata 'general.architecture'");
  }
  state.vocabulary = gguf_vocabulary(metadata);

  std::map<std::string_view, const CheckpointTensor*> by_name;
  for (const GgufFile& part : parts) {
    for (const CheckpointTensor& tensor : part.tensors)
      by_name.emplace(tensor.stored_name, &tensor);
  }
  state.config = ConfigMaker(metadata, *architecture).make(by_name);
  state.generation_config = generation_config_of(state.config, state.vocabulary);
  const bool is_known = knows_gguf_names(*architecture);
  for (const GgufFile& part : parts) {
    for (CheckpointTensor tensor : part.tensors) {
      if (is_known) {
        if (tensor.stored_name == "rope_freqs.weight") continue;  // it is in the config now
        if (*architecture == "llama") mark_interleaved(tensor, state.config);
        tensor.name = hugging_face_name(tensor.stored_name);
      }
      state.tensors.push_back(std::move(tensor));
    }
  }
  return make_checkpoint(std::move(state));
}

}  // namespace anemone
