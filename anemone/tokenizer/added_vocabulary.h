#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anemone/tokenizer/model.h"
#include "anemone/tokenizer/normalizer.h"
#include "anemone/tokenizer/regex.h"
#include "anemone/tokenizer/tokenizer.h"
#include "anemone/tokenizer/trie.h"

namespace anemone {

// The added tokens of a tokenizer.json, and where they stand in a text.
class AddedVocabulary {
 public:
  // `normalizer` may be null. A token of the model's vocabulary keeps its id; the others follow the
  // vocabulary in the order of the file, as in the reference, whatever ids the file gives them.
  AddedVocabulary(const TokenizerFile& file, const Model& model, const Normalizer* normalizer,
                  std::string_view what);

  const std::vector<AddedToken>& tokens() const { return tokens_; }  // in order of id
  std::optional<int> find_id(std::string_view content) const;
  const AddedToken* find(int id) const;
  // What the token decodes to: a normalized token stands for the normalized text that it was found
  // as.
  std::string_view decoded(const AddedToken& token) const;
  // By its text: a token counts as special if any token of that text does.
  bool is_special(std::string_view text) const;

  struct Span {
    std::size_t begin, end;
    int id;  // -1: plain text
  };
  // Cuts `text` at the tokens that are looked for before normalization (or after it). With
  // `special` false, special tokens are not looked for.
  std::vector<Span> split(std::string_view text, bool normalized, bool special) const;

 private:
  void add(AddedToken token, const Model& model);
  void build_tries(const Normalizer* normalizer);
  bool at_word_border(std::string_view text, std::size_t at) const;

  std::vector<AddedToken> tokens_;
  std::unordered_map<std::string, int> ids_;     // by content
  std::unordered_map<int, std::size_t> places_;  // in tokens_, by id
  std::unordered_set<std::string> special_;
  std::unordered_map<int, std::string> decoded_;  // of normalized tokens, by id
  int highest_id_ = -1;
  Trie raw_, normalized_;  // values are ids
  std::optional<Regex> word_;
};

}  // namespace anemone
