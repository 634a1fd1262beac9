#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::list_length_test {

TEST(ListLength, IsANumber) {
  EXPECT_EQ(Try("list_length").with("ls", Type::list(DType::kF16, {2}, 3)).type(), i32_type({}));
  EXPECT_EQ(Try("list_length").with("ls", f16_type({2})).refusal(),
            "op 'it' (list_length): parameter 'ls' is tensor<fp16, [2]>; a list is wanted");
}

}  // namespace anemone::mil::op::list_length_test
