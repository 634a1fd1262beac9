#include "anemone/checkpoint/gguf_names.h"

#include <utility>

namespace anemone {
namespace {

// Source: the Python package gguf 0.19.0, tensor_mapping.py.
constexpr std::pair<std::string_view, std::string_view> kOutside[] = {
    {"token_embd.weight", "model.embed_tokens.weight"},
    {"output_norm.weight", "model.norm.weight"},
    {"output.weight", "lm_head.weight"},
};
constexpr std::pair<std::string_view, std::string_view> kInBlock[] = {
    {"attn_norm", "input_layernorm"},    {"attn_q", "self_attn.q_proj"},
    {"attn_k", "self_attn.k_proj"},      {"attn_v", "self_attn.v_proj"},
    {"attn_output", "self_attn.o_proj"}, {"attn_q_norm", "self_attn.q_norm"},
    {"attn_k_norm", "self_attn.k_norm"}, {"ffn_norm", "post_attention_layernorm"},
    {"ffn_gate", "mlp.gate_proj"},       {"ffn_up", "mlp.up_proj"},
    {"ffn_down", "mlp.down_proj"},
};

}  // namespace

bool knows_gguf_names(std::string_view architecture) {
  return architecture == "llama" || architecture == "qwen2" || architecture == "qwen3";
}

std::string hugging_face_name(std::string_view gguf_name) {
  for (const auto& [from, to] : kOutside) {
    if (gguf_name == from) return std::string(to);
  }
  constexpr std::string_view kBlock = "blk.";
  const auto number_end = gguf_name.find('.', kBlock.size());
  const auto suffix_at = gguf_name.rfind('.');
  if (gguf_name.starts_with(kBlock) && number_end != gguf_name.npos && suffix_at > number_end) {
    const auto number = gguf_name.substr(kBlock.size(), number_end - kBlock.size());
    const auto middle = gguf_name.substr(number_end + 1, suffix_at - number_end - 1);
    const auto suffix = gguf_name.substr(suffix_at);
    if (suffix == ".weight" || suffix == ".bias") {
      for (const auto& [from, to] : kInBlock) {
        if (middle != from) continue;
        std::string made = "model.layers.";
        made.append(number).append(".").append(to).append(suffix);
        return made;
      }
    }
  }
  return std::string(gguf_name);
}

}  // namespace anemone
