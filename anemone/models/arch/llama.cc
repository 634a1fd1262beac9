#include "anemone/models/arch/decoder_tables.h"

// Llama 2 and 3, SmolLM2: no norms on heads, biases only where the config asks for them.
// Source: transformers 5.24, models/llama/configuration_llama.py (defaults) and modeling_llama.py.
namespace anemone::models {
namespace arch::llama {

constexpr KeyDef kKeys[] = {
    {.name = "attention_bias"},
    {.name = "mlp_bias"},
    // Splits matrix products for training on several devices; the sums are the same.
    {.name = "pretraining_tp", .use = KeyDef::Use::kIgnored},
    // What SmolLM2's config says of itself.
    {.name = "is_llama_config", .use = KeyDef::Use::kIgnored},
    {.name = "rope_interleaved", .use = KeyDef::Use::kOneOf, .allowed = "[false]"},
};

constexpr TensorDef kTensors[] = {
    {"model.layers.{}.mlp.gate_proj.bias", Role::kGateBias, Extent::kFeedForward, Extent::kNone,
     When::kMlpBias},
    {"model.layers.{}.mlp.up_proj.bias", Role::kUpBias, Extent::kFeedForward, Extent::kNone,
     When::kMlpBias},
    {"model.layers.{}.mlp.down_proj.bias", Role::kDownBias, Extent::kHidden, Extent::kNone,
     When::kMlpBias},
};

void read(const ConfigReader& config, DecoderConfig& decoder) {
  decoder.num_key_value_heads = config.integer("num_key_value_heads", decoder.num_attention_heads);
  decoder.max_position_embeddings = config.integer("max_position_embeddings", 2048);
  decoder.qkv_bias = decoder.o_bias = config.boolean("attention_bias", false);
  decoder.mlp_bias = config.boolean("mlp_bias", false);
}

}  // namespace arch::llama

extern const Architecture architecture_llama;
constinit const Architecture architecture_llama = {
    .model_type = "llama",
    .keys = {kDecoderKeys, arch::llama::kKeys},
    .tensors = {kDecoderTensors, kAttentionBiasTensors, arch::llama::kTensors},
    .read = arch::llama::read,
};

}  // namespace anemone::models
