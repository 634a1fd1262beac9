#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::list_scatter_test {

TEST(ListScatter, TakesATensorForEachIndex) {
  const Type list = Type::list(DType::kF32, {2}, kUnknown);
  const Try it = Try("list_scatter").with("ls", list).with("indices", i32_type({3}));
  EXPECT_EQ(Try(it).with("value", f32_type({kUnknown, 2})).type(), list);
  EXPECT_EQ(Try(it).with("value", f32_type({4, 2})).refusal(),
            "op 'it' (list_scatter): puts 4 tensors at 3 indices");
  EXPECT_EQ(Try(it).with("value", f32_type({3, 1})).refusal(),
            "op 'it' (list_scatter): puts tensor<fp32, [1]> into a list of tensor<fp32, [2]>");
}

}  // namespace anemone::mil::op::list_scatter_test
