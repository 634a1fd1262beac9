#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

TEST(Ranges, TellsOfEveryComputedValueInRunningOrder) {
  const auto outcome = run_command("ranges", {tiny_bundle(), "--tokens", "-", "--json"}, "5 6 7 8");
  EXPECT_EQ(outcome.err, "");
  std::vector<std::string> values;
  std::size_t at = 0;
  while (at < outcome.out.size()) {
    const std::size_t end = outcome.out.find('\n', at);
    const Json json = Json::parse(outcome.out.substr(at, end - at));
    EXPECT_GT(json.at("max").get<double>(), 0) << json;
    EXPECT_LE(json.at("p50").get<double>(), json.at("p99").get<double>());
    EXPECT_LE(json.at("p99_9").get<double>(), json.at("max").get<double>());
    EXPECT_EQ(json.at("nans"), 0);
    values.push_back(json.at("value"));
    at = end + 1;
  }
  const auto place = [&](const std::string& name) {
    return std::find(values.begin(), values.end(), name) - values.begin();
  };
  EXPECT_LT(place("layer_0_q_proj"), place("layer_0_out"));
  EXPECT_LT(place("layer_0_out"), place("layer_1_gated"));
  EXPECT_LT(place("layer_1_gated"), static_cast<std::ptrdiff_t>(values.size()));
}

TEST(Ranges, ListsTheTightestFirstAndSaysWhetherAnythingOverflows) {
  const auto outcome =
      run_command("ranges", {tiny_bundle(), "--tokens", "-", "--top", "3"}, "5 6 7");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 5);
  EXPECT_TRUE(outcome.out.ends_with("nothing overflows fp16\n")) << outcome.out;
}

TEST(Ranges, AreDrawnAsAPageOfTheirOwn) {
  const anemone::testing::TempDir dir;
  const std::string page = (dir / "ranges.html").string();
  const auto outcome = run_command("ranges", {tiny_bundle(), "--tokens", "-", "-o", page}, "5 6 7");
  EXPECT_EQ(outcome.err, "");
  const std::string text = read_text(page);
  EXPECT_NE(text.find("layer_0_q_proj"), std::string::npos);
  EXPECT_TRUE(text.ends_with("</svg>\n</div></body></html>\n"));
}

TEST(Ranges, ShowWhatHazardsMakeOfValues) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "minutes long under sanitizers, where engine/strict_test.cc runs the same sums";
#endif
  // With sums in fp16 there is something to see, in fp16; the figures stay near.
  const auto outcome = run_command(
      "ranges", {tiny_bundle(), "--tokens", "-", "--accumulate=float16", "--json"}, "5 6 7 8");
  EXPECT_EQ(outcome.err, "");
  const auto plain = run_command("ranges", {tiny_bundle(), "--tokens", "-", "--json"}, "5 6 7 8");
  EXPECT_NE(outcome.out, plain.out);
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'),
            std::count(plain.out.begin(), plain.out.end(), '\n'));
}

TEST(Ranges, NeedAText) {
  EXPECT_EQ(run_command("ranges", {"x"}).err, "usage: ranges takes one of --text and --tokens");
}

}  // namespace
}  // namespace anemone::cli
