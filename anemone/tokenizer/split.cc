#include "anemone/tokenizer/split.h"

#include <algorithm>

namespace anemone {
namespace {

struct Name {
  std::string_view name;
  Behavior behavior;
};
constexpr Name kNames[] = {{"Removed", Behavior::kRemoved},
                           {"Isolated", Behavior::kIsolated},
                           {"MergedWithPrevious", Behavior::kMergedWithPrevious},
                           {"MergedWithNext", Behavior::kMergedWithNext},
                           {"Contiguous", Behavior::kContiguous}};

}  // namespace

std::optional<Behavior> find_behavior(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.name == name) return known.behavior;
  }
  return std::nullopt;
}

void resolve_cuts(const std::vector<Cuts::Cut>& cuts, Behavior behavior,
                  std::vector<std::pair<std::size_t, std::size_t>>& pieces) {
  pieces.clear();
  bool last_matched = false;
  if (behavior == Behavior::kMergedWithNext) {  // the mirror image of MergedWithPrevious
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      if (cut->matched && !last_matched && !pieces.empty()) {
        pieces.back().first = cut->begin;
      } else {
        pieces.emplace_back(cut->begin, cut->end);
      }
      last_matched = cut->matched;
    }
    std::reverse(pieces.begin(), pieces.end());
    return;
  }
  for (const Cuts::Cut& cut : cuts) {
    bool join = false;
    if (behavior == Behavior::kRemoved && cut.matched) continue;
    if (behavior == Behavior::kMergedWithPrevious) join = cut.matched && !last_matched;
    if (behavior == Behavior::kContiguous) join = cut.matched == last_matched;
    if (join && !pieces.empty()) {
      pieces.back().second = cut.end;
    } else {
      pieces.emplace_back(cut.begin, cut.end);
    }
    last_matched = cut.matched;
  }
}

}  // namespace anemone
