#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::shape_test {

TEST(Shape, ListsTheExtents) {
  EXPECT_EQ(Try("shape").with("x", f16({2, 0, 3}, {})).value(), i32({3}, {2, 0, 3}));
  EXPECT_EQ(Try("shape").with("x", f16({}, {1})).value(), i32({0}, {}));
}

TEST(Shape, NeedsNoValueWhereTheTypeSaysAll) {
  Call call(*find_op("shape"), Opset::kIos18, "it");
  call.bind("x", {{f32_type({4, 5}), nullptr}});
  EXPECT_EQ(find_op("shape")->eval(call).front(), i32({2}, {4, 5}));
}

TEST(Shape, HasOneElementForEachAxis) {
  EXPECT_EQ(Try("shape").with("x", f32_type({kUnknown, 2})).type(), i32_type({2}));
  EXPECT_EQ(Try("shape").with("x", Type{.has_rank = false}).type(), i32_type({kUnknown}));
}

TEST(Shape, RefusesWhatIsNoTensor) {
  EXPECT_EQ(Try("shape").with("x", Type::list(DType::kF32, {3}, 2)).refusal(),
            "op 'it' (shape): parameter 'x' is list<tensor<fp32, [3]>, 2>; a tensor is wanted");
}

}  // namespace anemone::mil::op::shape_test
