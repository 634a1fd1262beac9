#include <gtest/gtest.h>

#include <random>

#include "anemone/engine/plan.h"

namespace anemone::engine {
namespace {

Memory memory(std::int64_t count, int first, int last) {
  Memory made;
  made.count = count;
  made.first = first;
  made.last = last;
  return made;
}

TEST(Arena, ReusesWhatIsNoLongerNeeded) {
  std::vector<Memory> memories = {memory(16, 0, 1), memory(16, 1, 2), memory(16, 2, 3)};
  EXPECT_EQ(lay_out_arena(memories), 128u);
  EXPECT_EQ(memories[0].offset, memories[2].offset);
  EXPECT_NE(memories[0].offset, memories[1].offset);
}

TEST(Arena, NeverLetsTwoLivingMemoriesOverlap) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 generator(seed);
    const auto pick = [&](int most) { return static_cast<int>(generator() % (most + 1)); };
    std::vector<Memory> memories;
    std::size_t most_at_once = 0;
    for (int i = 0; i < 100; ++i) {
      const int first = pick(80);
      memories.push_back(memory(pick(1000), first, first + pick(20)));
      if (i % 9 == 0) memories.back().kind = Memory::Kind::kConstant;
    }
    const std::size_t total = lay_out_arena(memories);
    for (int step = 0; step <= 100; ++step) {
      std::size_t living = 0;
      for (const Memory& m : memories) {
        if (m.kind == Memory::Kind::kArena && m.first <= step && step <= m.last) {
          living += m.size_bytes();
        }
      }
      most_at_once = std::max(most_at_once, living);
    }
    EXPECT_GE(total, most_at_once);
    for (std::size_t i = 0; i < memories.size(); ++i) {
      const Memory& a = memories[i];
      if (a.kind != Memory::Kind::kArena) continue;
      EXPECT_EQ(a.offset % 64, 0u);
      EXPECT_LE(a.offset + a.size_bytes(), total);
      for (std::size_t j = 0; j < i; ++j) {
        const Memory& b = memories[j];
        const bool both_live = b.kind == Memory::Kind::kArena && a.first <= b.last &&
                               b.first <= a.last && a.count > 0 && b.count > 0;
        const bool overlap =
            a.offset < b.offset + b.size_bytes() && b.offset < a.offset + a.size_bytes();
        EXPECT_FALSE(both_live && overlap) << "seed " << seed;
      }
    }
  }
}

// The memories of a random program: each step writes one value, reads a few earlier ones, and now
// and then needs room of its own. Sizes are those of a network: many alike, some far larger.
std::vector<Memory> random_program(unsigned seed) {
  std::mt19937 generator(seed);
  const auto pick = [&](int most) { return static_cast<int>(generator() % (most + 1)); };
  const int steps = 20 + pick(180);
  std::vector<Memory> memories;
  std::vector<std::size_t> values;
  for (int step = 0; step < steps; ++step) {
    if (pick(9) == 0) {
      memories.push_back(memory(1000 << pick(8), step, step));  // for the step alone
    }
    const int reads = 1 + pick(2);
    for (int i = 0; i < reads && !values.empty(); ++i) {
      // Mostly what was just computed, at times something from long ago.
      const auto back = static_cast<std::size_t>(pick(4) == 0 ? pick(40) : pick(2));
      Memory& read = memories[values[values.size() - 1 - std::min(back, values.size() - 1)]];
      read.last = step;
    }
    values.push_back(memories.size());
    memories.push_back(memory((1000 + pick(3000)) << pick(6), step, step));
  }
  return memories;
}

TEST(Arena, StaysWithinThreeTenthsOfTheLargestLiveSet) {
  double worst = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::vector<Memory> memories = random_program(seed);
    const auto most = static_cast<double>(largest_live_set(memories));
    const auto total = static_cast<double>(lay_out_arena(memories));
    EXPECT_LE(total, 1.3 * most) << "seed " << seed;
    worst = std::max(worst, total / most);
  }
  RecordProperty("worst_ratio", std::to_string(worst));
}

TEST(Arena, PutsResultsOverOperandsAndNothingElse) {
  // Step 1 reads 0 and writes 1 over its second half; 2 lives beside both.
  std::vector<Memory> memories = {memory(64, 0, 1), memory(32, 1, 3), memory(16, 0, 3)};
  memories[1].over = 0;
  memories[1].over_bytes = 128;
  EXPECT_EQ(largest_live_set(memories), 320u);
  EXPECT_EQ(lay_out_arena(memories), 320u);
  EXPECT_EQ(memories[1].offset, memories[0].offset + 128);
  EXPECT_EQ(memories[1].over, 0);
}

TEST(Arena, PutsAResultElsewhereWhereItWouldOnlyBeInTheWay) {
  // Over 0, result 1 would lie in the middle of where 2 must go after 0 has ended.
  std::vector<Memory> memories = {memory(64, 0, 1), memory(16, 1, 4), memory(64, 2, 4)};
  memories[1].over = 0;
  memories[1].over_bytes = 64;
  EXPECT_EQ(lay_out_arena(memories), 320u);
  EXPECT_EQ(largest_live_set(memories), 320u);
}

TEST(Arena, KeepsEverythingElseApartFromResultsOverOperands) {
  std::size_t joined = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    std::mt19937 generator(seed);
    const auto pick = [&](int most) { return static_cast<int>(generator() % (most + 1)); };
    std::vector<Memory> memories;
    for (int i = 0; i < 60; ++i) {
      const int first = pick(40);
      memories.push_back(memory(16 * (1 + pick(40)), first, first + pick(10)));
    }
    std::vector<bool> is_taken(memories.size());
    for (std::size_t i = 0; i < memories.size(); ++i) {
      for (std::size_t j = 0; j < memories.size(); ++j) {
        if (i == j || is_taken[j] || memories[j].last != memories[i].first ||
            memories[j].first >= memories[i].first || memories[i].last <= memories[i].first ||
            memories[j].count < memories[i].count) {
          continue;
        }
        is_taken[j] = true;
        memories[i].over = static_cast<int>(j);
        memories[i].over_bytes =
            64 * static_cast<std::size_t>(
                     pick(static_cast<int>(memories[j].count - memories[i].count) / 16));
        break;
      }
    }
    std::vector<Memory> apart = memories;
    for (Memory& one : apart) one.over = -1;
    const std::size_t least = largest_live_set(memories);
    const std::size_t total = lay_out_arena(memories);
    EXPECT_LE(total, lay_out_arena(apart)) << "seed " << seed;
    EXPECT_LE(static_cast<double>(total), 1.3 * static_cast<double>(least)) << "seed " << seed;
    for (std::size_t i = 0; i < memories.size(); ++i) {
      const Memory& a = memories[i];
      joined += a.over >= 0 ? 1 : 0;
      EXPECT_LE(a.offset + a.size_bytes(), total);
      for (std::size_t j = 0; j < memories.size(); ++j) {
        const Memory& b = memories[j];
        if (i == j || a.first > b.last || b.first > a.last) continue;
        if (a.offset >= b.offset + b.size_bytes() || b.offset >= a.offset + a.size_bytes())
          continue;
        const bool is_over =
            (a.over == static_cast<int>(j) && a.offset == b.offset + a.over_bytes) ||
            (b.over == static_cast<int>(i) && b.offset == a.offset + b.over_bytes);
        EXPECT_TRUE(is_over) << "seed " << seed << ", " << i << " and " << j;
      }
    }
  }
  EXPECT_GT(joined, 500u);
}

TEST(Arena, HoldsConvertedInputsForAsLongAsTheyAreRead) {
  Memory input = memory(16, 0, 1);
  input.kind = Memory::Kind::kInput;
  std::vector<Memory> memories = {input, memory(16, 1, 2), memory(16, 2, 3)};
  EXPECT_EQ(largest_live_set(memories), 128u);
  EXPECT_EQ(lay_out_arena(memories), 128u);
  EXPECT_EQ(memories[0].offset, memories[2].offset);
}

}  // namespace
}  // namespace anemone::engine
