#include "anemone/lint/facts.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "anemone/lint/lint.h"

namespace anemone::lint {
namespace {

// How many rows each group of the table has.
const std::map<char, int> kRows = {{'T', 14}, {'L', 20}, {'O', 40}, {'S', 12}, {'K', 20},
                                   {'W', 30}, {'N', 20}, {'H', 12}, {'R', 22}};

TEST(Facts, AreAllThereAndNoneTwice) {
  std::set<std::string> expected, found;
  for (const auto& [group, rows] : kRows) {
    for (int row = 1; row <= rows; ++row) {
      expected.insert(std::string(1, group) + (row < 10 ? "0" : "") + std::to_string(row));
    }
  }
  for (const Fact& fact : facts()) {
    EXPECT_TRUE(found.insert(std::string(fact.id)).second) << fact.id << " twice";
    EXPECT_FALSE(fact.says.empty()) << fact.id;
    EXPECT_EQ(find_fact(fact.id), &fact);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(find_fact("Z01"), nullptr);
}

TEST(Facts, EachHaveARuleOrAReasonAndNotBoth) {
  std::set<std::string_view> covered;
  for (const Rule* rule : rules()) {
    for (const std::string_view id : rule->facts) {
      EXPECT_NE(find_fact(id), nullptr) << rule->id << " names " << id;
      covered.insert(id);
    }
  }
  for (const Fact& fact : facts()) {
    EXPECT_NE(covered.count(fact.id) != 0, !fact.why_not.empty()) << fact.id;
  }
  EXPECT_GE(covered.size(), 90u);
}

}  // namespace
}  // namespace anemone::lint
