#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "anemone/tokenizer/pre_tokenizer.h"

namespace anemone {

// What becomes of a match: dropped, a piece of its own, joined to a neighbour, or (contiguous)
// joined to the matches right beside it.
enum class Behavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };
std::optional<Behavior> find_behavior(std::string_view name);

// The matches of one piece and what lies between them, in order.
class Cuts {
 public:
  struct Cut {
    std::size_t begin, end;
    bool matched;
  };
  void clear() {
    cuts_.clear();
    done_ = 0;
  }
  void match(std::size_t begin, std::size_t end) {
    if (done_ < begin) cuts_.push_back({done_, begin, false});
    cuts_.push_back({begin, end, true});
    done_ = end;
  }
  // `size` is that of the piece; `invert` swaps matches with what lies between them.
  void finish(std::size_t size, bool invert) {
    if (done_ < size) cuts_.push_back({done_, size, false});
    for (Cut& cut : cuts_) cut.matched = cut.matched != invert;
  }
  const std::vector<Cut>& all() const { return cuts_; }

 private:
  std::vector<Cut> cuts_;
  std::size_t done_ = 0;
};

// Turns cuts into pieces (begin, end) by `behavior`; some may be empty.
void resolve_cuts(const std::vector<Cuts::Cut>& cuts, Behavior behavior,
                  std::vector<std::pair<std::size_t, std::size_t>>& pieces);

// Cuts every piece that is no added token: `cut(text, cuts)` says where. Empty pieces vanish.
template <typename F>
void split_pieces(Pieces& pieces, Behavior behavior, F&& cut) {
  std::vector<Pieces::Piece> out;
  out.reserve(pieces.pieces.size());
  Cuts cuts;
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (const Pieces::Piece& piece : pieces.pieces) {
    if (piece.id >= 0) {
      out.push_back(piece);
      continue;
    }
    cuts.clear();
    cut(pieces.view(piece), cuts);
    resolve_cuts(cuts.all(), behavior, parts);
    for (const auto& [begin, end] : parts) {
      if (begin == end) continue;
      const std::size_t from_start =
          piece.from_start > begin ? std::min(piece.from_start, end) - begin : 0;
      out.push_back({piece.begin + begin, piece.begin + end, from_start, -1});
    }
  }
  pieces.pieces = std::move(out);
}

// Writes every piece that is no added token anew: `write(piece, text, out)` appends to `out` and
// keeps piece.from_start right.
template <typename F>
void rewrite_pieces(Pieces& pieces, F&& write) {
  std::string out;
  out.reserve(pieces.text.size() + pieces.text.size() / 4);
  for (Pieces::Piece& piece : pieces.pieces) {
    if (piece.id >= 0) continue;
    const std::string_view text = pieces.view(piece);
    piece.begin = out.size();
    write(piece, text, out);
    piece.end = out.size();
  }
  pieces.text = std::move(out);
}

}  // namespace anemone
