#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::ceil_test {

TEST(Ceil, RoundsUp) {
  expect_near(Try("ceil").with("x", f32({5}, {-1.5, -0.25, 0, 1.25, 2})).numbers(),
              {-1, 0, 0, 2, 2});
  EXPECT_EQ(Try("ceil").with("x", f16({}, {1.25})).value(), f16({}, {2}));
}

TEST(Ceil, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("ceil").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("ceil").with("x", i32_type({2})).refusal(),
            "op 'it' (ceil): parameter 'x' is int32; allowed: fp16, fp32");
}

}  // namespace anemone::mil::op::ceil_test
