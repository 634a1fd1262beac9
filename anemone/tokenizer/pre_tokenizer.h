#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/tokenizer/tokenizer_file.h"

namespace anemone {

// A text cut into pieces, from left to right. A pre-tokenizer cuts further, and may rewrite.
struct Pieces {
  struct Piece {
    std::size_t begin = 0, end = 0;  // in `text`
    // The leading bytes that stand for the first character of the whole text; see NormalText.
    std::size_t from_start = 0;
    int id = -1;  // of an added token: such a piece stays as it is
  };
  std::string text;
  std::vector<Piece> pieces;

  std::string_view view(const Piece& piece) const {
    return std::string_view(text).substr(piece.begin, piece.end - piece.begin);
  }
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void apply(Pieces& pieces) const = 0;
};

std::unique_ptr<const PreTokenizer> make_pre_tokenizer(const Fields& fields);

}  // namespace anemone
