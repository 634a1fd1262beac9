#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::range_1d_test {

Try range(Tensor start, Tensor end, Tensor step) {
  return Try("range_1d")
      .with("start", std::move(start))
      .with("end", std::move(end))
      .with("step", std::move(step));
}

TEST(Range1d, CountsUpToItsEnd) {
  EXPECT_EQ(range(i32({}, {1}), i32({}, {7}), i32({}, {2})).value(), i32({3}, {1, 3, 5}));
  EXPECT_EQ(range(f16({}, {2}), f16({}, {0.5}), f16({}, {-1})).value(), f16({2}, {2, 1}));
  EXPECT_EQ(range(i32({}, {3}), i32({}, {1}), i32({}, {1})).value().shape(), Shape{0});
  // In fp32 0.3 / 0.1 is 3, though 0.3 there is a little more than three times 0.1.
  EXPECT_EQ(range(f32({}, {0}), f32({}, {0.3}), f32({}, {0.1})).type(), f32_type({3}));
}

TEST(Range1d, KnowsNoLengthWithoutItsEnd) {
  EXPECT_EQ(Try("range_1d").with("start", 0).with("end", i32_type({})).with("step", 1).type(),
            i32_type({kUnknown}));
}

TEST(Range1d, RefusesAStepThatNeverArrives) {
  EXPECT_EQ(range(i32({}, {0}), i32({}, {4}), i32({}, {0})).refusal(),
            "op 'it' (range_1d): counts from 0 to 4 by 0");
}

}  // namespace anemone::mil::op::range_1d_test
