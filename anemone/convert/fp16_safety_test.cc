#include "anemone/convert/fp16_safety.h"

#include <gtest/gtest.h>

#include "anemone/convert/convert.h"
#include "anemone/generate/runner.h"
#include "anemone/models/arch/tiny_checkpoint.h"

namespace anemone::converter {
namespace {

generate::ValueRange range(std::string value, float peak) {
  generate::ValueRange range;
  range.value = std::move(value);
  range.count = 1;
  range.max_magnitude = peak;
  return range;
}

TEST(Fp16Safety, LeavesAModelOfOrdinarySizeAlone) {
  const std::vector<generate::ValueRange> ranges = {range("layer_0_out", 900),
                                                    range("layer_1_gated", 300)};
  const Safety safety = choose_safety(ranges, 2);
  EXPECT_FALSE(safety.changes_anything());
  EXPECT_EQ(safety.residual_peak, 900);
  EXPECT_EQ(safety.gated_peak, 300);
}

TEST(Fp16Safety, TakesTheLeastPowerOfTwoThatLeavesAFactorOfFour) {
  // 65504 / 4 = 16376.
  EXPECT_EQ(choose_safety({{range("layer_0_out", 16376)}}, 1).scales.residual, 0);
  EXPECT_EQ(choose_safety({{range("layer_0_after_attention", 16377)}}, 1).scales.residual, 1);
  EXPECT_EQ(choose_safety({{range("layer_0_down_proj", 2e5f)}}, 1).scales.residual, 4);
  const Safety gated = choose_safety({{range("layer_1_gated", 1e5f)}}, 3);
  EXPECT_EQ(gated.scales.gated, (std::vector<int>{0, 3, 0}));
  EXPECT_EQ(gated.scales.residual, 0);
  EXPECT_TRUE(choose_safety({{range("layer_0_out", 2e5f)}}, 1).rescales_norms);
}

// A checkpoint of which one neuron writes 2e5 into one channel of every row.
void make_massive(models::TinyCheckpoint& c) {
  c.fill("qwen3", 3);
  std::vector<float> embedding(97 * 32);
  std::uint32_t seed = 5;
  for (std::size_t i = 0; i < embedding.size(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    embedding[i] = i % 32 == 7 ? 4.0f : static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
  }
  c.values["model.embed_tokens.weight"] = embedding;
  std::vector<float> sees(64 * 32, 0.05f), writes(32 * 64, 0.0f);
  for (std::size_t i = 0; i < 32; ++i) sees[i] = i == 7 ? 1.0f : 0.0f;
  writes[7 * 64] = 10000;
  c.values["model.layers.0.mlp.gate_proj.weight"] = sees;
  c.values["model.layers.0.mlp.up_proj.weight"] = sees;
  c.values["model.layers.0.mlp.down_proj.weight"] = writes;
}

std::vector<float> scored(const std::filesystem::path& bundle, engine::Arithmetic arithmetic) {
  generate::Runner::Options options;
  options.arithmetic = arithmetic;
  options.threads = 1;
  options.scores = true;
  const auto runner = generate::Runner::load(bundle, options);
  const std::vector<int> ids = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3};
  std::vector<float> all;
  generate::Session(*runner).score(ids, [&](std::int64_t, std::span<const float> row) {
    all.insert(all.end(), row.begin(), row.end());
  });
  return all;
}

double relative_error(const std::vector<float>& ours, const std::vector<float>& theirs) {
  double error = 0, norm = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    error += std::pow(static_cast<double>(ours[i]) - theirs[i], 2);
    norm += std::pow(static_cast<double>(theirs[i]), 2);
  }
  return std::sqrt(error / norm);
}

TEST(Fp16Safety, MakesAMassiveStreamFitWithoutChangingWhatIsComputed) {
  models::TinyCheckpoint c;
  make_massive(c);
  c.load();
  const auto folder = c.folder() / "bundles";
  std::filesystem::create_directories(folder);
  Options options;
  options.checkpoint = c.folder();
  options.form.context = 64;
  options.form.prefill = 8;
  options.threads = 1;
  options.output = folder / "plain";
  convert(options);
  options.output = folder / "safe";
  options.fp16_safe = Fp16Safe::kAuto;
  const Report report = convert(options);
  EXPECT_GT(report.fp16_safe.at("residual_peak").get<float>(), 65504.0f);
  EXPECT_GE(report.fp16_safe.at("residual_shift").get<int>(), 3);

  using engine::Arithmetic;
  const auto exact = scored(folder / "plain", Arithmetic::kFloat32);
  EXPECT_LT(relative_error(scored(folder / "safe", Arithmetic::kFloat32), exact), 1e-3);
  EXPECT_LT(relative_error(scored(folder / "safe", Arithmetic::kFloat16), exact), 2e-2);
  // The plain form's own fp16 run is lost.
  EXPECT_FALSE(relative_error(scored(folder / "plain", Arithmetic::kFloat16), exact) < 0.5);
}

TEST(Fp16Safety, WritesTheSameBytesAsThePlainFormWhereNothingNeedsDoing) {
  models::TinyCheckpoint c;
  c.fill("qwen3");
  c.load();
  const auto folder = c.folder() / "bundles";
  std::filesystem::create_directories(folder);
  Options options;
  options.checkpoint = c.folder();
  options.form.context = 64;
  options.form.prefill = 8;
  options.threads = 1;
  options.output = folder / "plain";
  convert(options);
  options.output = folder / "safe";
  options.fp16_safe = Fp16Safe::kAuto;
  EXPECT_FALSE(convert(options).fp16_safe.is_null());
  for (const char* file : {"layers_00.mlpackage", "head.mlpackage"}) {
    const auto weights = std::filesystem::path(file) / "Data/com.apple.CoreML/weights/weight.bin";
    EXPECT_EQ(read_text(folder / "plain" / weights), read_text(folder / "safe" / weights));
  }
}

}  // namespace
}  // namespace anemone::converter
