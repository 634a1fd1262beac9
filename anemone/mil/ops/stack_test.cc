#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::stack_test {

TEST(Stack, MakesANewAxis) {
  const Tensor a = f16({2}, {1, 2});
  const Tensor b = f16({2}, {3, 4});
  EXPECT_EQ(Try("stack").with("values", {a, b}).with("axis", 0).value(), f16({2, 2}, {1, 2, 3, 4}));
  EXPECT_EQ(Try("stack").with("values", {a, b}).with("axis", -1).value(),
            f16({2, 2}, {1, 3, 2, 4}));
  EXPECT_EQ(Try("stack").with("values", {i32({}, {3}), i32({}, {9})}).with("axis", 0).value(),
            i32({2}, {3, 9}));
}

TEST(Stack, RefinesUnknownExtents) {
  EXPECT_EQ(Try("stack")
                .with("values", std::vector{f32_type({kUnknown, 3}), f32_type({2, kUnknown})})
                .with("axis", 1)
                .type(),
            f32_type({2, 2, 3}));
}

TEST(Stack, RefusesOtherShapesAndAxes) {
  EXPECT_EQ(Try("stack")
                .with("values", std::vector{f32_type({2, 3}), f32_type({2})})
                .with("axis", 0)
                .refusal(),
            "op 'it' (stack): parameter 'values' holds shapes that do not agree: [2, 3] and [2]");
  EXPECT_EQ(Try("stack").with("values", std::vector{f32_type({2})}).with("axis", 2).refusal(),
            "op 'it' (stack): parameter 'axis' is 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::stack_test
