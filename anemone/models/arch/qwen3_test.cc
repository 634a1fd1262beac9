#include "anemone/models/arch/tiny_checkpoint.h"

namespace anemone::models {
namespace {

TEST(Qwen3, TakesHeadDimFromTheConfigAndNotFromHiddenOverHeads) {
  TinyCheckpoint c;
  c.fill("qwen3");
  const DecoderConfig config = c.read();
  EXPECT_EQ(config.head_dim, 16);  // 32 / 4 would be 8
  EXPECT_EQ(config.query_size(), 64);
  EXPECT_TRUE(config.qk_norm);
  EXPECT_FALSE(config.qkv_bias);
  EXPECT_EQ(c.complaint(), "");
}

TEST(Qwen3, ReadsBothSpellingsOfTheConfigAlike) {
  TinyCheckpoint old_form;
  old_form.fill("qwen3");
  old_form.config["rope_theta"] = 1e6;
  old_form.config["torch_dtype"] = "bfloat16";
  TinyCheckpoint new_form;
  new_form.fill("qwen3");
  new_form.config.erase("rope_theta");
  new_form.config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 1e6}};
  new_form.config["dtype"] = "bfloat16";
  EXPECT_EQ(old_form.read().inv_freq, new_form.read().inv_freq);
  TinyCheckpoint other;
  other.fill("qwen3");
  EXPECT_NE(other.read().inv_freq, new_form.read().inv_freq);
}

TEST(Qwen3, RefusesWhatWouldChangeTheArithmeticByName) {
  TinyCheckpoint c;
  c.fill("qwen3");
  c.config["hidden_act"] = "gelu";
  EXPECT_EQ(c.complaint(),
            "DIR/config.json: key 'hidden_act' is \"gelu\"; handled: [\"silu\",\"swish\"]");
  c.config["hidden_act"] = "silu";
  c.config["logit_softcapping"] = 30.0;
  EXPECT_EQ(
      c.complaint(),
      "DIR/config.json: key 'logit_softcapping' is unknown to qwen3 (= 30.0) and may change the "
      "arithmetic; --ignore-key logit_softcapping goes on without it");
  EXPECT_NO_THROW(c.read({"logit_softcapping"}));
  c.config["logit_softcapping"] = nullptr;
  EXPECT_EQ(c.complaint(), "");
  c.config["layer_types"] = {"full_attention", "chunked_attention"};
  EXPECT_EQ(
      c.complaint(),
      "DIR/config.json: key 'layer_types' has \"chunked_attention\"; handled: \"full_attention\", "
      "\"sliding_attention\"");
  c.config["layer_types"] = {"full_attention", "sliding_attention"};
  EXPECT_EQ(
      c.complaint(),
      "DIR/config.json: key 'layer_types' has \"sliding_attention\", but use_sliding_window is "
      "not true");
  c.config["layer_types"] = {"full_attention"};
  EXPECT_EQ(c.complaint(),
            "DIR/config.json: key 'layer_types' is no list of num_hidden_layers (2) kinds");
}

TEST(Qwen3, KnowsWhichLayersSlide) {
  TinyCheckpoint c;
  c.fill("qwen3");
  EXPECT_EQ(c.read().sliding_window, 0);
  c.config["sliding_window"] = 32;
  EXPECT_FALSE(c.read().is_sliding(1));
  c.config["use_sliding_window"] = true;
  c.config["max_window_layers"] = 1;
  EXPECT_EQ(c.read().sliding_window, 32);
  EXPECT_FALSE(c.read().is_sliding(0));
  EXPECT_TRUE(c.read().is_sliding(1));
  c.config["layer_types"] = {"sliding_attention", "full_attention"};  // has the last word
  EXPECT_TRUE(c.read().is_sliding(0));
  EXPECT_FALSE(c.read().is_sliding(1));
  c.config["layer_types"] = {"full_attention", "full_attention"};
  EXPECT_EQ(c.read().sliding_window, 0);
  c.config.erase("layer_types");
  c.config["max_window_layers"] = 28;
  EXPECT_EQ(c.read().sliding_window, 0);
  c.config["max_window_layers"] = 0;
  EXPECT_TRUE(c.read().is_sliding(0));
  c.config["sliding_window"] = nullptr;
  EXPECT_EQ(c.read().sliding_window, 0);
}

TEST(Qwen3, NamesMissingMisshapenAndUnusedTensors) {
  TinyCheckpoint c;
  c.fill("qwen3");
  c.tensors.erase("model.layers.1.self_attn.k_norm.weight");
  c.tensors.erase("model.norm.weight");
  EXPECT_EQ(c.complaint(),
            "DIR: lacks 'model.norm.weight', 'model.layers.1.self_attn.k_norm.weight'");
  c.fill("qwen3");
  c.tensors["model.layers.0.self_attn.q_proj.weight"] = {32, 32};
  EXPECT_EQ(
      c.complaint(),
      "DIR/model.safetensors: tensor 'model.layers.0.self_attn.q_proj.weight' has shape [32, 32]; "
      "the config asks for [64, 32]");
  c.fill("qwen3");
  c.tensors["model.layers.0.self_attn.q_proj.bias"] = {64};
  EXPECT_EQ(c.complaint(),
            "DIR: has tensors that qwen3 does not use: 'model.layers.0.self_attn.q_proj.bias'");
}

}  // namespace
}  // namespace anemone::models
