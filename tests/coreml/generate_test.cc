#include <gtest/gtest.h>

#include "anemone/convert/convert.h"
#include "anemone/generate/generation.h"
#include "tests/coreml/packages.h"

// A whole bundle by way of Core ML's calls. The stand-in computes with the engine that the CPU
// runner has, so every number must be the same.
namespace anemone::coreml {
namespace {

class Bundles : public ::testing::TestWithParam<const char*> {
 protected:
  std::filesystem::path convert() {
    converter::Options options;
    options.checkpoint = ANEMONE_MODELS_DIR "/tiny-qwen3";
    options.output = stand_in_.folder() / "bundle";
    options.form.context = 64;
    options.layers = 1;
    options.single = std::string_view(GetParam()) == "single";
    converter::convert(options);
    if (std::string_view(GetParam()) == "padded") {
      for (const auto& entry : std::filesystem::directory_iterator(options.output)) {
        if (entry.path().extension() != ".mlpackage") continue;
        write_file(entry.path() / "stand-in.json", R"({"padding": 24})");
      }
    }
    return options.output;
  }

  // Logits of 12 ids in a block, then of one more after another; in two streams by turns.
  static std::vector<float> logits(const std::filesystem::path& bundle,
                                   generate::OpenPredictor open) {
    const auto runner = generate::Runner::load(bundle, {.scores = true, .open = std::move(open)});
    std::vector<int> ids(14);
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int>(300 + 7 * i);
    std::vector<float> all;
    const auto keep = [&](std::span<const float> row) {
      all.insert(all.end(), row.begin(), row.end());
    };
    generate::Session one(*runner), two(*runner);
    one.score(std::span(ids).first(12),
              [&](std::int64_t, std::span<const float> row) { keep(row); });
    keep(two.feed(std::span(ids).first(3)));
    keep(one.feed(std::span(ids).subspan(12, 1)));
    keep(two.feed(std::span(ids).subspan(3, 1)));
    one.reset();
    keep(one.feed(std::span(ids).first(2)));
    return all;
  }

  StandIn stand_in_;
};

TEST_P(Bundles, GiveTheLogitsOfTheCpuRunner) {
  const auto bundle = convert();
  const auto by_cpu = logits(bundle, {});
  const auto by_core_ml = logits(bundle, opener(stand_in_.options()));
  ASSERT_EQ(by_cpu.size(), 16u * 4096);
  EXPECT_TRUE(by_cpu == by_core_ml);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Bundles, ::testing::Values("parts", "single", "padded"),
                         [](const auto& kind) { return kind.param; });

}  // namespace
}  // namespace anemone::coreml
