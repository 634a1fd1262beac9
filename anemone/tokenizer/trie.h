#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace anemone {

// Texts, byte by byte, each with a value of at least 0. Of equal texts the first stays.
class Trie {
 public:
  static constexpr std::uint32_t kRoot = 0;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;

  Trie() : nodes_(1) {}
  explicit Trie(std::vector<std::pair<std::string_view, int>> texts);

  bool empty() const { return nodes_.size() == 1 && nodes_[0].value < 0; }
  std::uint32_t child(std::uint32_t node, unsigned char byte) const;
  // -1 where no text ends.
  int value(std::uint32_t node) const { return nodes_[node].value; }

  // Calls `found(length, value)` for each text that `text` starts with, short ones first.
  template <typename F>
  void for_each_prefix(std::string_view text, F&& found) const {
    std::uint32_t node = kRoot;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<unsigned char>(text[i]));
      if (node == kNone) return;
      if (nodes_[node].value >= 0) found(i + 1, nodes_[node].value);
    }
  }

 private:
  struct Node {
    std::uint32_t children = 0;  // the first of them; they lie side by side in order of byte
    std::uint16_t count = 0;
    unsigned char byte = 0;
    int value = -1;
  };
  std::vector<Node> nodes_;
};

}  // namespace anemone
