#include "anemone/convert/fp16_safety.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <map>

#include "anemone/convert/convert.h"
#include "anemone/generate/runner.h"
#include "anemone/models/arch/tiny_checkpoint.h"

namespace anemone::converter {
namespace {

TEST(Fp16Safety, LeavesAModelOfOrdinarySizeAlone) {
  const Safety safety = choose_safety({.residual = 900, .gated = {0, 300}});
  EXPECT_FALSE(safety.changes_anything());
  EXPECT_TRUE(safety.scales.gated.empty());
}

TEST(Fp16Safety, TakesTheLeastPowerOfTwoThatLeavesAFactorOfFour) {
  // 65504 / 4 = 16376.
  EXPECT_EQ(choose_safety({.residual = 16376}).scales.residual, 0);
  EXPECT_EQ(choose_safety({.residual = 16377}).scales.residual, 1);
  EXPECT_EQ(choose_safety({.residual = 2e5f}).scales.residual, 4);
  const Safety gated = choose_safety({.residual = 1, .gated = {1, 1e5f, 1}});
  EXPECT_EQ(gated.scales.gated, (std::vector<int>{0, 3, 0}));
  EXPECT_EQ(gated.scales.residual, 0);
  EXPECT_TRUE(choose_safety({.residual = 2e5f}).rescales_norms);
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
  options.fp16_safe = Fp16Safe::kOff;
  EXPECT_TRUE(convert(options).fp16_safe.is_null());
  options.output = folder / "safe";
  options.fp16_safe = Fp16Safe::kAuto;  // as by default
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
  options.fp16_safe = Fp16Safe::kOff;
  EXPECT_TRUE(convert(options).fp16_safe.is_null());
  options.output = folder / "safe";
  options.fp16_safe = Fp16Safe::kAuto;  // as by default
  EXPECT_FALSE(convert(options).fp16_safe.is_null());
  for (const char* file : {"layers_00.mlpackage", "head.mlpackage"}) {
    const auto weights = std::filesystem::path(file) / "Data/com.apple.CoreML/weights/weight.bin";
    EXPECT_EQ(read_text(folder / "plain" / weights), read_text(folder / "safe" / weights));
  }
}

std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[std::filesystem::relative(entry.path(), folder).string()] = read_text(entry.path());
  }
  return files;
}

TEST(Fp16Safety, GivesTheSameBytesOnEveryProcessorWithAnyNumberOfThreads) {
  models::TinyCheckpoint c;
  make_massive(c);
  c.load();
  const auto folder = c.folder() / "bundles";
  std::filesystem::create_directories(folder);
  Options options;
  options.checkpoint = c.folder();
  options.form.context = 64;
  options.form.prefill = 8;
  std::map<std::string, std::string> first;
  int made = 0;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    options.threads = 1 + made % 3;
    options.output = folder / std::to_string(made);
    convert(options);
    const auto bytes = contents(options.output);
    if (made++ == 0) first = bytes;
    EXPECT_TRUE(bytes == first) << hwy::TargetName(target);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_GT(made, 1);
}

TEST(Fp16Safety, SaysWhatWasMeasuredAndWhatWasDone) {
  models::TinyCheckpoint c;
  make_massive(c);
  const Safety safety = measure_safety(c.load(), {.context = 64, .threads = 1});
  const Json json = safety.to_json();
  EXPECT_EQ(json.at("measured_on"), "random ids, seed 1 (there is no tokenizer), 64 positions");
  EXPECT_EQ(json.at("done"), "the residual stream is divided by 2^" +
                                 std::to_string(safety.scales.residual) +
                                 "; the stream's norms divide by the largest magnitude first");
  EXPECT_EQ(json.at("stream_norm"), "prescaled");
}

TEST(Fp16Safety, LeavesAloneWhatItCannotCompute) {
  models::TinyCheckpoint c;
  c.fill("qwen3");
  Checkpoint checkpoint = c.load();
  const Safety safety = measure_safety(checkpoint, {.layers = 99, .context = 64, .threads = 1});
  EXPECT_FALSE(safety.changes_anything());
  const Json json = safety.to_json();
  EXPECT_TRUE(json.at("measured_on").is_null());
  EXPECT_EQ(json.at("done"), "nothing: no ranges are known");
  EXPECT_NE(json.at("why_not_measured").get<std::string>().find("layers; asked for are 99"),
            std::string::npos);
}

}  // namespace
}  // namespace anemone::converter
