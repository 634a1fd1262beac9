#include "anemone/tokenizer/pre_tokenizer.h"

#include "anemone/tokenizer/byte_level.h"
#include "anemone/tokenizer/pattern.h"
#include "anemone/tokenizer/split.h"
#include "anemone/tokenizer/unicode.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

constexpr std::string_view kKnown =
    "BertPreTokenizer, ByteLevel, CharDelimiterSplit, Digits, FixedLength, Metaspace, Punctuation, "
    "Sequence, Split, Whitespace and WhitespaceSplit";

// How GPT-2 cuts words. Source: openai/gpt-2, src/encoder.py.
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

Behavior behavior(const Fields& fields, std::string_view otherwise) {
  const std::string name = fields.text("behavior", otherwise);
  if (const auto found = find_behavior(name)) return *found;
  fields.fail(
      "'behavior' is '" + name +
      "'; allowed are Removed, Isolated, MergedWithPrevious, MergedWithNext and Contiguous");
}

// Cuts at each match of a pattern.
class Split : public PreTokenizer {
 public:
  explicit Split(const Fields& fields)
      : pattern_(fields), behavior_(behavior(fields, "")), invert_(fields.flag("invert", false)) {}
  void apply(Pieces& pieces) const override {
    split_pieces(pieces, behavior_, [&](std::string_view text, Cuts& cuts) {
      pattern_.for_each_match(text,
                              [&](Regex::Match match) { cuts.match(match.begin, match.end); });
      cuts.finish(text.size(), invert_);
    });
  }

 private:
  Pattern pattern_;
  Behavior behavior_;
  bool invert_;
};

class RegexSplit : public PreTokenizer {
 public:
  RegexSplit(std::string_view pattern, Behavior behavior, bool invert)
      : regex_(Regex::compile(pattern, "a built-in pattern")),
        behavior_(behavior),
        invert_(invert) {}
  void apply(Pieces& pieces) const override {
    split_pieces(pieces, behavior_, [&](std::string_view text, Cuts& cuts) {
      regex_.for_each_match(text, [&](Regex::Match match) { cuts.match(match.begin, match.end); });
      cuts.finish(text.size(), invert_);
    });
  }

 private:
  Regex regex_;
  Behavior behavior_;
  bool invert_;
};

// Cuts at each character of a kind.
class CodeSplit : public PreTokenizer {
 public:
  CodeSplit(std::function<bool(char32_t)> is, Behavior behavior)
      : is_(std::move(is)), behavior_(behavior) {}
  void apply(Pieces& pieces) const override {
    split_pieces(pieces, behavior_, [&](std::string_view text, Cuts& cuts) {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        if (is_(next_code(text, at))) cuts.match(begin, at);
      }
      cuts.finish(text.size(), false);
    });
  }

 private:
  std::function<bool(char32_t)> is_;
  Behavior behavior_;
};

class ByteLevel : public PreTokenizer {
 public:
  explicit ByteLevel(const Fields& fields) : prefix_space_(fields.flag("add_prefix_space", true)) {
    if (fields.flag("use_regex", true)) split_.emplace(kGpt2Pattern, Behavior::kIsolated, false);
  }
  void apply(Pieces& pieces) const override {
    if (prefix_space_) {
      rewrite_pieces(pieces, [](Pieces::Piece& piece, std::string_view text, std::string& out) {
        if (!text.starts_with(' ')) {
          out += ' ';
          if (piece.from_start > 0) ++piece.from_start;
        }
        out += text;
      });
    }
    if (split_) split_->apply(pieces);
    rewrite_pieces(pieces, [](Pieces::Piece& piece, std::string_view text, std::string& out) {
      const std::size_t begin = out.size();
      std::size_t from_start = 0;
      for (std::size_t i = 0; i < text.size(); ++i) {
        out += byte_to_letter(static_cast<unsigned char>(text[i]));
        if (i < piece.from_start) from_start = out.size() - begin;
      }
      piece.from_start = from_start;
    });
  }

 private:
  bool prefix_space_;
  std::optional<RegexSplit> split_;
};

class Metaspace : public PreTokenizer {
 public:
  explicit Metaspace(const Fields& fields) : split_(fields.flag("split", true)) {
    append_code(letter_, fields.has("replacement") ? fields.character("replacement") : U'\u2581');
    scheme_ =
        fields.text("prepend_scheme", fields.flag("add_prefix_space", true) ? "always" : "never");
    if (scheme_ != "always" && scheme_ != "first" && scheme_ != "never") {
      fields.fail("'prepend_scheme' is '" + scheme_ + "'; allowed are always, first and never");
    }
    if (!fields.flag("add_prefix_space", true) && scheme_ != "never") {
      fields.fail("'prepend_scheme' is '" + scheme_ +
                  "', which contradicts 'add_prefix_space' = false");
    }
  }
  void apply(Pieces& pieces) const override {
    rewrite_pieces(pieces, [&](Pieces::Piece& piece, std::string_view text, std::string& out) {
      const std::size_t begin = out.size();
      const bool wanted = scheme_ == "always" || (scheme_ == "first" && piece.from_start > 0);
      const bool there = text.starts_with(' ') || text.starts_with(letter_);
      if (wanted && !there) out += letter_;
      std::size_t from_start = out.size() - begin;
      for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ' ') {
          out += letter_;
        } else {
          out += text[i];
        }
        if (i < piece.from_start) from_start = out.size() - begin;
      }
      piece.from_start = piece.from_start > 0 ? from_start : 0;
    });
    if (!split_) return;
    split_pieces(pieces, Behavior::kMergedWithNext, [&](std::string_view text, Cuts& cuts) {
      for (auto at = text.find(letter_); at != std::string_view::npos;
           at = text.find(letter_, at)) {
        cuts.match(at, at + letter_.size());
        at += letter_.size();
      }
      cuts.finish(text.size(), false);
    });
  }

 private:
  std::string letter_, scheme_;
  bool split_;
};

// Pieces of so many characters; the last may be shorter.
class FixedLength : public PreTokenizer {
 public:
  explicit FixedLength(const Fields& fields)
      : length_(fields.has("length") ? fields.integer("length", 1, std::int64_t{1} << 40) : 5) {}
  void apply(Pieces& pieces) const override {
    split_pieces(pieces, Behavior::kIsolated, [&](std::string_view text, Cuts& cuts) {
      std::size_t begin = 0;
      std::int64_t count = 0;
      for (std::size_t at = 0; at < text.size();) {
        at += utf8_length(text[at]);
        if (++count < length_ && at < text.size()) continue;
        cuts.match(begin, at);
        begin = at;
        count = 0;
      }
      cuts.finish(text.size(), false);
    });
  }

 private:
  std::int64_t length_;
};

class Sequence : public PreTokenizer {
 public:
  explicit Sequence(std::vector<std::unique_ptr<const PreTokenizer>> parts)
      : parts_(std::move(parts)) {}
  void apply(Pieces& pieces) const override {
    for (const auto& part : parts_) part->apply(pieces);
  }

 private:
  std::vector<std::unique_ptr<const PreTokenizer>> parts_;
};

}  // namespace

std::unique_ptr<const PreTokenizer> make_pre_tokenizer(const Fields& fields) {
  const std::string& type = fields.type();
  if (type == "Split") return std::make_unique<Split>(fields);
  if (type == "ByteLevel") return std::make_unique<ByteLevel>(fields);
  if (type == "Metaspace") return std::make_unique<Metaspace>(fields);
  if (type == "FixedLength") return std::make_unique<FixedLength>(fields);
  if (type == "Digits") {
    return std::make_unique<CodeSplit>(is_number, fields.flag("individual_digits", false)
                                                      ? Behavior::kIsolated
                                                      : Behavior::kContiguous);
  }
  if (type == "Punctuation") {
    return std::make_unique<CodeSplit>(is_punctuation, behavior(fields, "Isolated"));
  }
  if (type == "WhitespaceSplit") {
    return std::make_unique<CodeSplit>(is_white_space, Behavior::kRemoved);
  }
  if (type == "CharDelimiterSplit") {
    const char32_t delimiter = fields.character("delimiter");
    return std::make_unique<CodeSplit>([delimiter](char32_t code) { return code == delimiter; },
                                       Behavior::kRemoved);
  }
  if (type == "Whitespace") {
    // Rust's \w has the two joiners, Oniguruma's has not. Source: tokenizers 0.23.3, asked one by
    // one.
    return std::make_unique<RegexSplit>(R"([\w\x{200C}\x{200D}]+|[^\w\x{200C}\x{200D}\s]+)",
                                        Behavior::kRemoved, true);
  }
  std::vector<std::unique_ptr<const PreTokenizer>> parts;
  if (type == "BertPreTokenizer") {
    parts.push_back(std::make_unique<CodeSplit>(is_white_space, Behavior::kRemoved));
    parts.push_back(std::make_unique<CodeSplit>(is_punctuation, Behavior::kIsolated));
    return std::make_unique<Sequence>(std::move(parts));
  }
  if (type == "Sequence") {
    for (const Fields& part : fields.list("pretokenizers"))
      parts.push_back(make_pre_tokenizer(part));
    return std::make_unique<Sequence>(std::move(parts));
  }
  fields.refuse(kKnown);
}

}  // namespace anemone
