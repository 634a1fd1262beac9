#pragma once

#include "anemone/models/architecture.h"

// What the decoders of the Llama line have in common: names of keys and tensors.
// Source: transformers 5.24, models/llama, models/qwen2 and models/qwen3 (configuration and
// modeling).
namespace anemone::models {

inline constexpr KeyDef kDecoderKeys[] = {
    {.name = "model_type"},
    {.name = "vocab_size"},
    {.name = "hidden_size"},
    {.name = "intermediate_size"},
    {.name = "num_hidden_layers"},
    {.name = "num_attention_heads"},
    {.name = "num_key_value_heads"},
    {.name = "head_dim"},
    {.name = "max_position_embeddings"},
    {.name = "rms_norm_eps"},
    {.name = "tie_word_embeddings"},
    {.name = "rope_parameters"},
    {.name = "hidden_act", .use = KeyDef::Use::kOneOf, .allowed = R"(["silu", "swish"])"},
};

inline constexpr TensorDef kDecoderTensors[] = {
    {"model.embed_tokens.weight", Role::kEmbedding, Extent::kVocabulary, Extent::kHidden},
    {"model.layers.{}.input_layernorm.weight", Role::kInputNorm, Extent::kHidden},
    {"model.layers.{}.self_attn.q_proj.weight", Role::kQ, Extent::kQuery, Extent::kHidden},
    {"model.layers.{}.self_attn.k_proj.weight", Role::kK, Extent::kKv, Extent::kHidden},
    {"model.layers.{}.self_attn.v_proj.weight", Role::kV, Extent::kKv, Extent::kHidden},
    {"model.layers.{}.self_attn.o_proj.weight", Role::kO, Extent::kHidden, Extent::kQuery},
    {"model.layers.{}.post_attention_layernorm.weight", Role::kPostNorm, Extent::kHidden},
    {"model.layers.{}.mlp.gate_proj.weight", Role::kGate, Extent::kFeedForward, Extent::kHidden},
    {"model.layers.{}.mlp.up_proj.weight", Role::kUp, Extent::kFeedForward, Extent::kHidden},
    {"model.layers.{}.mlp.down_proj.weight", Role::kDown, Extent::kHidden, Extent::kFeedForward},
    {"model.norm.weight", Role::kFinalNorm, Extent::kHidden},
    {"lm_head.weight", Role::kHead, Extent::kVocabulary, Extent::kHidden, When::kUntied},
};

inline constexpr TensorDef kAttentionBiasTensors[] = {
    {"model.layers.{}.self_attn.q_proj.bias", Role::kQBias, Extent::kQuery, Extent::kNone,
     When::kQkvBias},
    {"model.layers.{}.self_attn.k_proj.bias", Role::kKBias, Extent::kKv, Extent::kNone,
     When::kQkvBias},
    {"model.layers.{}.self_attn.v_proj.bias", Role::kVBias, Extent::kKv, Extent::kNone,
     When::kQkvBias},
    {"model.layers.{}.self_attn.o_proj.bias", Role::kOBias, Extent::kHidden, Extent::kNone,
     When::kOBias},
};

// Of the Qwen configs: sliding windows, and what only some of their kin have.
inline constexpr KeyDef kQwenKeys[] = {
    {.name = "use_sliding_window"},
    {.name = "sliding_window"},
    {.name = "max_window_layers"},
    {.name = "use_mrope", .use = KeyDef::Use::kOneOf, .allowed = "[false]"},
    {.name = "attention_bias"},
};

}  // namespace anemone::models
