#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::list_write_test {

TEST(ListWrite, TakesWhatTheListHolds) {
  const Type list = Type::list(DType::kF32, {kUnknown, 2}, 3);
  const Try it = Try("list_write").with("ls", list).with("index", 0);
  EXPECT_EQ(Try(it).with("value", f32_type({4, 2})).type(), list);
  EXPECT_EQ(Try(it).with("value", f32_type({4, 3})).refusal(),
            "op 'it' (list_write): puts tensor<fp32, [4, 3]> into a list of tensor<fp32, [?, 2]>");
}

}  // namespace anemone::mil::op::list_write_test
