#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::mul_test {

TEST(Mul, MultipliesBroadcastFloats) {
  const Tensor z =
      Try("mul").with("x", f16({2, 1}, {1.5, -2})).with("y", f16({3}, {1, 2, -4})).value();
  EXPECT_EQ(z, f16({2, 3}, {1.5, 3, -6, -2, -4, 8}));
}

TEST(Mul, MultipliesIntegersThatWrap) {
  EXPECT_EQ(Try("mul").with("x", i32({3}, {7, -7, 2147483647})).with("y", i32({}, {2})).value(),
            i32({3}, {14, -14, -2}));
}

TEST(Mul, BroadcastsTypesAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(
      Try("mul").with("x", f32_type({kUnknown, 1, 3})).with("y", f32_type({4, kUnknown})).type(),
      f32_type({kUnknown, 4, 3}));
  EXPECT_EQ(Try("mul").with("x", f32_type({2, 3})).with("y", f32_type({2})).refusal(),
            "op 'it' (mul): parameters 'x' and 'y' have shapes [2, 3] and [2], which do not "
            "broadcast");
  EXPECT_EQ(Try("mul").with("x", f32_type({2})).with("y", f16_type({2})).refusal(),
            "op 'it' (mul): parameter 'y' is fp16, but another of its kind is fp32");
}

}  // namespace anemone::mil::op::mul_test
