#include "anemone/cli/nearest.h"

#include <numeric>

namespace anemone::cli {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before, last(b.size() + 1), next(b.size() + 1);
  std::iota(last.begin(), last.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({change, last[j] + 1, next[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    before = last;
    std::swap(last, next);
  }
  return last[b.size()];
}

std::string suggestion(std::string_view word, std::span<const std::string_view> names) {
  if (word.size() > 64) return "";
  std::string_view best;
  // Half the word may be wrong, but no more.
  int least = static_cast<int>(word.size()) / 2 + 1;
  for (const std::string_view name : names) {
    int distance = edit_distance(word, name);
    // A beginning, or the word without its dashes, is as near as a slip of the finger.
    const auto bare = [](std::string_view text) {
      return text.substr(std::min(text.find_first_not_of('-'), text.size()));
    };
    if (bare(word).size() >= 3 && bare(name).starts_with(bare(word)))
      distance = std::min(distance, 1);
    if (distance < least) {
      least = distance;
      best = name;
    }
  }
  return best.empty() ? "" : "; did you mean '" + std::string(best) + "'?";
}

}  // namespace anemone::cli
