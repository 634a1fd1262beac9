#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::cast_test {

TEST(Cast, ConvertsEachElement) {
  const Tensor x = f32({4}, {-1.75, 0, 0.5, 2049});
  EXPECT_EQ(Try("cast").with("x", x).with("dtype", "int32").value(), i32({4}, {-1, 0, 0, 2049}));
  EXPECT_EQ(Try("cast").with("x", x).with("dtype", "bool").value(), flags({4}, {1, 0, 1, 1}));
  EXPECT_EQ(Try("cast").with("x", x).with("dtype", "fp16").value(),
            f16({4}, {-1.75, 0, 0.5, 2048}));
  EXPECT_EQ(Try("cast").with("x", flags({2}, {0, 1})).with("dtype", "fp32").value(),
            f32({2}, {0, 1}));
  EXPECT_EQ(Try("cast").with("x", i32({2}, {-3, 200})).with("dtype", "uint8").value(),
            ints(DType::kU8, {2}, {0, 200}));
}

TEST(Cast, KeepsUnknownExtents) {
  EXPECT_EQ(Try("cast").with("x", i32_type({kUnknown, 2})).with("dtype", "fp16").type(),
            f16_type({kUnknown, 2}));
}

TEST(Cast, KnowsMoreDtypesFromIos17On) {
  EXPECT_EQ(Try("cast").with("x", i32_type({2})).with("dtype", "int8").type(),
            Type::tensor(DType::kI8, {2}));
  EXPECT_EQ(Try("cast", Opset::kIos16).with("x", i32_type({2})).with("dtype", "int8").refusal(),
            "op 'it' (cast): parameter 'dtype' is 'int8'; allowed: fp16, fp32, int32, bool");
  EXPECT_EQ(Try("cast").with("x", i32_type({2})).with("dtype", "fp64").refusal(),
            "op 'it' (cast): parameter 'dtype' is 'fp64'; allowed: fp16, fp32, int32, bool, int8, "
            "uint8, int16, uint16");
}

}  // namespace anemone::mil::op::cast_test
