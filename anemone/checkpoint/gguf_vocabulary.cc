#include "anemone/checkpoint/gguf_vocabulary.h"

#include <algorithm>

#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

constexpr std::int32_t kControl = 3;

// Control tokens that end a turn or a text, whatever the file's keys say: many files name one id
// only. Source: llama.cpp src/llama-vocab.cpp (special_eog_ids), which looks for these spellings
// too.
constexpr std::string_view kEndings[] = {
    "<|eot_id|>",    "<|im_end|>",         "<|end|>",    "<|return|>", "<|call|>", "<end_of_turn>",
    "<|endoftext|>", "<|end_of_text|>",    "<|eom_id|>", "<EOT>",      "_<EOT>",   "[EOT]",
    "[EOS]",         "<end_of_utterance>", "<eos>",      "</s>",
};

void require_one_each(const GgufMetadata& metadata, const char* key, std::size_t found,
                      std::size_t tokens) {
  if (found == 0 || found == tokens) return;
  bad_input(metadata.file() + ": metadata " + in_quotes(key) + " has " + std::to_string(found) +
            " elements where 'tokenizer.ggml.tokens' has " + std::to_string(tokens));
}

std::optional<std::int64_t> token_id(const GgufMetadata& metadata, const char* key,
                                     std::size_t tokens) {
  const auto id = metadata.find_count(key);
  if (id && static_cast<std::uint64_t>(*id) >= tokens) {
    bad_input(metadata.file() + ": metadata " + in_quotes(key) + " is " + std::to_string(*id) +
              "; allowed: below the number of tokens, " + std::to_string(tokens));
  }
  return id;
}

std::vector<std::int64_t> ending_ids(const GgufMetadata& metadata, const Vocabulary& vocabulary) {
  std::vector<std::int64_t> ids;
  const auto add = [&](std::int64_t id) {
    if (id != vocabulary.eos_token_id && std::find(ids.begin(), ids.end(), id) == ids.end()) {
      ids.push_back(id);
    }
  };
  for (const char* key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    if (const auto id = token_id(metadata, key, vocabulary.tokens.size())) add(*id);
  }
  for (std::size_t i = 0; i < vocabulary.token_types.size(); ++i) {
    if (vocabulary.token_types[i] != kControl) continue;
    if (std::find(std::begin(kEndings), std::end(kEndings), vocabulary.tokens[i]) !=
        std::end(kEndings)) {
      add(static_cast<std::int64_t>(i));
    }
  }
  return ids;
}

}  // namespace

std::optional<Vocabulary> gguf_vocabulary(const GgufMetadata& metadata) {
  Vocabulary made;
  made.model = metadata.find_string("tokenizer.ggml.model").value_or("");
  made.tokens = metadata.find_strings("tokenizer.ggml.tokens");
  if (made.model.empty() || made.tokens.empty()) return std::nullopt;
  made.pre = metadata.find_string("tokenizer.ggml.pre").value_or("");
  made.scores = metadata.find_floats("tokenizer.ggml.scores");
  require_one_each(metadata, "tokenizer.ggml.scores", made.scores.size(), made.tokens.size());
  for (const std::int64_t type : metadata.find_integers("tokenizer.ggml.token_type")) {
    if (type < 0 || type > INT32_MAX) {
      bad_input(metadata.file() + ": metadata 'tokenizer.ggml.token_type' holds " +
                std::to_string(type) + "; allowed: 1 to 6");
    }
    made.token_types.push_back(static_cast<std::int32_t>(type));
  }
  require_one_each(metadata, "tokenizer.ggml.token_type", made.token_types.size(),
                   made.tokens.size());
  made.merges = metadata.find_strings("tokenizer.ggml.merges");
  const std::size_t tokens = made.tokens.size();
  made.bos_token_id = token_id(metadata, "tokenizer.ggml.bos_token_id", tokens);
  made.eos_token_id = token_id(metadata, "tokenizer.ggml.eos_token_id", tokens);
  made.unknown_token_id = token_id(metadata, "tokenizer.ggml.unknown_token_id", tokens);
  made.padding_token_id = token_id(metadata, "tokenizer.ggml.padding_token_id", tokens);
  made.eog_token_ids = ending_ids(metadata, made);
  made.add_bos_token = metadata.find_bool("tokenizer.ggml.add_bos_token");
  made.add_eos_token = metadata.find_bool("tokenizer.ggml.add_eos_token");
  made.add_space_prefix = metadata.find_bool("tokenizer.ggml.add_space_prefix");
  made.remove_extra_whitespaces = metadata.find_bool("tokenizer.ggml.remove_extra_whitespaces");
  made.chat_template = metadata.find_string("tokenizer.chat_template").value_or("");
  return made;
}

}  // namespace anemone
