#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "anemone/tokenizer/token_table.h"
#include "anemone/tokenizer/tokenizer_file.h"

namespace anemone {

// Memory that a model works in, kept from word to word within one call of encode().
struct ModelScratch {
  struct Symbol {
    int id;
    std::int32_t before, behind;  // -1 at the ends; `id` is -1 when merged away
  };
  struct Candidate {
    std::uint32_t rank, at;
    int id;  // what the pair at `at` becomes
  };
  std::vector<Symbol> symbols;
  std::vector<Candidate> candidates;  // a heap, the best on top

  struct Step {  // the best way to reach a byte
    double score;
    std::int64_t from;  // -1: not reached
    int id;
  };
  std::vector<Step> steps;

  std::string text;
};

// Text to ids and back, without added tokens. Immutable.
class Model {
 public:
  virtual ~Model() = default;

  // Appends the ids of `word`, which is valid UTF-8 and not empty. Ids in `barred` (sorted) do not
  // come out, but for the unknown token. Throws Error(kBadInput) for a character that the model
  // cannot express at all.
  virtual void encode(std::string_view word, const std::vector<int>& barred, ModelScratch& scratch,
                      std::vector<int>& ids) const = 0;

  const TokenTable& vocab() const { return vocab_; }
  int unknown_id() const { return unknown_id_; }  // -1 if there is none
  // How many tokens the file lists; a Unigram list may name one twice.
  std::size_t size() const { return vocab_.size(); }

 protected:
  explicit Model(TokenTable vocab) : vocab_(std::move(vocab)) {}
  TokenTable vocab_;
  int unknown_id_ = -1;
};

// Takes the tables out of `file`. Throws Error(kBadInput, kUnsupported).
std::unique_ptr<const Model> make_model(TokenizerFile& file, std::string_view what);

std::unique_ptr<const Model> make_bpe(const Fields& fields, TokenizerFile& file);
std::unique_ptr<const Model> make_unigram(const Fields& fields, TokenizerFile& file);
std::unique_ptr<const Model> make_word_piece(const Fields& fields, TokenizerFile& file);
std::unique_ptr<const Model> make_word_level(const Fields& fields, TokenizerFile& file);

// The ids of the 256 tokens "<0x00>" to "<0xFF>", -1 where there is none.
std::vector<int> byte_token_ids(const TokenTable& vocab);

inline bool is_barred(const std::vector<int>& barred, int id) {
  return !barred.empty() && std::binary_search(barred.begin(), barred.end(), id);
}

}  // namespace anemone
