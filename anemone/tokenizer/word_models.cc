#include "anemone/base/error.h"
#include "anemone/tokenizer/model.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

// Words are looked up whole, or cut greedily into the longest pieces from the left.
class WordModel : public Model {
 public:
  WordModel(const Fields& fields, TokenizerFile& file, bool pieces)
      : Model(std::move(file.vocab)), pieces_(pieces) {
    unknown_ = fields.text("unk_token", pieces ? "[UNK]" : "<unk>");
    unknown_id_ = vocab_.find(unknown_).value_or(-1);
    if (!pieces) return;
    prefix_ = fields.text("continuing_subword_prefix", "##");
    if (fields.has("max_input_chars_per_word")) {
      max_codes_ = static_cast<std::size_t>(
          fields.integer("max_input_chars_per_word", 0, std::int64_t{1} << 40));
    }
    for (std::size_t i = 0; i < vocab_.size(); ++i) {
      longest_ = std::max(longest_, vocab_.text_at(i).size());
    }
  }

  void encode(std::string_view word, const std::vector<int>& barred, ModelScratch& scratch,
              std::vector<int>& ids) const override {
    if (!pieces_) {
      const auto id = vocab_.find(word);
      ids.push_back(id && !is_barred(barred, *id) ? *id : unknown(word));
      return;
    }
    const std::size_t start = ids.size();
    if (count_codes(word) > max_codes_ || !cut(word, barred, scratch.text, ids)) {
      ids.resize(start);
      ids.push_back(unknown(word));
    }
  }

 private:
  bool cut(std::string_view word, const std::vector<int>& barred, std::string& text,
           std::vector<int>& ids) const {
    for (std::size_t at = 0; at < word.size();) {
      std::size_t end = std::min(word.size(), at + longest_);
      while (end < word.size() && end > at &&
             (static_cast<unsigned char>(word[end]) & 0xC0) == 0x80)
        --end;
      for (; end > at; end = previous_start(word, end)) {
        text = at > 0 ? prefix_ : "";
        text += word.substr(at, end - at);
        const auto id = vocab_.find(text);
        if (!id || is_barred(barred, *id)) continue;
        ids.push_back(*id);
        break;
      }
      if (end <= at) return false;
      at = end;
    }
    return true;
  }

  int unknown(std::string_view word) const {
    if (unknown_id_ < 0) {
      throw Error(Code::kBadInput,
                  "the text has a word without a token, '" + std::string(first_codes(word, 20)) +
                      "', and the unknown token '" + unknown_ + "' is not in the vocabulary");
    }
    return unknown_id_;
  }

  bool pieces_;
  std::string unknown_, prefix_;
  std::size_t max_codes_ = 100;  // Source: tokenizers 0.23.3, WordPiece's default
  std::size_t longest_ = 0;
};

}  // namespace

std::unique_ptr<const Model> make_word_piece(const Fields& fields, TokenizerFile& file) {
  if (file.vocab_is_list) fields.fail("'vocab' must be an object");
  return std::make_unique<WordModel>(fields, file, true);
}

std::unique_ptr<const Model> make_word_level(const Fields& fields, TokenizerFile& file) {
  if (file.vocab_is_list) fields.fail("'vocab' must be an object");
  return std::make_unique<WordModel>(fields, file, false);
}

}  // namespace anemone
