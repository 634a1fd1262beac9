#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/tokenizer/token_table.h"

namespace anemone {

// Ids leave room for added tokens behind them.
inline constexpr int kMaxTokenId = (1 << 30) - 1;

// Pairs of texts, end to end in one string.
class MergeList {
 public:
  void add(std::string_view left, std::string_view right);
  std::size_t size() const { return ends_.size() / 2; }
  std::string_view left(std::size_t i) const { return part(2 * i); }
  std::string_view right(std::size_t i) const { return part(2 * i + 1); }

 private:
  std::string_view part(std::size_t i) const;
  std::string texts_;
  std::vector<std::uint32_t> ends_;
};

// A tokenizer.json, read in one pass: its bulk (vocabulary, merges) packed, the rest as JSON.
struct TokenizerFile {
  // The whole file but for model.vocab and model.merges.
  Json rest;
  bool has_vocab = false, has_merges = false;
  bool vocab_is_list = false;  // Unigram: [["piece", score], ...]; ids count up from 0
  TokenTable vocab;
  std::vector<double> scores;  // of a list, by id
  MergeList merges;
};

// Throws Error(kBadInput); messages start with `what`.
TokenizerFile read_tokenizer_file(std::string_view text, std::string_view what);

// A part of a tokenizer.json: an object with a "type". Every message names file, place and type.
class Fields {
 public:
  // `where` is the place inside the file: "pre_tokenizer.pretokenizers[1]".
  Fields(const Json& json, std::string_view what, std::string where);

  const std::string& type() const { return type_; }
  const std::string& where() const { return where_; }
  std::string name() const;  // "tokenizer.json: decoder (Strip)"
  [[noreturn]] void fail(const std::string& why) const;
  // The type is not one that anemone knows.
  [[noreturn]] void refuse(std::string_view known) const;

  bool has(const char* key) const;  // and is not null
  const Json& at(const char* key) const;
  bool flag(const char* key, bool otherwise) const;
  std::string text(const char* key) const;
  std::string text(const char* key, std::string_view otherwise) const;
  char32_t character(const char* key) const;  // a text of exactly one character
  std::int64_t integer(const char* key, std::int64_t low, std::int64_t high) const;
  // The parts of a list, each with its own place.
  std::vector<Fields> list(const char* key) const;

 private:
  const Json* json_;
  std::string_view what_;
  std::string where_, type_;
};

}  // namespace anemone
