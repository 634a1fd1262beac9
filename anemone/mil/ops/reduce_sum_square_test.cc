#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reduce_sum_square_test {

TEST(ReduceSumSquare, TakesTheNamedAxesOrAll) {
  const Tensor x = f32({2, 3}, {1, 2, 4, 3, -1, 0.5});
  const Tensor rows = Try("reduce_sum_square")
                          .with("x", x)
                          .with("axes", i32({1}, {-1}))
                          .with("keep_dims", true)
                          .value();
  EXPECT_EQ(rows.shape(), (Shape{2, 1}));
  expect_near(rows.to_doubles(), {21, 10.25});
  expect_near(Try("reduce_sum_square").with("x", x).with("axes", i32({1}, {0})).numbers(),
              {10, 5, 16.25});
  const Tensor all = Try("reduce_sum_square").with("x", x).value();
  EXPECT_EQ(all.shape(), Shape{});
  expect_near(all.to_doubles(), {31.25});
}

TEST(ReduceSumSquare, TruncatesIntegers) {
  EXPECT_EQ(Try("reduce_sum_square").with("x", i32({3}, {5, -2, 3})).value(), i32({}, {38}));
}

TEST(ReduceSumSquare, InfersUnknownExtentsAndRefusesABadAxis) {
  EXPECT_EQ(Try("reduce_sum_square")
                .with("x", f16_type({2, kUnknown, 4}))
                .with("axes", i32({2}, {0, 2}))
                .type(),
            f16_type({kUnknown}));
  EXPECT_EQ(
      Try("reduce_sum_square").with("x", f16_type({2, 3})).with("axes", i32({1}, {2})).refusal(),
      "op 'it' (reduce_sum_square): parameter 'axes' holds 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::reduce_sum_square_test
