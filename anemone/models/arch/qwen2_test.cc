#include "anemone/models/arch/tiny_checkpoint.h"

namespace anemone::models {
namespace {

TEST(Qwen2, HasBiasesOnQueriesKeysAndValuesAndNoNorms) {
  TinyCheckpoint c;
  c.fill("qwen2");
  DecoderConfig config;
  DecoderWeights weights = c.weights(config);
  EXPECT_TRUE(config.qkv_bias);
  EXPECT_FALSE(config.o_bias);
  EXPECT_TRUE(weights.has(Role::kVBias, 1));
  EXPECT_FALSE(weights.has(Role::kQNorm, 0));
  c.tensors.erase("model.layers.0.self_attn.v_proj.bias");
  EXPECT_EQ(c.complaint(), "DIR: lacks 'model.layers.0.self_attn.v_proj.bias'");
}

TEST(Qwen2, TakesASlidingWindowThatIsSwitchedOff) {
  TinyCheckpoint c;
  c.fill("qwen2");
  c.config["sliding_window"] = 32768;
  c.config["use_sliding_window"] = false;
  c.config["max_window_layers"] = 28;
  EXPECT_EQ(c.complaint(), "");
}

}  // namespace
}  // namespace anemone::models
