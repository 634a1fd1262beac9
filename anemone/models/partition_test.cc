#include "anemone/models/partition.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace anemone::models {
namespace {

TEST(CutLayers, TakesTheFewestPartsOfAtMostFiveHundredMegabytes) {
  const std::vector<std::int64_t> qwen(28, 31'460'000);
  EXPECT_EQ(cut_layers(qwen, 0), (std::vector<Range>{{0, 14}, {14, 14}}));
  const std::vector<std::int64_t> large(3, 600'000'000);
  EXPECT_EQ(cut_layers(large, 0), (std::vector<Range>{{0, 1}, {1, 1}, {2, 1}}));
}

TEST(CutLayers, BalancesWhateverTheNumberOfParts) {
  const std::vector<std::int64_t> equal(28, 10);
  for (std::int64_t parts = 1; parts <= 28; ++parts) {
    const auto cut = cut_layers(equal, parts);
    ASSERT_EQ(static_cast<std::int64_t>(cut.size()), parts);
    std::int64_t next = 0, least = 28, most = 0;
    for (const Range& run : cut) {
      EXPECT_EQ(run.first, next);
      next += run.count;
      least = std::min(least, run.count);
      most = std::max(most, run.count);
    }
    EXPECT_EQ(next, 28);
    EXPECT_LE(most - least, 1) << parts;
  }
  const std::vector<std::int64_t> uneven = {1, 1, 1, 9, 1, 1};
  EXPECT_EQ(cut_layers(uneven, 2), (std::vector<Range>{{0, 3}, {3, 3}}));
}

TEST(CutHead, MakesTheTilesOfQwen3) {
  const auto tiles = cut_head(151936, 0);
  ASSERT_EQ(tiles.size(), 10u);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(tiles[i].count, 15232);
  EXPECT_EQ(tiles[9].count, 14848);
  EXPECT_EQ(tiles[9].first + tiles[9].count, 151936);
}

TEST(CutHead, KeepsASmallHeadWholeAndRefusesTilesThatWouldBeEmpty) {
  EXPECT_EQ(cut_head(4096, 0), (std::vector<Range>{{0, 4096}}));
  EXPECT_EQ(cut_head(97, 2), (std::vector<Range>{{0, 64}, {64, 33}}));
  EXPECT_TRUE(cut_head(97, 7).empty());
  for (const std::int64_t rows : {32000, 49152, 128256, 151936, 262144}) {
    for (const Range& tile : cut_head(rows, 0)) EXPECT_LE(tile.count, kMaxTileRows);
  }
}

}  // namespace
}  // namespace anemone::models
