#include "anemone/base/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace anemone {
namespace {

TEST(Half, EveryPatternSurvivesTheTripThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const f16 h{static_cast<std::uint16_t>(bits)};
    const float value = to_float(h);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(to_float(to_f16(value))));
    } else {
      EXPECT_EQ(to_f16(value).bits, h.bits) << bits;
    }
  }
}

TEST(Half, RoundsToTheNearerNeighbourAndTiesToEven) {
  // Between each two neighbours: the midpoint goes to the even one, a hair off it to its own side.
  for (std::uint32_t bits = 0; bits < 0x7bff; ++bits) {
    const float low = to_float(f16{static_cast<std::uint16_t>(bits)});
    const float high = to_float(f16{static_cast<std::uint16_t>(bits + 1)});
    const float middle = (low + high) / 2;
    EXPECT_EQ(to_f16(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    EXPECT_EQ(to_f16(std::nextafter(middle, 0.0f)).bits, bits);
    EXPECT_EQ(to_f16(std::nextafter(middle, 1e9f)).bits, bits + 1);
    EXPECT_EQ(to_f16(-middle).bits, to_f16(middle).bits | 0x8000u);
  }
}

TEST(Half, OverflowsAtTheHalfwayPointAndNotBefore) {
  EXPECT_EQ(round_to_f16(65519.0f), kMaxF16);
  EXPECT_TRUE(std::isinf(round_to_f16(kOverflowF16)));
  EXPECT_EQ(to_f16(std::numeric_limits<float>::infinity()).bits, 0x7c00);
  EXPECT_EQ(to_f16(1e-9f).bits, 0);
  EXPECT_EQ(to_f16(-0.0f).bits, 0x8000);
}

TEST(BFloat, KeepsTheUpperHalfAndRoundsTheRest) {
  EXPECT_EQ(to_float(bf16{0x3f80}), 1.0f);
  EXPECT_EQ(to_bf16(1.00390625f).bits, 0x3f80);  // a tie, to even
  EXPECT_EQ(to_bf16(1.01171875f).bits, 0x3f82);  // a tie, to even
  EXPECT_TRUE(std::isnan(to_float(to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace anemone
