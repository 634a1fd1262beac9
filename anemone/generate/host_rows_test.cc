#include "anemone/generate/host_rows.h"

#include <gtest/gtest.h>

#include <vector>

namespace anemone::generate {
namespace {

TEST(HostRows, TurnByTheFloatProductOfPositionAndFrequency) {
  const float inv_freq[] = {1.0f, 0.01f};
  std::vector<float> cos(8), sin(8);
  fill_rotary(1000, 2, inv_freq, 1.0f, cos, sin);
  EXPECT_EQ(cos[0], static_cast<float>(std::cos(1000.0)));
  EXPECT_EQ(cos[2], cos[0]);
  EXPECT_EQ(sin[1], static_cast<float>(std::sin(static_cast<double>(1000.0f * 0.01f))));
  EXPECT_EQ(sin[4], static_cast<float>(std::sin(1001.0)));
  EXPECT_EQ(sin[7], sin[5]);
}

TEST(HostRows, ScaleCosAndSin) {
  const float inv_freq[] = {0.5f};
  std::vector<float> cos(2), sin(2);
  fill_rotary(1, 1, inv_freq, 2.0f, cos, sin);
  EXPECT_EQ(cos[0], 2.0f * static_cast<float>(std::cos(0.5)));
  EXPECT_EQ(sin[1], 2.0f * static_cast<float>(std::sin(0.5)));
}

TEST(HostRows, AMaskShowsKeysUpToTheRowsOwn) {
  std::vector<float> mask(2 * 5, 7.0f);
  fill_mask(1, 2, 5, -9, mask);
  EXPECT_EQ(mask, (std::vector<float>{0, 0, -9, -9, -9,  //
                                      0, 0, 0, -9, -9}));
}

TEST(HostRows, AWindowShowsTheLastKeysAlone) {
  std::vector<float> mask(3 * 5, 7.0f);
  fill_mask(1, 3, 5, -9, mask, 2);
  EXPECT_EQ(mask, (std::vector<float>{0, 0, -9, -9, -9,  //
                                      -9, 0, 0, -9, -9,  //
                                      -9, -9, 0, 0, -9}));
  std::vector<float> host(3 * 7, 7.0f);
  fill_host_mask(3, 3, 4, -9, host, 3);
  EXPECT_EQ(host, (std::vector<float>{-9, 0,  0,  -9, 0, -9, -9,  //
                                      -9, -9, 0,  -9, 0, 0,  -9,  //
                                      -9, -9, -9, -9, 0, 0,  0}));
  std::vector<float> one(4, 7.0f);
  fill_mask(3, 1, 4, -9, one, 1);
  EXPECT_EQ(one, (std::vector<float>{-9, -9, -9, 0}));
}

TEST(HostRows, AMaskForAHostsCacheShowsOldKeysAndThenNewOnes) {
  std::vector<float> mask(2 * 6, 7.0f);
  fill_host_mask(3, 2, 4, -9, mask);
  EXPECT_EQ(mask, (std::vector<float>{0, 0, 0, -9, 0, -9,  //
                                      0, 0, 0, -9, 0, 0}));
}

TEST(HostRows, WriteMarksThePlaceOfEachNewRow) {
  std::vector<float> write(4 * 2, 7.0f);
  fill_write(1, 2, 4, write);
  EXPECT_EQ(write, (std::vector<float>{0, 0,  //
                                       1, 0,  //
                                       0, 1,  //
                                       0, 0}));
}

}  // namespace
}  // namespace anemone::generate
