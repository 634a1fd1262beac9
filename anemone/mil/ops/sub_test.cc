#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::sub_test {

TEST(Sub, SubtractsBroadcastFloats) {
  const Tensor z =
      Try("sub").with("x", f16({2, 1}, {1.5, -2})).with("y", f16({3}, {1, 2, -4})).value();
  EXPECT_EQ(z, f16({2, 3}, {0.5, -0.5, 5.5, -3, -4, 2}));
}

TEST(Sub, SubtractsIntegersThatWrap) {
  EXPECT_EQ(Try("sub").with("x", i32({3}, {7, -7, 2147483647})).with("y", i32({}, {2})).value(),
            i32({3}, {5, -9, 2147483645}));
}

TEST(Sub, BroadcastsTypesAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(
      Try("sub").with("x", f32_type({kUnknown, 1, 3})).with("y", f32_type({4, kUnknown})).type(),
      f32_type({kUnknown, 4, 3}));
  EXPECT_EQ(Try("sub").with("x", f32_type({2, 3})).with("y", f32_type({2})).refusal(),
            "op 'it' (sub): parameters 'x' and 'y' have shapes [2, 3] and [2], which do not "
            "broadcast");
  EXPECT_EQ(Try("sub").with("x", f32_type({2})).with("y", f16_type({2})).refusal(),
            "op 'it' (sub): parameter 'y' is fp16, but another of its kind is fp32");
}

}  // namespace anemone::mil::op::sub_test
