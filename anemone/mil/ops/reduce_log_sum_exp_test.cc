#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reduce_log_sum_exp_test {

TEST(ReduceLogSumExp, TakesTheNamedAxesOrAll) {
  const Tensor x = f32({2, 3}, {1, 2, 4, 3, -1, 0.5});
  const Tensor rows = Try("reduce_log_sum_exp")
                          .with("x", x)
                          .with("axes", i32({1}, {-1}))
                          .with("keep_dims", true)
                          .value();
  EXPECT_EQ(rows.shape(), (Shape{2, 1}));
  expect_near(rows.to_doubles(), {4.16984602, 3.09567433});
  expect_near(Try("reduce_log_sum_exp").with("x", x).with("axes", i32({1}, {0})).numbers(),
              {3.12692801, 2.04858735, 4.02975042});
  const Tensor all = Try("reduce_log_sum_exp").with("x", x).value();
  EXPECT_EQ(all.shape(), Shape{});
  expect_near(all.to_doubles(), {4.46369447});
}

TEST(ReduceLogSumExp, TruncatesIntegers) {
  EXPECT_EQ(Try("reduce_log_sum_exp").with("x", i32({3}, {5, -2, 3})).value(), i32({}, {5}));
}

TEST(ReduceLogSumExp, InfersUnknownExtentsAndRefusesABadAxis) {
  EXPECT_EQ(Try("reduce_log_sum_exp")
                .with("x", f16_type({2, kUnknown, 4}))
                .with("axes", i32({2}, {0, 2}))
                .type(),
            f16_type({kUnknown}));
  EXPECT_EQ(
      Try("reduce_log_sum_exp").with("x", f16_type({2, 3})).with("axes", i32({1}, {2})).refusal(),
      "op 'it' (reduce_log_sum_exp): parameter 'axes' holds 2; allowed: -2 to 1");
}

TEST(ReduceLogSumExp, RefusesAnEmptyGroup) {
  EXPECT_EQ(Try("reduce_log_sum_exp").with("x", f32({2, 0}, {})).refusal(),
            "op 'it' (reduce_log_sum_exp): reduces over axis 1, which is empty");
}

}  // namespace anemone::mil::op::reduce_log_sum_exp_test
