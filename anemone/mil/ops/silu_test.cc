#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::silu_test {

TEST(Silu, IsXTimesItsSigmoid) {
  expect_near(Try("silu").with("x", f32({5}, {-800, -1, 0, 2, 800})).numbers(),
              {-7.88774124e-302, -0.268941421, 0, 1.76159416, 800});
  EXPECT_EQ(Try("silu").with("x", f16({}, {2})).value(), f16({}, {1.76159416}));
}

TEST(Silu, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("silu").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("silu").with("x", i32_type({2})).refusal(),
            "op 'it' (silu): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::silu_test
