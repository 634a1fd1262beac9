#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::make_list_test {

TEST(MakeList, HasATypeAndALength) {
  const Try it = Try("make_list").with("elem_shape", {i32({}, {2}), i32({}, {3})});
  EXPECT_EQ(it.type(), Type::list(DType::kF32, {2, 3}, kUnknown));
  EXPECT_EQ(
      Try(it).with("init_length", 4).with("dynamic_length", false).with("dtype", "int32").type(),
      Type::list(DType::kI32, {2, 3}, 4));
  EXPECT_EQ(Try("make_list").with("elem_shape", {Tensor::scalar_string("s")}).type(),
            Type::list(DType::kF32, {kUnknown}, kUnknown));
}

TEST(MakeList, RefusesWhatIsNoType) {
  EXPECT_EQ(Try("make_list").with("elem_shape", {i32({}, {-2})}).refusal(),
            "op 'it' (make_list): parameter 'elem_shape' holds -2");
  EXPECT_EQ(Try("make_list").with("elem_shape", {i32({}, {2})}).with("dtype", "i8").refusal(),
            "op 'it' (make_list): parameter 'dtype' is 'i8'; allowed: fp16, fp32, int32, bool");
}

}  // namespace anemone::mil::op::make_list_test
