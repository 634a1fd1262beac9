#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reduce_l1_norm_test {

TEST(ReduceL1Norm, TakesTheNamedAxesOrAll) {
  const Tensor x = f32({2, 3}, {1, 2, 4, 3, -1, 0.5});
  const Tensor rows = Try("reduce_l1_norm")
                          .with("x", x)
                          .with("axes", i32({1}, {-1}))
                          .with("keep_dims", true)
                          .value();
  EXPECT_EQ(rows.shape(), (Shape{2, 1}));
  expect_near(rows.to_doubles(), {7, 4.5});
  expect_near(Try("reduce_l1_norm").with("x", x).with("axes", i32({1}, {0})).numbers(),
              {4, 3, 4.5});
  const Tensor all = Try("reduce_l1_norm").with("x", x).value();
  EXPECT_EQ(all.shape(), Shape{});
  expect_near(all.to_doubles(), {11.5});
}

TEST(ReduceL1Norm, TruncatesIntegers) {
  EXPECT_EQ(Try("reduce_l1_norm").with("x", i32({3}, {5, -2, 3})).value(), i32({}, {10}));
}

TEST(ReduceL1Norm, InfersUnknownExtentsAndRefusesABadAxis) {
  EXPECT_EQ(Try("reduce_l1_norm")
                .with("x", f16_type({2, kUnknown, 4}))
                .with("axes", i32({2}, {0, 2}))
                .type(),
            f16_type({kUnknown}));
  EXPECT_EQ(Try("reduce_l1_norm").with("x", f16_type({2, 3})).with("axes", i32({1}, {2})).refusal(),
            "op 'it' (reduce_l1_norm): parameter 'axes' holds 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::reduce_l1_norm_test
