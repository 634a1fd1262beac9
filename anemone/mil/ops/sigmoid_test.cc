#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sigmoid_test {

TEST(Sigmoid, IsTheLogisticFunction) {
  expect_near(Try("sigmoid").with("x", f32({5}, {-800, -1, 0, 2, 800})).numbers(),
              {9.85967654e-305, 0.268941421, 0.5, 0.880797078, 1});
  EXPECT_EQ(Try("sigmoid").with("x", f16({}, {2})).value(), f16({}, {0.880797078}));
}

TEST(Sigmoid, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("sigmoid").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("sigmoid").with("x", i32_type({2})).refusal(),
            "op 'it' (sigmoid): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::sigmoid_test
