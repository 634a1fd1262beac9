#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reshape_test {

TEST(Reshape, KeepsTheOrder) {
  EXPECT_EQ(Try("reshape")
                .with("x", i32({2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("shape", i32({2}, {3, -1}))
                .value(),
            i32({3, 2}, {1, 2, 3, 4, 5, 6}));
}

TEST(Reshape, CopiesExtentsFromTheRightFromIos17On) {
  const auto type = [](Opset opset, const std::vector<std::int64_t>& shape) {
    return Try("reshape", opset)
        .with("x", f16_type({2, 3, 4}))
        .with("shape", i32({static_cast<std::int64_t>(shape.size())}, shape))
        .type();
  };
  EXPECT_EQ(type(Opset::kIos17, {6, 0}), f16_type({6, 4}));
  EXPECT_EQ(type(Opset::kIos17, {0, 0, 0, 0}), f16_type({1, 2, 3, 4}));
  EXPECT_EQ(type(Opset::kIos15, {0, -1, 2}), f16_type({2, 6, 2}));
}

TEST(Reshape, InfersUnknownExtentsAndRanks) {
  EXPECT_EQ(
      Try("reshape").with("x", f32_type({kUnknown, 4})).with("shape", i32({3}, {-1, 2, 2})).type(),
      f32_type({kUnknown, 2, 2}));
  EXPECT_EQ(Try("reshape").with("x", f32_type({2, 4})).with("shape", i32_type({3})).type(),
            f32_type({kUnknown, kUnknown, kUnknown}));
  EXPECT_FALSE(Try("reshape")
                   .with("x", f32_type({2, 4}))
                   .with("shape", i32_type({kUnknown}))
                   .type()
                   .has_rank);
}

TEST(Reshape, RefusesAnotherNumberOfElements) {
  const auto refusal = [](Opset opset, const std::vector<std::int64_t>& shape) {
    return Try("reshape", opset)
        .with("x", f32_type({2, 3}))
        .with("shape", i32({static_cast<std::int64_t>(shape.size())}, shape))
        .refusal();
  };
  EXPECT_EQ(refusal(Opset::kIos18, {4, 2}), "op 'it' (reshape): cannot make [4, 2] of x, [2, 3]");
  EXPECT_EQ(refusal(Opset::kIos18, {4, -1}), "op 'it' (reshape): cannot make [4, ?] of x, [2, 3]");
  EXPECT_EQ(refusal(Opset::kIos18, {-1, -1}),
            "op 'it' (reshape): parameter 'shape' is [?, ?]; one extent may be -1 (what is left), "
            "0 copies that of x");
  EXPECT_EQ(refusal(Opset::kIos16, {6, 0, 1}),
            "op 'it' (reshape): parameter 'shape' holds 0, but has 3 values where x has rank 2");
}

}  // namespace anemone::mil::op::reshape_test
