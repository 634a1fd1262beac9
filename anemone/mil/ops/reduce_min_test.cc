#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reduce_min_test {

TEST(ReduceMin, TakesTheNamedAxesOrAll) {
  const Tensor x = f32({2, 3}, {1, 2, 4, 3, -1, 0.5});
  const Tensor rows =
      Try("reduce_min").with("x", x).with("axes", i32({1}, {-1})).with("keep_dims", true).value();
  EXPECT_EQ(rows.shape(), (Shape{2, 1}));
  expect_near(rows.to_doubles(), {1, -1});
  expect_near(Try("reduce_min").with("x", x).with("axes", i32({1}, {0})).numbers(), {1, -1, 0.5});
  const Tensor all = Try("reduce_min").with("x", x).value();
  EXPECT_EQ(all.shape(), Shape{});
  expect_near(all.to_doubles(), {-1});
}

TEST(ReduceMin, IsNotANumberIfOneIs) {
  for (const std::vector<double>& x : {std::vector<double>{NAN, 1, 2}, {1, NAN, 2}, {1, 2, NAN}}) {
    EXPECT_TRUE(std::isnan(Try("reduce_min").with("x", f32({3}, x)).numbers()[0]));
  }
}

TEST(ReduceMin, TruncatesIntegers) {
  EXPECT_EQ(Try("reduce_min").with("x", i32({3}, {5, -2, 3})).value(), i32({}, {-2}));
}

TEST(ReduceMin, InfersUnknownExtentsAndRefusesABadAxis) {
  EXPECT_EQ(
      Try("reduce_min").with("x", f16_type({2, kUnknown, 4})).with("axes", i32({2}, {0, 2})).type(),
      f16_type({kUnknown}));
  EXPECT_EQ(Try("reduce_min").with("x", f16_type({2, 3})).with("axes", i32({1}, {2})).refusal(),
            "op 'it' (reduce_min): parameter 'axes' holds 2; allowed: -2 to 1");
}

TEST(ReduceMin, RefusesAnEmptyGroup) {
  EXPECT_EQ(Try("reduce_min").with("x", f32({2, 0}, {})).refusal(),
            "op 'it' (reduce_min): reduces over axis 1, which is empty");
}

}  // namespace anemone::mil::op::reduce_min_test
