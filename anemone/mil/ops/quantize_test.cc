#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::quantize_test {

TEST(Quantize, RoundsScalesAndClips) {
  EXPECT_EQ(Try("quantize")
                .with("input", f16({5}, {-100, -0.25, 0.25, 0.75, 100}))
                .with("scale", f16({}, {0.5}))
                .with("zero_point", ints(DType::kU8, {}, {100}))
                .with("output_dtype", "uint8")
                .value(),
            ints(DType::kU8, {5}, {0, 100, 100, 102, 255}));
}

TEST(Quantize, TakesVectorsAlongItsAxis) {
  EXPECT_EQ(Try("quantize")
                .with("input", f32({2, 2}, {1, 2, 3, 4}))
                .with("scale", f32({2}, {1, 0.5}))
                .with("axis", -1)
                .with("output_dtype", "int8")
                .value(),
            ints(DType::kI8, {2, 2}, {1, 4, 3, 8}));
}

TEST(Quantize, InfersUnknownExtentsAndRefusesWhatDoesNotFit) {
  const Try it = Try("quantize").with("input", f32_type({kUnknown, 2}));
  EXPECT_EQ(Try(it).with("scale", 0.5).with("output_dtype", "int8").type(),
            Type::tensor(DType::kI8, {kUnknown, 2}));
  EXPECT_EQ(Try(it).with("scale", 0.5).with("output_dtype", "int4").refusal(),
            "op 'it' (quantize): parameter 'output_dtype' is 'int4'; allowed: int8, uint8");
  EXPECT_EQ(Try(it).with("scale", f32({2}, {1, 2})).with("output_dtype", "int8").refusal(),
            "op 'it' (quantize): has a vector of scales, but no axis");
  EXPECT_EQ(Try(it)
                .with("scale", 0.5)
                .with("zero_point", ints(DType::kU8, {}, {1}))
                .with("output_dtype", "int8")
                .refusal(),
            "op 'it' (quantize): parameter 'zero_point' is uint8, but output_dtype int8");
  EXPECT_EQ(Try(it).with("scale", 0.0).with("output_dtype", "int8").refusal(),
            "op 'it' (quantize): parameter 'scale' is 0");
}

}  // namespace anemone::mil::op::quantize_test
