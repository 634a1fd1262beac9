#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anemone {

// How a family of byte-level vocabularies cuts words: what a tokenizer.json would spell out and a
// GGUF file only names (tokenizer.ggml.pre).
struct KnownPreTokenizer {
  std::string_view pre_tokenizer;  // JSON: the steps of a Sequence before the final ByteLevel
  bool no_byte_level = false;      // there is a ByteLevel among the steps already
  bool gpt2_words = false;         // the final ByteLevel cuts words as GPT-2 does
  bool nfc = false;
  bool ignore_merges = false;
  bool add_bos = false;  // when the file does not say
};

// Null if nobody knows `name`.
const KnownPreTokenizer* find_known_pre_tokenizer(std::string_view name);
// "a, b and c".
std::string known_pre_tokenizer_names();

}  // namespace anemone
