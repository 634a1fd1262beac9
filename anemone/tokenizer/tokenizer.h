#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/vocabulary.h"

namespace anemone {

// A token that stands beside the model's vocabulary: it is found in the text before anything else
// looks at it. Field names are those of tokenizer.json.
struct AddedToken {
  int id = 0;
  std::string content;
  bool single_word = false;  // matches only between word borders
  bool lstrip = false;       // takes the white space on its left with it
  bool rstrip = false;       // and on its right
  bool normalized = false;   // looked for in the normalized text, not in the text as it came
  bool special = false;      // a control token: skipped by DecodeOptions::skip_special
};

// What a tokenizer.json says: text to ids and back. Immutable; safe to share between threads.
// Truncation and padding sections are not applied: they belong to batches, not to the vocabulary.
class Tokenizer {
 public:
  // Parses a Hugging Face tokenizer.json. `what` (a file's name) starts every message.
  // Throws Error(kBadInput) for what breaks the format, Error(kUnsupported), by name, for a
  // component that anemone does not know.
  static Tokenizer from_json(std::string_view text, std::string_view what);

  Tokenizer(Tokenizer&&) noexcept;
  Tokenizer& operator=(Tokenizer&&) noexcept;
  ~Tokenizer();

  struct EncodeOptions {
    bool add_special = true;  // adds what the post-processor adds (BOS, EOS)
    // False: text that spells a control token stays text, and no id of a control token comes out
    // but those of the post-processor and the unknown token. For content from strangers.
    bool parse_special = true;
  };
  // Takes any bytes: broken UTF-8 becomes U+FFFD first, one for each maximal subpart, as Python's
  // errors="replace" does. Throws Error(kLimit) if a pattern of the file needs more steps than
  // allowed, Error(kBadInput) if the text has a character that the model has no token for, not even
  // an unknown.
  std::vector<int> encode(std::string_view text, EncodeOptions options) const;
  std::vector<int> encode(std::string_view text) const { return encode(text, EncodeOptions()); }

  struct DecodeOptions {
    bool skip_special = false;  // leaves out added tokens with special = true
  };
  // Always valid UTF-8; an id without a token is nothing. Never tidies spaces.
  std::string decode(std::span<const int> ids, DecodeOptions options) const;
  std::string decode(std::span<const int> ids) const { return decode(ids, DecodeOptions()); }

  std::optional<int> token_id(std::string_view token) const;
  // The token's spelling in the file, e.g. "Ġthe". Lives as long as the tokenizer.
  std::optional<std::string_view> token(int id) const;
  bool is_special(int id) const;
  // 1 + the highest id; a model's embedding may have more rows.
  int vocab_size() const;
  // In order of id.
  const std::vector<AddedToken>& added_tokens() const;
  // The ids that the post-processor puts before and after a text.
  const std::vector<int>& prefix_ids() const;
  const std::vector<int>& suffix_ids() const;

 private:
  friend class StreamDecoder;
  struct Parts;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  std::unique_ptr<const Parts> parts_;
};

// Decodes ids one at a time. The texts of all push() calls and of flush(), joined, are what
// Tokenizer::decode says of all the ids. A character comes out when its last byte has come in;
// U+FFFD comes out only for bytes that no later byte can mend. The tokenizer must outlive it.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer,
                         Tokenizer::DecodeOptions options = Tokenizer::DecodeOptions());
  StreamDecoder(StreamDecoder&&) noexcept;
  StreamDecoder& operator=(StreamDecoder&&) noexcept;
  ~StreamDecoder();

  // The text that became certain with this id; often empty.
  std::string push(int id);
  // The rest; the decoder is then as new.
  std::string flush();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The vocabulary of a GGUF file as the text of a tokenizer.json, so that a bundle always carries
// one. `pre_override`, when not empty, stands in for vocabulary.pre. Throws Error(kUnsupported) for
// a model or a pre-tokenizer that anemone does not know, and Error(kBadInput) for a vocabulary that
// contradicts itself; messages start with `what`.
std::string tokenizer_json_from_vocabulary(const Vocabulary& vocabulary, std::string_view what,
                                           std::string_view pre_override = "");

}  // namespace anemone
