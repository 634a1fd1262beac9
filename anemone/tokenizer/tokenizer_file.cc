#include "anemone/tokenizer/tokenizer_file.h"

#include <limits>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

constexpr std::size_t kMaxDepth = 64;
constexpr std::size_t kMaxFileBytes = std::numeric_limits<std::uint32_t>::max();

// Takes the events of nlohmann's parser: model.vocab and model.merges go straight into packed
// tables (a tree of 300,000 small nodes takes a second to build), the rest into a tree.
class Reader : public nlohmann::json_sax<Json> {
 public:
  Reader(std::string_view what, TokenizerFile& file) : what_(what), file_(file) {}

  bool null() override { return value(nullptr); }
  bool boolean(bool v) override { return value(v); }
  bool number_integer(number_integer_t v) override {
    if (at_ == At::kVocab) fail_vocab("has the id " + std::to_string(v));
    if (at_ == At::kPiece) return score(static_cast<double>(v));
    return value(v);
  }
  bool number_unsigned(number_unsigned_t v) override {
    if (at_ == At::kPiece) return score(static_cast<double>(v));
    if (at_ != At::kVocab) return value(v);
    if (v > static_cast<number_unsigned_t>(kMaxTokenId)) {
      fail_vocab("has the id " + std::to_string(v));
    }
    if (!file_.vocab.add(key_, static_cast<int>(v))) {
      fail("model.vocab: the token '" + key_ + "' stands twice");
    }
    return true;
  }
  bool number_float(number_float_t v, const string_t& text) override {
    if (at_ == At::kVocab) fail_vocab("has the id " + text);
    if (at_ == At::kPiece) return score(v);
    return value(v);
  }
  bool string(string_t& v) override {
    switch (at_) {
      case At::kMerges:
        merge_line(v);
        return true;
      case At::kMerge:
      case At::kPiece:
        if (parts_ >= (at_ == At::kMerge ? 2 : 1)) fail_item();
        (parts_++ == 0 ? first_ : second_) = v;
        return true;
      default:
        return value(std::move(v));
    }
  }
  bool binary(binary_t&) override { fail("has binary data"); }

  bool start_object(std::size_t) override {
    if (starts_bulk("vocab")) {
      at_ = At::kVocab;
      file_.has_vocab = true;
      return true;
    }
    return open(Json::object());
  }
  bool key(string_t& v) override {
    if (at_ == At::kTree) {
      if (stack_.back()->contains(v) || (in_model() && ((v == "vocab" && file_.has_vocab) ||
                                                        (v == "merges" && file_.has_merges)))) {
        fail("the key '" + v + "' stands twice in one object");
      }
      if (stack_.size() == 1) top_key_ = v;
    }
    key_ = std::move(v);
    return true;
  }
  bool end_object() override {
    if (at_ == At::kVocab) {
      at_ = At::kTree;
    } else {
      stack_.pop_back();
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (starts_bulk("vocab")) {
      at_ = At::kPieces;
      file_.has_vocab = file_.vocab_is_list = true;
    } else if (starts_bulk("merges")) {
      at_ = At::kMerges;
      file_.has_merges = true;
    } else if (at_ == At::kPieces || at_ == At::kMerges) {
      at_ = at_ == At::kPieces ? At::kPiece : At::kMerge;
      parts_ = 0;
    } else {
      return open(Json::array());
    }
    return true;
  }
  bool end_array() override {
    switch (at_) {
      case At::kPieces:
      case At::kMerges:
        at_ = At::kTree;
        return true;
      case At::kPiece:
        if (parts_ != 2) fail_item();
        file_.vocab.put(first_, static_cast<int>(file_.scores.size()) - 1);
        at_ = At::kPieces;
        return true;
      case At::kMerge:
        if (parts_ != 2) fail_item();
        file_.merges.add(first_, second_);
        at_ = At::kMerges;
        return true;
      default:
        stack_.pop_back();
        return true;
    }
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

 private:
  enum class At { kTree, kVocab, kPieces, kPiece, kMerges, kMerge };

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Code::kBadInput, std::string(what_) + ": " + why);
  }
  [[noreturn]] void fail_vocab(const std::string& why) const {
    fail("model.vocab: the token '" + key_ + "' " + why + "; allowed are whole numbers from 0 to " +
         std::to_string(kMaxTokenId));
  }
  [[noreturn]] void fail_item() const {
    if (at_ == At::kPiece || at_ == At::kPieces) {
      fail("model.vocab: entry " + std::to_string(file_.scores.size()) +
           " must be a text and a number");
    }
    if (at_ == At::kVocab) fail_vocab("has no number for an id");
    fail("model.merges: entry " + std::to_string(file_.merges.size()) +
         " must be two texts, or one text with one space");
  }

  bool in_model() const { return stack_.size() == 2 && top_key_ == "model"; }
  bool starts_bulk(std::string_view name) const {
    return at_ == At::kTree && in_model() && stack_.back()->is_object() && key_ == name;
  }

  bool score(double v) {
    if (parts_ != 1) fail_item();
    ++parts_;
    if (file_.scores.size() > static_cast<std::size_t>(kMaxTokenId)) fail_item();
    file_.scores.push_back(v);
    return true;
  }

  void merge_line(std::string_view line) {
    if (line.starts_with("#version")) return;  // the first line of a merges.txt
    const auto space = line.find(' ');
    if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) {
      fail_item();
    }
    file_.merges.add(line.substr(0, space), line.substr(space + 1));
  }

  Json* insert(Json v) {
    if (at_ != At::kTree) fail_item();
    if (stack_.empty()) {
      file_.rest = std::move(v);
      return &file_.rest;
    }
    if (stack_.back()->is_array()) {
      stack_.back()->push_back(std::move(v));
      return &stack_.back()->back();
    }
    Json& member = (*stack_.back())[key_];
    member = std::move(v);
    return &member;
  }
  bool value(Json v) {
    insert(std::move(v));
    return true;
  }
  bool open(Json v) {
    if (stack_.size() >= kMaxDepth) {
      fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    stack_.push_back(insert(std::move(v)));
    return true;
  }

  std::string_view what_;
  TokenizerFile& file_;
  At at_ = At::kTree;
  std::vector<Json*> stack_;
  std::string key_, top_key_;
  std::string first_, second_;
  int parts_ = 0;
};

}  // namespace

void MergeList::add(std::string_view left, std::string_view right) {
  for (const auto text : {left, right}) {
    texts_ += text;
    ends_.push_back(static_cast<std::uint32_t>(texts_.size()));
  }
}

std::string_view MergeList::part(std::size_t i) const {
  const std::uint32_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(texts_).substr(begin, ends_[i] - begin);
}

TokenizerFile read_tokenizer_file(std::string_view text, std::string_view what) {
  if (text.size() > kMaxFileBytes) {
    throw Error(Code::kLimit, std::string(what) + ": " + std::to_string(text.size()) +
                                  " bytes; at most " + std::to_string(kMaxFileBytes) +
                                  " are allowed");
  }
  TokenizerFile file;
  Reader reader(what, file);
  if (!Json::sax_parse(text, &reader)) {
    parse_json(text, what);  // says where and why
    throw Error(Code::kBadInput, std::string(what) + ": is not JSON");
  }
  if (!file.rest.is_object()) {
    throw Error(Code::kBadInput, std::string(what) + ": must be an object");
  }
  file.vocab.finish();
  return file;
}

Fields::Fields(const Json& json, std::string_view what, std::string where)
    : json_(&json), what_(what), where_(std::move(where)) {
  if (!json.is_object()) fail("must be an object");
  if (const auto type = json.find("type"); type != json.end()) {
    if (!type->is_string()) fail("'type' must be a text");
    type_ = type->get<std::string>();
  }
}

std::string Fields::name() const {
  return std::string(what_) + ": " + where_ + (type_.empty() ? "" : " (" + type_ + ")");
}

void Fields::fail(const std::string& why) const {
  throw Error(Code::kBadInput, name() + ": " + why);
}

void Fields::refuse(std::string_view known) const {
  if (type_.empty()) fail("'type' is missing");
  throw Error(Code::kUnsupported, std::string(what_) + ": " + where_ + " is of the type '" + type_ +
                                      "', which anemone does not know; it knows " +
                                      std::string(known));
}

bool Fields::has(const char* key) const {
  const auto found = json_->find(key);
  return found != json_->end() && !found->is_null();
}

const Json& Fields::at(const char* key) const {
  const auto found = json_->find(key);
  if (found == json_->end()) fail(std::string("'") + key + "' is missing");
  return *found;
}

bool Fields::flag(const char* key, bool otherwise) const {
  if (!has(key)) return otherwise;
  const Json& value = at(key);
  if (!value.is_boolean()) fail(std::string("'") + key + "' must be true or false");
  return value.get<bool>();
}

std::string Fields::text(const char* key) const {
  const Json& value = at(key);
  if (!value.is_string()) fail(std::string("'") + key + "' must be a text");
  return value.get<std::string>();
}

std::string Fields::text(const char* key, std::string_view otherwise) const {
  return has(key) ? text(key) : std::string(otherwise);
}

char32_t Fields::character(const char* key) const {
  const std::string value = text(key);
  std::size_t end = 0;
  const char32_t code = value.empty() ? 0 : next_code(value, end);
  if (value.empty() || end != value.size()) {
    fail(std::string("'") + key + "' is '" + value + "'; it must be one character");
  }
  return code;
}

std::int64_t Fields::integer(const char* key, std::int64_t low, std::int64_t high) const {
  const Json& value = at(key);
  const bool whole = value.is_number_integer();
  const bool huge =
      value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(high);
  if (!whole || huge || value.get<std::int64_t>() < low || value.get<std::int64_t>() > high) {
    fail(std::string("'") + key + "' is " + to_line(value) + "; it must be a whole number from " +
         std::to_string(low) + " to " + std::to_string(high));
  }
  return value.get<std::int64_t>();
}

std::vector<Fields> Fields::list(const char* key) const {
  const Json& value = at(key);
  if (!value.is_array()) fail(std::string("'") + key + "' must be a list");
  std::vector<Fields> parts;
  for (std::size_t i = 0; i < value.size(); ++i) {
    parts.emplace_back(value[i], what_, where_ + "." + key + "[" + std::to_string(i) + "]");
  }
  return parts;
}

}  // namespace anemone
