#include <algorithm>
#include <limits>

#include "anemone/base/error.h"
#include "anemone/tokenizer/model.h"
#include "anemone/tokenizer/trie.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

// How much worse than the worst piece an unknown character is.
// Source: SentencePiece, src/unigram_model.cc (kUnkPenalty).
constexpr double kUnknownPenalty = 10.0;

class Unigram : public Model {
 public:
  Unigram(const Fields& fields, TokenizerFile& file)
      : Model(std::move(file.vocab)), scores_(std::move(file.scores)) {
    if (fields.has("unk_id")) {
      if (scores_.empty()) fields.fail("'unk_id' is set, but the vocabulary is empty");
      unknown_id_ = static_cast<int>(
          fields.integer("unk_id", 0, static_cast<std::int64_t>(scores_.size()) - 1));
    }
    if (fields.flag("byte_fallback", false)) byte_ids_ = byte_token_ids(vocab_);
    double lowest = std::numeric_limits<double>::infinity();
    for (const double score : scores_) lowest = std::min(lowest, score);
    unknown_score_ = lowest - kUnknownPenalty;
    std::vector<std::pair<std::string_view, int>> pieces;
    pieces.reserve(vocab_.size());
    for (std::size_t i = vocab_.size(); i-- > 0;) {  // of two pieces of one text the last counts
      if (!vocab_.text_at(i).empty()) pieces.emplace_back(vocab_.text_at(i), vocab_.id_at(i));
    }
    trie_ = Trie(std::move(pieces));
  }

  void encode(std::string_view word, const std::vector<int>& barred, ModelScratch& scratch,
              std::vector<int>& ids) const override {
    find_best_path(word, barred, scratch);
    // From the end to the start, then turned round. Neighbouring unknown characters are one piece.
    auto& steps = scratch.steps;
    const std::size_t start = ids.size();
    std::size_t end = word.size();
    while (end > 0) {
      std::size_t begin = static_cast<std::size_t>(steps[end].from);
      if (steps[end].id == unknown_id_) {
        while (begin > 0 && steps[begin].id == unknown_id_) {
          begin = static_cast<std::size_t>(steps[begin].from);
        }
      }
      append_reversed(word.substr(begin, end - begin), barred, ids);
      end = begin;
    }
    std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(start), ids.end());
  }

 private:
  // Sums in double and replaces a path only by a better one, so that ties fall as in the reference.
  void find_best_path(std::string_view word, const std::vector<int>& barred,
                      ModelScratch& scratch) const {
    auto& steps = scratch.steps;
    steps.assign(word.size() + 1, {0.0, -1, 0});
    for (std::size_t at = 0; at < word.size(); at += utf8_length(word[at])) {
      const double so_far = steps[at].score;
      const std::size_t length = utf8_length(word[at]);
      bool has_single = false;
      const auto reach = [&](std::size_t end, int id, double score) {
        auto& step = steps[end];
        if (step.from < 0 || score > step.score) {
          step = {score, static_cast<std::int64_t>(at), id};
        }
      };
      trie_.for_each_prefix(word.substr(at), [&](std::size_t size, int id) {
        if (is_barred(barred, id)) return;
        reach(at + size, id, scores_[static_cast<std::size_t>(id)] + so_far);
        has_single = has_single || size == length;
      });
      if (!has_single) {
        if (unknown_id_ < 0) refuse(word.substr(at, length));
        reach(at + length, unknown_id_, unknown_score_ + so_far);
      }
    }
  }

  void append_reversed(std::string_view piece, const std::vector<int>& barred,
                       std::vector<int>& ids) const {
    if (const auto id = vocab_.find(piece); id && !is_barred(barred, *id)) {
      ids.push_back(*id);
      return;
    }
    if (!byte_ids_.empty() && std::all_of(piece.begin(), piece.end(), [&](char c) {
          return byte_ids_[static_cast<unsigned char>(c)] >= 0;
        })) {
      for (std::size_t i = piece.size(); i-- > 0;) {
        ids.push_back(byte_ids_[static_cast<unsigned char>(piece[i])]);
      }
      return;
    }
    if (unknown_id_ < 0) refuse(piece);
    ids.push_back(unknown_id_);
  }

  [[noreturn]] static void refuse(std::string_view piece) {
    throw Error(Code::kBadInput, "the text has a character without a token, '" +
                                     std::string(piece) + "', and the model has no unknown token");
  }

  std::vector<double> scores_;
  double unknown_score_ = 0;
  std::vector<int> byte_ids_;
  Trie trie_;
};

}  // namespace

std::unique_ptr<const Model> make_unigram(const Fields& fields, TokenizerFile& file) {
  if (!file.vocab_is_list) fields.fail("'vocab' must be a list of texts with their scores");
  return std::make_unique<Unigram>(fields, file);
}

}  // namespace anemone
