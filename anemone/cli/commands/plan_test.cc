#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"

namespace anemone::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Plan, SaysThatItPredicts) {
  const auto outcome = run_command("plan", {tiny_bundle(), "--chip", "M4"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, StartsWith("Predicted, not measured: "));
  EXPECT_THAT(outcome.out, HasSubstr("\nM4         64   decode     1"));
  EXPECT_THAT(outcome.out, HasSubstr("\nM4 bandwidth  64.2 GB/s (54.6 to 73.8): Anemll/"));
}

TEST(Plan, GivesEveryChipAndContextAsJson) {
  const auto outcome = run_command("plan", {tiny_bundle(), "--chip", "m3 max", "--chip", "M1",
                                            "--context", "64", "--context", "4096", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("predicted"), true);
  ASSERT_EQ(json.at("chips").size(), 2u);
  EXPECT_EQ(json.at("chips")[0].at("chip"), "M3 Max");
  const Json& contexts = json.at("chips")[1].at("contexts");
  ASSERT_EQ(contexts.size(), 2u);
  const auto rate = [](const Json& context, int step) {
    return context.at("steps")[step].at("tokens_per_second").at("likely").get<double>();
  };
  EXPECT_EQ(contexts[0].at("steps")[0].at("step"), "decode");
  EXPECT_EQ(contexts[0].at("steps")[0].at("calls"), 3);
  EXPECT_EQ(contexts[0].at("steps")[1].at("calls"), 2);
  EXPECT_GT(rate(contexts[0], 0), rate(contexts[1], 0));
  EXPECT_GT(rate(contexts[0], 1), rate(contexts[0], 0));
}

TEST(Plan, TakesAllChipsUnlessToldOtherwise) {
  const Json json = Json::parse(run_command("plan", {tiny_bundle(), "--json"}).out);
  EXPECT_EQ(json.at("chips").size(), 14u);
}

TEST(Plan, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(run_command("plan", {tiny_bundle(), "--chip", "M9"}).err,
            "usage: nothing is known of the Neural Engine of 'M9'; known: M1, M1 Pro, M1 Max, M1 "
            "Ultra, M2, M2 Max, M2 Ultra, M3, M3 Max, M4, M4 Pro, M4 Max, M5, M5 Pro");
  EXPECT_EQ(run_command("plan", {tiny_bundle(), "--context", "0"}).err,
            "usage: --context takes a number from 1 to 16777216; found '0'");
  const std::string package = tiny_bundle() + "/head.mlpackage";
  EXPECT_EQ(run_command("plan", {package, "--context", "64"}).err,
            "unsupported: " + package +
                ": only of a bundle is it known what its context is; --context does not go with a "
                "package");
  EXPECT_THAT(run_command("plan", {package, "--chip", "M5"}).out,
              HasSubstr("head.mlpackage decode"));
}

}  // namespace
}  // namespace anemone::cli
