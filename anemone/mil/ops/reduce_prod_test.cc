#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reduce_prod_test {

TEST(ReduceProd, TakesTheNamedAxesOrAll) {
  const Tensor x = f32({2, 3}, {1, 2, 4, 3, -1, 0.5});
  const Tensor rows =
      Try("reduce_prod").with("x", x).with("axes", i32({1}, {-1})).with("keep_dims", true).value();
  EXPECT_EQ(rows.shape(), (Shape{2, 1}));
  expect_near(rows.to_doubles(), {8, -1.5});
  expect_near(Try("reduce_prod").with("x", x).with("axes", i32({1}, {0})).numbers(), {3, -2, 2});
  const Tensor all = Try("reduce_prod").with("x", x).value();
  EXPECT_EQ(all.shape(), Shape{});
  expect_near(all.to_doubles(), {-12});
}

TEST(ReduceProd, TruncatesIntegers) {
  EXPECT_EQ(Try("reduce_prod").with("x", i32({3}, {5, -2, 3})).value(), i32({}, {-30}));
}

TEST(ReduceProd, InfersUnknownExtentsAndRefusesABadAxis) {
  EXPECT_EQ(Try("reduce_prod")
                .with("x", f16_type({2, kUnknown, 4}))
                .with("axes", i32({2}, {0, 2}))
                .type(),
            f16_type({kUnknown}));
  EXPECT_EQ(Try("reduce_prod").with("x", f16_type({2, 3})).with("axes", i32({1}, {2})).refusal(),
            "op 'it' (reduce_prod): parameter 'axes' holds 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::reduce_prod_test
