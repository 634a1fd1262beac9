#include "anemone/models/arch/tiny_checkpoint.h"

namespace anemone::models {
namespace {

TEST(Llama, DerivesHeadDimAndKvHeadsWhereTheConfigIsSilent) {
  TinyCheckpoint c;
  c.fill("llama");
  c.config.erase("head_dim");
  c.config.erase("num_key_value_heads");
  const DecoderConfig config = c.read();
  EXPECT_EQ(config.head_dim, 8);
  EXPECT_EQ(config.num_key_value_heads, 4);
}

TEST(Llama, RefusesAnUntiedHeadThatIsNotThereUnlessToldToTie) {
  TinyCheckpoint c;
  c.fill("llama");
  c.config["tie_word_embeddings"] = false;
  EXPECT_EQ(c.complaint(),
            "DIR: lacks 'lm_head.weight', which 'tie_word_embeddings' false asks for; "
            "--tie-missing-head uses the embedding instead");
  DecoderConfig config;
  DecoderWeights weights = c.weights(config, {.tie_missing_head = true});
  EXPECT_EQ(weights.head_role(), Role::kEmbedding);
  EXPECT_EQ(weights.warnings().size(), 1u);
}

TEST(Llama, SlowsOnlyLongWavesUnderLlama3Scaling) {
  TinyCheckpoint plain;
  plain.fill("llama");
  TinyCheckpoint scaled;
  scaled.fill("llama");
  scaled.config["rope_scaling"] = {{"rope_type", "llama3"},
                                   {"factor", 8.0},
                                   {"low_freq_factor", 1.0},
                                   {"high_freq_factor", 4.0},
                                   {"original_max_position_embeddings", 64}};
  const auto before = plain.read().inv_freq;
  const auto after = scaled.read().inv_freq;
  ASSERT_EQ(after.size(), 8u);
  int kept = 0, mixed = 0, slowed = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const double wavelength = 2 * M_PI / before[i];
    if (wavelength < 16) {
      EXPECT_EQ(after[i], before[i]);
      ++kept;
    } else if (wavelength > 64) {
      EXPECT_FLOAT_EQ(after[i], before[i] / 8);
      ++slowed;
    } else {
      const double smooth = (64 / wavelength - 1) / 3;
      EXPECT_NEAR(after[i], before[i] * ((1 - smooth) / 8 + smooth), 1e-7);
      ++mixed;
    }
  }
  EXPECT_GT(kept, 0);
  EXPECT_GT(mixed, 0);
  EXPECT_GT(slowed, 0);
}

TEST(Llama, DividesByTheFactorUnderLinearScalingAndRefusesOtherKinds) {
  TinyCheckpoint c;
  c.fill("llama");
  const auto before = c.read().inv_freq;
  c.config["rope_scaling"] = {{"type", "linear"}, {"factor", 4.0}};
  const auto after = c.read().inv_freq;
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_FLOAT_EQ(after[i], before[i] / 4);
  c.config["rope_scaling"] = {{"type", "yarn"}, {"factor", 4.0}};
  EXPECT_EQ(
      c.complaint(),
      "DIR/config.json: key 'rope_parameters' rope type 'yarn' is not handled; known: default, "
      "linear, llama3");
}

TEST(Llama, KeepsTheFirstLayersWhenAskedTo) {
  TinyCheckpoint c;
  c.fill("llama", 3);
  DecoderConfig config;
  DecoderWeights weights = c.weights(config, {.layers = 2});
  EXPECT_EQ(config.num_hidden_layers, 2);
  EXPECT_FALSE(weights.has(Role::kQ, 2));
  EXPECT_EQ(c.complaint({.layers = 4}), "--layers 4: the model has 3");
}

}  // namespace
}  // namespace anemone::models
