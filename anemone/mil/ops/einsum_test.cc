#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::einsum_test {

TEST(Einsum, MultipliesMatricesAcrossTheHeight) {
  EXPECT_EQ(Try("einsum")
                .with("values", {f32({2, 1, 2}, {1, 2, 3, 4}), f32({2, 1, 1}, {10, 100})})
                .with("equation", "chw,whr->chr")
                .value(),
            f32({2, 1, 1}, {210, 430}));
}

TEST(Einsum, BroadcastsBatchAndHeightUnderAnyLetters) {
  EXPECT_EQ(Try("einsum")
                .with("values", {f16({2, 1, 1, 1}, {1, 2}), f16({1, 1, 2, 1}, {10, 100})})
                .with("equation", "abcd,adce->abce")
                .value(),
            f16({2, 1, 2, 1}, {10, 100, 20, 200}));
}

TEST(Einsum, InfersUnknownExtents) {
  EXPECT_EQ(
      Try("einsum")
          .with("values", std::vector{f16_type({1, kUnknown, 4, 8}), f16_type({1, 8, 4, kUnknown})})
          .with("equation", "bchq,bqhk->bchk")
          .type(),
      f16_type({1, kUnknown, 4, kUnknown}));
}

TEST(Einsum, RefusesOtherEquationsAndShapes) {
  const Try it =
      Try("einsum").with("values", std::vector{f32_type({2, 1, 2}), f32_type({3, 1, 1})});
  EXPECT_EQ(Try(it).with("equation", "abc,abc->ab").refusal(),
            "op 'it' (einsum): has equation 'abc,abc->ab' on ranks 3 and 3; allowed: "
            "nchw,nwhu->nchu on rank 4, chw,whr->chr on rank 3");
  EXPECT_EQ(Try(it).with("equation", "chw,whr->chr").refusal(),
            "op 'it' (einsum): cannot multiply [2, 1, 2] with [3, 1, 1] as 'chw,whr->chr'");
}

}  // namespace anemone::mil::op::einsum_test
