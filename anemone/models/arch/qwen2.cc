#include "anemone/models/arch/decoder_tables.h"

// Qwen2 and Qwen2.5: biases on q, k and v, none on o, whatever attention_bias says.
// Source: transformers 5.24, models/qwen2/configuration_qwen2.py (defaults) and modeling_qwen2.py.
namespace anemone::models {
namespace arch::qwen2 {

void read(const ConfigReader& config, DecoderConfig& decoder) {
  decoder.num_key_value_heads = config.integer("num_key_value_heads", 32);
  decoder.max_position_embeddings = config.integer("max_position_embeddings", 32768);
  decoder.qkv_bias = true;
}

}  // namespace arch::qwen2

extern const Architecture architecture_qwen2;
constinit const Architecture architecture_qwen2 = {
    .model_type = "qwen2",
    .keys = {kDecoderKeys, kQwenKeys},
    .tensors = {kDecoderTensors, kAttentionBiasTensors, {}},
    .read = arch::qwen2::read,
};

}  // namespace anemone::models
