#include <gtest/gtest.h>

#include "anemone/lint/examples.h"
#include "anemone/lint/lint.h"

namespace anemone::lint {
namespace {

FunctionIslands islands_in(const Example& example) {
  const mil::Program program = program_of(example);
  const auto all = islands({.program = &program}, findings_of(example, program));
  FunctionIslands one = all.at(0);
  one.island_of.clear();  // the program goes
  return one;
}

TEST(Islands, AreOneWhereNothingLeaves) {
  const FunctionIslands cut = islands_in(
      {.ports = "f16[1,4] x", .statements = "f16[1,4] h = relu(x = x); f16[1,4] y = exp(x = h);"});
  ASSERT_EQ(cut.islands.size(), 1u);
  EXPECT_EQ(cut.islands[0].unit, Unit::kAne);
  EXPECT_EQ(cut.islands[0].ops, 2u);
  EXPECT_EQ(cut.islands[0].first, "h");
  EXPECT_EQ(cut.islands[0].last, "y");
  EXPECT_TRUE(cut.crossings.empty());
  EXPECT_EQ(cut.copied_bytes, 0u);
}

TEST(Islands, AreThreeAroundAnOpThatLeavesAndBothCopiesAreNamed) {
  const FunctionIslands cut = islands_in({.ports = "f16[4,8] x, i32[1] at", .statements = R"(
      f16[4,8] a = relu(x = x);
      f16[1,8] b = gather(x = a, indices = at, axis = i32(0));
      f16[1,8] y = relu(x = b);)"});
  ASSERT_EQ(cut.islands.size(), 3u);
  EXPECT_EQ(cut.islands[1].unit, Unit::kAway);
  ASSERT_EQ(cut.crossings.size(), 2u);
  ASSERT_EQ(cut.crossings[0].copies.size(), 1u);
  EXPECT_EQ(cut.crossings[0].copies[0].tensor, "a");
  EXPECT_EQ(cut.crossings[0].copies[0].shape, "[4, 8]");
  EXPECT_EQ(cut.crossings[0].copies[0].dtype, "fp16");
  EXPECT_EQ(cut.crossings[0].bytes, 64u);
  EXPECT_EQ(cut.crossings[1].copies[0].tensor, "b");
  EXPECT_EQ(cut.copied_bytes, 64u + 16);
}

TEST(Islands, RunWhatMayRunTogetherTogether) {
  // Both gathers can go before everything else, though the program has relu between them.
  const FunctionIslands cut = islands_in({.ports = "f16[4,8] x, i32[1] at", .statements = R"(
      f16[1,8] a = gather(x = x, indices = at, axis = i32(0));
      f16[1,8] b = relu(x = a);
      f16[1,8] c = gather(x = x, indices = at, axis = i32(0));
      f16[1,8] y = add(x = b, y = c);)"});
  ASSERT_EQ(cut.islands.size(), 2u);
  EXPECT_EQ(cut.islands[0].unit, Unit::kAway);
  EXPECT_EQ(cut.islands[0].ops, 2u);
  ASSERT_EQ(cut.crossings.size(), 1u);
  EXPECT_EQ(cut.crossings[0].copies.size(), 2u);
}

TEST(Islands, FollowAStateFromItsWriterToItsReader) {
  const FunctionIslands cut =
      islands_in({.ports = "f16[4,8] x, i32[1] at, state<f16[1,8]> kv", .statements = R"(
      f16[1,8] a = gather(x = x, indices = at, axis = i32(0));
      write_state(input = kv, data = a);
      f16[1,8] b = read_state(input = kv);
      f16[1,8] y = relu(x = b);)"});
  ASSERT_EQ(cut.islands.size(), 2u);
  ASSERT_EQ(cut.crossings.size(), 1u);
  EXPECT_EQ(cut.crossings[0].copies[0].tensor, "b");
}

TEST(Islands, OfABarredFunctionAreAllAway) {
  const FunctionIslands cut =
      islands_in({.ports = "f32[1,4] x", .statements = "f32[1,4] y = relu(x = x);"});
  EXPECT_TRUE(cut.is_barred);
  ASSERT_EQ(cut.islands.size(), 1u);
  EXPECT_EQ(cut.islands[0].unit, Unit::kAway);
}

}  // namespace
}  // namespace anemone::lint
