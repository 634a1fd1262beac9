#include "anemone/models/arch/decoder_tables.h"

// Qwen3, dense: RMS norms on query and key heads, an explicit head_dim, tied or untied.
// Source: transformers 5.24, models/qwen3/configuration_qwen3.py (defaults) and modeling_qwen3.py.
namespace anemone::models {
namespace arch::qwen3 {

constexpr TensorDef kTensors[] = {
    {"model.layers.{}.self_attn.q_norm.weight", Role::kQNorm, Extent::kHead, Extent::kNone,
     When::kQkNorm},
    {"model.layers.{}.self_attn.k_norm.weight", Role::kKNorm, Extent::kHead, Extent::kNone,
     When::kQkNorm},
};

void read(const ConfigReader& config, DecoderConfig& decoder) {
  decoder.head_dim = config.integer("head_dim", 128);
  decoder.num_key_value_heads = config.integer("num_key_value_heads", 32);
  decoder.max_position_embeddings = config.integer("max_position_embeddings", 32768);
  decoder.qk_norm = true;
  decoder.qkv_bias = decoder.o_bias = config.boolean("attention_bias", false);
}

}  // namespace arch::qwen3

extern const Architecture architecture_qwen3;
constinit const Architecture architecture_qwen3 = {
    .model_type = "qwen3",
    .keys = {kDecoderKeys, kQwenKeys},
    .tensors = {kDecoderTensors, kAttentionBiasTensors, arch::qwen3::kTensors},
    .read = arch::qwen3::read,
};

}  // namespace anemone::models
