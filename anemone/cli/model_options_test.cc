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

}  // namespace
}  // namespace anemone::cli
