#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/models/config.h"
#include "anemone/models/weights.h"
#include "anemone/tensor/shape.h"

// For tests: a Hugging Face folder of a few kilobytes, made on disk and gone with the object.
namespace anemone::models {

class TinyCheckpoint {
 public:
  TinyCheckpoint() {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("tiny-" + std::to_string(::getpid()) + "-" + std::to_string(counter()++));
    std::filesystem::create_directories(folder_);
  }
  ~TinyCheckpoint() { std::filesystem::remove_all(folder_); }
  TinyCheckpoint(const TinyCheckpoint&) = delete;
  TinyCheckpoint& operator=(const TinyCheckpoint&) = delete;

  Json config;
  std::map<std::string, Shape> tensors;
  std::map<std::string, std::vector<float>> values;  // others are made from their name

  // A decoder of the Llama line with every tensor it needs, for a test to bend.
  void fill(const std::string& model_type, int layers = 2) {
    config = {{"model_type", model_type},    {"vocab_size", 97},
              {"hidden_size", 32},           {"intermediate_size", 64},
              {"num_hidden_layers", layers}, {"num_attention_heads", 4},
              {"num_key_value_heads", 2},    {"head_dim", 16},
              {"rms_norm_eps", 1e-6},        {"max_position_embeddings", 256},
              {"rope_theta", 10000.0},       {"tie_word_embeddings", true},
              {"hidden_act", "silu"}};
    tensors = {{"model.embed_tokens.weight", {97, 32}}, {"model.norm.weight", {32}}};
    for (int i = 0; i < layers; ++i) {
      const std::string at = "model.layers." + std::to_string(i) + ".";
      tensors[at + "input_layernorm.weight"] = {32};
      tensors[at + "post_attention_layernorm.weight"] = {32};
      tensors[at + "self_attn.q_proj.weight"] = {64, 32};
      tensors[at + "self_attn.k_proj.weight"] = {32, 32};
      tensors[at + "self_attn.v_proj.weight"] = {32, 32};
      tensors[at + "self_attn.o_proj.weight"] = {32, 64};
      tensors[at + "mlp.gate_proj.weight"] = {64, 32};
      tensors[at + "mlp.up_proj.weight"] = {64, 32};
      tensors[at + "mlp.down_proj.weight"] = {32, 64};
      if (model_type == "qwen3") {
        tensors[at + "self_attn.q_norm.weight"] = {16};
        tensors[at + "self_attn.k_norm.weight"] = {16};
      }
      if (model_type == "qwen2") {
        tensors[at + "self_attn.q_proj.bias"] = {64};
        tensors[at + "self_attn.k_proj.bias"] = {32};
        tensors[at + "self_attn.v_proj.bias"] = {32};
      }
    }
  }

  const std::filesystem::path& folder() const { return folder_; }

  Checkpoint load() {
    Json header = Json::object();
    std::string data;
    for (const auto& [name, shape] : tensors) {
      const auto count = static_cast<std::size_t>(element_count(shape));
      std::vector<float> elements =
          values.contains(name) ? values[name] : std::vector<float>(count);
      if (!values.contains(name)) {
        std::uint32_t seed = 1;
        for (const char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
        for (float& element : elements) {
          seed = seed * 1664525u + 1013904223u;
          element = (static_cast<float>(seed >> 8) / 8388608.0f - 1.0f) * 0.2f;
          if (shape.size() == 1 && name.find("norm") != std::string::npos) element += 1;
        }
      }
      const std::size_t begin = data.size();
      data.append(reinterpret_cast<const char*>(elements.data()), elements.size() * 4);
      header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {begin, data.size()}}};
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::string file(8, '\0');
    for (int i = 0; i < 8; ++i) file[i] = static_cast<char>(text.size() >> (8 * i));
    write_file(folder_ / "model.safetensors", file + text + data);
    write_file(folder_ / "config.json", config.dump());
    return Checkpoint::load(folder_);
  }

  DecoderConfig read(std::vector<std::string> ignored = {}) {
    const Architecture* architecture = nullptr;
    return read_config(load(), ignored, &architecture);
  }

  DecoderWeights weights(DecoderConfig& read_into, WeightOptions options = {}) {
    const Checkpoint checkpoint = load();
    const Architecture* architecture = nullptr;
    read_into = read_config(checkpoint, {}, &architecture);
    return DecoderWeights(checkpoint, *architecture, read_into, options);
  }

  // The message of the Error that reading config and weights ends with, without the folder's name;
  // "" if there is none.
  std::string complaint(WeightOptions options = {}) {
    try {
      DecoderConfig ignored;
      weights(ignored, options);
      return "";
    } catch (const Error& error) {
      std::string message = error.what();
      for (auto at = message.find(folder_.string()); at != std::string::npos;
           at = message.find(folder_.string())) {
        message.replace(at, folder_.string().size(), "DIR");
      }
      return message;
    }
  }

 private:
  static int& counter() {
    static int count = 0;
    return count;
  }
  std::filesystem::path folder_;
};

}  // namespace anemone::models
