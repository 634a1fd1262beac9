#include <gtest/gtest.h>

#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"

namespace anemone::cli {
namespace {

TEST(Verify, PassesWhatConvertMadeAndSaysWhatItLookedAt) {
  const auto outcome = run_command(
      "verify", {tiny_bundle(), "--against", tiny_checkpoint(), "--positions", "64", "--json"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("passed"), true);
  EXPECT_EQ(json.at("failures"), Json::array());
  EXPECT_EQ(json.at("input").at("source"), "the text that comes with the tool");
}

}  // namespace
}  // namespace anemone::cli
