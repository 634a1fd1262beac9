#include "anemone/ladder/search.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace anemone::ladder {
namespace {

// A graph fails on it if it holds all of some cause.
struct Machine {
  std::vector<Suspects> causes;
  bool fails(Suspects set) const {
    return std::any_of(causes.begin(), causes.end(),
                       [&](Suspects cause) { return (set & cause) == cause; });
  }
};

struct Path {
  Conclusion end;
  int experiments = 0;
};

Suspects one(int i) { return Suspects{1} << i; }

// Follows the search to its end, and holds every conclusion on the way against the truth.
Path follow(const Machine& machine, int n) {
  Knowledge knowledge(n);
  Path run;
  for (;; ++run.experiments) {
    run.end = conclude(knowledge);
    for (int i = 0; i < n; ++i) {
      const Standing standing = run.end.standings[static_cast<std::size_t>(i)];
      const bool is_single = machine.fails(one(i));
      bool takes_part = false;
      for (const Suspects cause : machine.causes) takes_part |= (cause & one(i)) != 0;
      const bool is_true = standing == Standing::kSupported    ? is_single
                           : standing == Standing::kRefuted    ? !takes_part
                           : standing == Standing::kConfounded ? takes_part
                                                               : true;
      EXPECT_TRUE(is_true) << n << ' ' << i;
    }
    if (!run.end.next) return run;
    if (run.experiments > 400) {
      ADD_FAILURE() << "no end with " << n;
      return run;
    }
    const Suspects next = *run.end.next;
    if (machine.fails(next)) {
      knowledge.add_failed(next);
    } else {
      knowledge.add_passed(next);
    }
  }
}

int ceil_log2(int n) {
  int bits = 0;
  while ((1 << bits) < n) ++bits;
  return bits;
}

constexpr int kMost = 20;

TEST(Search, FindsEverySingleCauseInLogarithmicallyManyExperiments) {
  for (int n = 1; n <= 64; ++n) {
    for (int cause = 0; cause < n; ++cause) {
      const Path run = follow({{one(cause)}}, n);
      ASSERT_TRUE(run.end.is_complete);
      EXPECT_EQ(run.end.causes, std::vector<Suspects>{one(cause)});
      EXPECT_LE(run.experiments, ceil_log2(n) + 2) << n << ' ' << cause;
    }
  }
}

TEST(Search, ClearsEverybodyWhereThereIsNoCause) {
  for (int n = 0; n <= 64; ++n) {
    const Path run = follow({}, n);
    EXPECT_TRUE(run.end.is_complete);
    EXPECT_TRUE(run.end.causes.empty());
    EXPECT_LE(run.experiments, ceil_log2(std::max(n, 1)) + 2) << n;
  }
}

TEST(Search, FindsBothOfEveryPairOfCauses) {
  for (int n = 2; n <= kMost; ++n) {
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        Path run = follow({{one(a), one(b)}}, n);
        std::sort(run.end.causes.begin(), run.end.causes.end());
        ASSERT_TRUE(run.end.is_complete);
        EXPECT_EQ(run.end.causes, (std::vector<Suspects>{one(a), one(b)})) << n;
        EXPECT_LE(run.experiments, 2 * (ceil_log2(n) + 2)) << n;
      }
    }
  }
}

TEST(Search, NamesExactlyThePairThatFailsOnlyTogether) {
  for (int n = 2; n <= kMost; ++n) {
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        const Path run = follow({{one(a) | one(b)}}, n);
        ASSERT_TRUE(run.end.is_complete);
        EXPECT_EQ(run.end.causes, std::vector<Suspects>{one(a) | one(b)}) << n;
        EXPECT_EQ(run.end.standings[static_cast<std::size_t>(a)], Standing::kConfounded);
        EXPECT_EQ(run.end.standings[static_cast<std::size_t>(b)], Standing::kConfounded);
        EXPECT_LE(run.experiments, 2 * ceil_log2(n) + 6) << n;
      }
    }
  }
}

TEST(Search, FindsAllCausesOfAnyKindThatAreMixed) {
  std::uint64_t seed = 20261130;
  const auto draw = [&](std::uint64_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
  };
  for (int round = 0; round < 300; ++round) {
    const int n = 3 + static_cast<int>(draw(10));
    Machine machine;
    for (std::uint64_t count = 1 + draw(3); count > 0; --count) {
      Suspects cause = 0;
      for (std::uint64_t size = 1 + draw(3); size > 0; --size) {
        cause |= one(static_cast<int>(draw(static_cast<std::uint64_t>(n))));
      }
      machine.causes.push_back(cause);
    }
    // Those that hold another one are no causes of their own.
    std::vector<Suspects> smallest;
    for (const Suspects cause : machine.causes) {
      bool holds_other = std::find(smallest.begin(), smallest.end(), cause) != smallest.end();
      for (const Suspects other : machine.causes) {
        holds_other |= other != cause && (cause & other) == other;
      }
      if (!holds_other) smallest.push_back(cause);
    }
    std::sort(smallest.begin(), smallest.end());
    machine.causes = smallest;
    Path run = follow(machine, n);
    std::sort(run.end.causes.begin(), run.end.causes.end());
    EXPECT_TRUE(run.end.is_complete) << round;
    EXPECT_EQ(run.end.causes, smallest) << round;
  }
}

TEST(Search, TakesEarlierResultsIntoAccount) {
  Knowledge knowledge(8);
  for (int i = 0; i < 8; ++i) {
    if (i == 3) {
      knowledge.add_failed(one(i));
    } else {
      knowledge.add_passed(one(i));
    }
  }
  EXPECT_EQ(conclude(knowledge).next, Suspects{0b11110111});
  knowledge.add_passed(0xff & ~one(3));
  const Conclusion end = conclude(knowledge);
  EXPECT_TRUE(end.is_complete);
  EXPECT_EQ(end.causes, std::vector<Suspects>{one(3)});
}

TEST(Search, SaysNothingOfWhatContradictsItself) {
  Knowledge knowledge(4);
  knowledge.add_failed(0b0010);
  knowledge.add_passed(0b0111);
  EXPECT_EQ(knowledge.contradiction(), (std::pair<Suspects, Suspects>{0b0010, 0b0111}));
  const Conclusion end = conclude(knowledge);
  EXPECT_FALSE(end.is_complete);
  EXPECT_EQ(end.standings, (std::vector<Standing>{Standing::kConfounded, Standing::kConfounded,
                                                  Standing::kConfounded, Standing::kUndecided}));
}

TEST(Search, WorksAroundAnExperimentThatToldNothing) {
  Knowledge knowledge(4);
  EXPECT_EQ(conclude(knowledge).next, Suspects{0b0011});
  knowledge.add_unclear(0b0011);
  EXPECT_EQ(conclude(knowledge).next, Suspects{0b0001});
  for (const Suspects set :
       {0b0001u, 0b0010u, 0b0100u, 0b1000u, 0b1111u, 0b1110u, 0b1101u, 0b1011u, 0b0111u}) {
    knowledge.add_unclear(set);
  }
  const Conclusion end = conclude(knowledge);
  EXPECT_FALSE(end.next.has_value());
  EXPECT_FALSE(end.is_complete);
}

}  // namespace
}  // namespace anemone::ladder
