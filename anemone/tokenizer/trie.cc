#include "anemone/tokenizer/trie.h"

#include <algorithm>

namespace anemone {

Trie::Trie(std::vector<std::pair<std::string_view, int>> texts) : nodes_(1) {
  std::stable_sort(texts.begin(), texts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // Level by level, so that a node's children come out side by side. Each node of a level stands
  // for the texts [begin, end) that share its first `depth` bytes.
  struct Range {
    std::uint32_t begin, end;
  };
  std::vector<Range> level = {{0, static_cast<std::uint32_t>(texts.size())}}, below;
  std::size_t node = 0;
  for (std::size_t depth = 0; !level.empty(); ++depth) {
    below.clear();
    for (auto [at, end] : level) {
      while (at < end && texts[at].first.size() == depth) {
        if (nodes_[node].value < 0) nodes_[node].value = texts[at].second;
        ++at;
      }
      nodes_[node].children = static_cast<std::uint32_t>(nodes_.size());
      while (at < end) {
        const char byte = texts[at].first[depth];
        const std::uint32_t begin = at;
        while (at < end && texts[at].first[depth] == byte) ++at;
        Node child;
        child.byte = static_cast<unsigned char>(byte);
        nodes_.push_back(child);
        ++nodes_[node].count;
        below.push_back({begin, at});
      }
      ++node;
    }
    level.swap(below);
  }
}

std::uint32_t Trie::child(std::uint32_t node, unsigned char byte) const {
  const Node& from = nodes_[node];
  std::uint32_t low = from.children, high = from.children + from.count;
  if (from.count == 256) return low + byte;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (nodes_[middle].byte < byte) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < from.children + from.count && nodes_[low].byte == byte ? low : kNone;
}

}  // namespace anemone
