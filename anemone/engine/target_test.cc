#include "anemone/engine/target.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"

namespace anemone::engine {
namespace {

TEST(Target, IsTheBestOfTheMachineUnlessOneIsNamed) {
  const auto targets = supported_targets();
  ASSERT_FALSE(targets.empty());
  EXPECT_EQ(targets.back(), "scalar");
  for (const std::string& target : targets) {
    set_target_for_test(target);
    EXPECT_EQ(target_name(), target);
  }
  set_target_for_test("");
  EXPECT_EQ(target_name(), targets.front());
  EXPECT_THROW(set_target_for_test("mmx"), Error);
}

}  // namespace
}  // namespace anemone::engine
