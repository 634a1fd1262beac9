#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anemone {

// A tokenizer's raw material as a GGUF file carries it, handed from the reader (checkpoint/) to the
// tokenizer (tokenizer/) as plain data. Field names follow the keys tokenizer.ggml.*.
// Source: ggml-org/ggml docs/gguf.md, "Tokenizer".
struct Vocabulary {
  std::string model;  // "gpt2" (byte-level BPE), "llama" (SentencePiece)
  std::string pre;    // which pre-tokenizer a gpt2-style vocabulary was made with; may be empty
  std::vector<std::string> tokens;
  std::vector<float> scores;              // empty, or one a token
  std::vector<std::int32_t> token_types;  // empty, or one a token: 1 normal, 2 unknown, 3 control,
                                          // 4 user defined, 5 unused, 6 byte
  std::vector<std::string> merges;        // "left right", best first
  std::optional<std::int64_t> bos_token_id, eos_token_id, unknown_token_id, padding_token_id;
  std::vector<std::int64_t> eog_token_ids;  // further ids that end generation (eot, eom, ...)
  std::optional<bool> add_bos_token, add_eos_token, add_space_prefix, remove_extra_whitespaces;
  std::string chat_template;  // empty when the file has none
};

}  // namespace anemone
