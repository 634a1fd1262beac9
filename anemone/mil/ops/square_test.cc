#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::square_test {

TEST(Square, MultipliesByItself) {
  EXPECT_EQ(Try("square").with("x", f16({3}, {-2, 0.5, 300})).value(),
            f16({3}, {4, 0.25, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(Try("square").with("x", i32({2}, {-3, 65537})).value(), i32({2}, {9, 131073}));
}

TEST(Square, KeepsTheTypeAndRefusesOtherDtypes) {
  EXPECT_EQ(Try("square").with("x", f16_type({2, kUnknown})).type(), f16_type({2, kUnknown}));
  EXPECT_EQ(Try("square").with("x", bool_type({2})).refusal(),
            "op 'it' (square): parameter 'x' is bool; allowed: fp16, fp32, int32");
}

}  // namespace anemone::mil::op::square_test
