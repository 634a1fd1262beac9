#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::band_part_test {

TEST(BandPart, KeepsABandAroundTheDiagonal) {
  const Tensor x = f16({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(Try("band_part").with("x", x).with("lower", -1).with("upper", 0).value(),
            f16({3, 3}, {1, 0, 0, 4, 5, 0, 7, 8, 9}));
  EXPECT_EQ(Try("band_part").with("x", x).with("lower", 1).with("upper", 1).value(),
            f16({3, 3}, {1, 2, 0, 4, 5, 6, 0, 8, 9}));
  EXPECT_EQ(Try("band_part").with("x", x).value(), x);
}

TEST(BandPart, KeepsTheTypeAndRefusesVectors) {
  EXPECT_EQ(Try("band_part").with("x", bool_type({kUnknown, 3})).type(), bool_type({kUnknown, 3}));
  EXPECT_EQ(Try("band_part").with("x", f32_type({3})).refusal(),
            "op 'it' (band_part): parameter 'x' has rank 1; allowed: 2 to 5");
}

}  // namespace anemone::mil::op::band_part_test
