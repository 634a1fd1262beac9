#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/tokenizer/tokenizer_file.h"

namespace anemone {

// Text on its way through normalizers. `from_start` counts the leading bytes that stand for the
// very first character of the whole text: the pre-tokenizer Metaspace asks whether a piece begins
// there.
struct NormalText {
  std::string text;
  std::size_t from_start = 0;
};

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(NormalText& text) const = 0;
};

std::unique_ptr<const Normalizer> make_normalizer(const Fields& fields);

// The table of SentencePiece's "nmt_nfkc" and its like, as tokenizer.json carries it: base64 of the
// size of a double-array trie, the trie, and the texts that its values point into.
// Source: SentencePiece, src/normalizer.cc.
class Charsmap {
 public:
  // Throws Error(kBadInput) with the place of `fields`.
  Charsmap(std::string_view base64, const Fields& fields);
  std::string apply(std::string_view text) const;

 private:
  // What stands for `text` if a key of the table starts it; of several keys the shortest counts.
  bool find(std::string_view text, std::string_view& replacement) const;

  std::vector<std::uint32_t> units_;
  std::string texts_;
};

}  // namespace anemone
