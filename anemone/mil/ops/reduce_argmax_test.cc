#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reduce_argmax_test {

TEST(ReduceArgmax, FindsTheGreatestOfEachLine) {
  const Tensor x = f16({2, 3}, {1, 3, 1, 2, 2.5, 2});
  EXPECT_EQ(Try("reduce_argmax").with("x", x).value(), i32({2}, {1, 1}));
  EXPECT_EQ(Try("reduce_argmax").with("x", x).with("axis", 0).with("keep_dims", true).value(),
            i32({1, 3}, {1, 0, 1}));
  EXPECT_EQ(Try("reduce_argmax").with("x", x).with("output_dtype", "uint16").value(),
            ints(DType::kU16, {2}, {1, 1}));
}

TEST(ReduceArgmax, InfersUnknownExtentsAndRefusesWhatDoesNotFit) {
  const Try it = Try("reduce_argmax").with("x", f16_type({kUnknown, 4}));
  EXPECT_EQ(it.type(), i32_type({kUnknown}));
  EXPECT_EQ(Try(it).with("output_dtype", "int8").refusal(),
            "op 'it' (reduce_argmax): parameter 'output_dtype' is 'int8'; allowed: int32, uint16");
  EXPECT_EQ(Try("reduce_argmax", Opset::kIos16)
                .with("x", f16_type({4}))
                .with("output_dtype", "int32")
                .refusal(),
            "op 'it' (reduce_argmax): parameter 'output_dtype' exists from ios17 on, but the "
            "function speaks ios16");
  EXPECT_EQ(Try("reduce_argmax").with("x", f16_type({2, 0})).refusal(),
            "op 'it' (reduce_argmax): reduces over axis 1, which is empty");
}

}  // namespace anemone::mil::op::reduce_argmax_test
