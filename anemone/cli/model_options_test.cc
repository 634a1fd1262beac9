#include "anemone/cli/model_options.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"
#include "anemone/coreml/coreml.h"
#include "anemone/testing/message_of.h"

namespace anemone::cli {
namespace {

using testing::message_of;

TEST(ModelOptions, RunOnTheCpuUnlessAskedOtherwise) {
  EXPECT_EQ(runner_options({}, false).open, nullptr);
  EXPECT_EQ(runner_options({.arithmetic = "float32"}, true).arithmetic,
            engine::Arithmetic::kFloat32);
}

TEST(ModelOptions, RefuseUnitsThatNobodyUses) {
  EXPECT_EQ(message_of([] { runner_options({.units = "all"}, false); }),
            "usage: --units says which processors Core ML may use; it goes with --runner coreml");
}

TEST(ModelOptions, RefuseCoreMlWhereThereIsNone) {
  if (coreml::is_available()) GTEST_SKIP() << "this build has Core ML";
  EXPECT_EQ(message_of([] { runner_options({.runner = "coreml"}, false); }),
            "unsupported: the runner 'coreml' needs a build of anemone for macOS 15 or later; this "
            "one has the runner 'cpu' alone");
}

TEST(ModelOptions, SwitchHazardsOnByName) {
  EXPECT_FALSE(strictness_of({}).any());
  EXPECT_TRUE(strictness_of({.accumulate = "float16"}).rounds_sums);
  const auto two = strictness_of({.hazards = {"subnormals", "product-range"}});
  EXPECT_TRUE(two.has(engine::Hazard::kSubnormals));
  EXPECT_TRUE(two.has(engine::Hazard::kProductRange));
  EXPECT_FALSE(two.has(engine::Hazard::kSliceRange));
  for (const engine::HazardDef& def : engine::all_hazards()) {
    EXPECT_TRUE(strictness_of({.hazards = {"all"}}).has(def.hazard)) << def.name;
  }
  EXPECT_EQ(arithmetic_text({.accumulate = "float16", .hazards = {"subnormals"}}),
            "float16, sums in float16, hazards subnormals");
  EXPECT_NE(runner_options({.hazards = {"all"}}, false).open, nullptr);
}

TEST(ModelOptions, RefuseHazardsThatAreNoneOrThatNothingCouldShow) {
  EXPECT_EQ(message_of([] { strictness_of({.hazards = {"gremlins"}}); }),
            "usage: --ane-hazards: 'gremlins' is none; allowed: product-range, inner-overflow, "
            "subnormals, slice-range, int8-range, masked-infinity, all");
  EXPECT_EQ(
      message_of([] { runner_options({.arithmetic = "float32", .hazards = {"all"}}, false); }),
      "usage: --accumulate float16 and --ane-hazards make the CPU engine's fp16 stricter; with "
      "--arithmetic float32 nothing is fp16");
}

}  // namespace
}  // namespace anemone::cli
