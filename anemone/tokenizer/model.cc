#include "anemone/tokenizer/model.h"

#include <cstdio>

#include "anemone/base/error.h"

namespace anemone {
namespace {

// WordPiece and WordLevel are rare in language models and small to get right.
constexpr std::string_view kKnown = "BPE, Unigram, WordPiece and WordLevel";

}  // namespace

std::unique_ptr<const Model> make_model(TokenizerFile& file, std::string_view what) {
  const auto found = file.rest.find("model");
  if (found == file.rest.end()) {
    throw Error(Code::kBadInput, std::string(what) + ": 'model' is missing");
  }
  const Fields fields(*found, what, "model");
  if (!file.has_vocab) {
    fields.fail(fields.has("vocab") ? "'vocab' must be an object or a list" : "'vocab' is missing");
  }
  std::string type = fields.type();
  if (type.empty()) {  // files from before there was a type
    type = file.vocab_is_list                       ? "Unigram"
           : file.has_merges                        ? "BPE"
           : fields.has("max_input_chars_per_word") ? "WordPiece"
                                                    : "WordLevel";
  }
  if (type == "BPE") return make_bpe(fields, file);
  if (type == "Unigram") return make_unigram(fields, file);
  if (type == "WordPiece") return make_word_piece(fields, file);
  if (type == "WordLevel") return make_word_level(fields, file);
  fields.refuse(kKnown);
}

std::vector<int> byte_token_ids(const TokenTable& vocab) {
  std::vector<int> ids(256, -1);
  for (unsigned byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof text, "<0x%02X>", byte);
    ids[byte] = vocab.find(text).value_or(-1);
  }
  return ids;
}

}  // namespace anemone
