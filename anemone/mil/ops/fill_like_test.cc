#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::fill_like_test {

TEST(FillLike, TakesTheShapeAndNotTheDtype) {
  const Tensor x = f16({2, 1}, {1, 2});
  EXPECT_EQ(Try("fill_like").with("ref_tensor", x).with("value", 3).value(), i32({2, 1}, {3, 3}));
  EXPECT_EQ(Try("fill_like").with("ref_tensor", x).value(), f32({2, 1}, {0, 0}));
}

TEST(FillLike, KeepsUnknownExtents) {
  EXPECT_EQ(
      Try("fill_like").with("ref_tensor", i32_type({kUnknown, 2})).with("value", false).type(),
      bool_type({kUnknown, 2}));
}

TEST(FillLike, RefusesOtherDtypes) {
  EXPECT_EQ(
      Try("fill_like").with("ref_tensor", Type::tensor(DType::kI8, {2})).refusal(),
      "op 'it' (fill_like): parameter 'ref_tensor' is int8; allowed: bool, fp16, fp32, int32");
}

}  // namespace anemone::mil::op::fill_like_test
