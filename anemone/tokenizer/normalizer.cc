#include "anemone/tokenizer/normalizer.h"

#include "anemone/tokenizer/byte_level.h"
#include "anemone/tokenizer/pattern.h"
#include "anemone/tokenizer/unicode.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

constexpr std::string_view kKnown =
    "BertNormalizer, ByteLevel, Lowercase, NFC, NFD, NFKC, NFKD, Nmt, Precompiled, Prepend, "
    "Replace, "
    "Sequence, Strip and StripAccents";

std::size_t first_length(std::string_view text) { return text.empty() ? 0 : utf8_length(text[0]); }

// Rewrites character by character: `write(code, text_of_it, out)`.
template <typename Write>
void rewrite(NormalText& text, Write&& write) {
  std::string out;
  out.reserve(text.text.size());
  std::size_t from_start = 0;
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t begin = at;
    const char32_t code = next_code(text.text, at);
    write(code, std::string_view(text.text).substr(begin, at - begin), out);
    if (begin < text.from_start) from_start = out.size();
  }
  text.text = std::move(out);
  text.from_start = from_start;
}

class Form : public Normalizer {
 public:
  explicit Form(NormalForm form) : form_(form) {}
  void apply(NormalText& text) const override {
    if (is_surely_normal(text.text, form_)) return;
    const std::string start =
        normalize(std::string_view(text.text).substr(0, text.from_start), form_);
    text.text = normalize(text.text, form_);
    if (text.from_start == 0) return;
    // A first character that took marks in is still the first.
    text.from_start = text.text.starts_with(start) ? start.size() : first_length(text.text);
  }

 private:
  NormalForm form_;
};

class Lowercase : public Normalizer {
 public:
  void apply(NormalText& text) const override {
    const std::string_view whole = text.text;
    const std::size_t from_start = to_lower(whole.substr(0, text.from_start)).size();
    text.text = to_lower(whole);
    text.from_start = from_start;
  }
};

class Strip : public Normalizer {
 public:
  explicit Strip(const Fields& fields)
      : left_(fields.flag("strip_left", true)), right_(fields.flag("strip_right", true)) {}
  void apply(NormalText& text) const override {
    std::size_t begin = 0, end = text.text.size();
    while (left_ && begin < end) {
      std::size_t next = begin;
      if (!is_white_space(next_code(text.text, next))) break;
      begin = next;
    }
    while (right_ && end > begin) {
      std::size_t at = previous_start(text.text, end);
      const std::size_t start = at;
      if (!is_white_space(next_code(text.text, at))) break;
      end = start;
    }
    text.text = text.text.substr(begin, end - begin);
    text.from_start = text.from_start > begin ? text.from_start - begin : 0;
  }

 private:
  bool left_, right_;
};

class StripAccents : public Normalizer {
 public:
  void apply(NormalText& text) const override {
    rewrite(text, [](char32_t code, std::string_view same, std::string& out) {
      if (!is_mark(code)) out += same;
    });
  }
};

class Replace : public Normalizer {
 public:
  explicit Replace(const Fields& fields) : pattern_(fields), content_(fields.text("content")) {}
  void apply(NormalText& text) const override {
    std::string out;
    std::size_t done = 0, from_start = 0;
    const auto keep = [&](std::size_t end) {
      out.append(text.text, done, end - done);
      if (done < text.from_start) from_start = out.size() - (end - std::min(end, text.from_start));
      done = end;
    };
    pattern_.for_each_match(text.text, [&](Regex::Match match) {
      keep(match.begin);
      out += content_;
      if (match.begin < text.from_start) from_start = out.size();
      done = match.end;
    });
    keep(text.text.size());
    text.text = std::move(out);
    text.from_start = from_start;
  }

 private:
  Pattern pattern_;
  std::string content_;
};

class Prepend : public Normalizer {
 public:
  explicit Prepend(const Fields& fields) : prepend_(fields.text("prepend")) {}
  void apply(NormalText& text) const override {
    if (text.text.empty()) return;
    text.text.insert(0, prepend_);
    if (text.from_start > 0) text.from_start += prepend_.size();
  }

 private:
  std::string prepend_;
};

class ByteLevel : public Normalizer {
 public:
  void apply(NormalText& text) const override {
    const std::string_view whole = text.text;
    const std::size_t from_start = bytes_to_letters(whole.substr(0, text.from_start)).size();
    text.text = bytes_to_letters(whole);
    text.from_start = from_start;
  }
};

// Control characters go, kinds of space become a space.
// Source: tokenizers 0.23.3, asked one code point at a time; SentencePiece, src/builder.cc,
// BuildNmtMap.
class Nmt : public Normalizer {
 public:
  void apply(NormalText& text) const override {
    rewrite(text, [](char32_t code, std::string_view same, std::string& out) {
      const bool gone = (code >= 1 && code <= 8) || code == 0xB || (code >= 0xE && code <= 0x1F) ||
                        code == 0x7F || code == 0x8F || code == 0x9F;
      const bool space = code == 9 || code == 0xA || code == 0xC || code == 0xD || code == 0x1680 ||
                         (code >= 0x200B && code <= 0x200F) || code == 0x2028 || code == 0x2029 ||
                         code == 0x2581 || code == 0xFEFF || code == 0xFFFD;
      if (space) {
        out += ' ';
      } else if (!gone) {
        out += same;
      }
    });
  }
};

class Bert : public Normalizer {
 public:
  explicit Bert(const Fields& fields)
      : clean_(fields.flag("clean_text", true)),
        chinese_(fields.flag("handle_chinese_chars", true)),
        lower_(fields.flag("lowercase", true)),
        accents_(fields.flag("strip_accents", lower_)) {}

  void apply(NormalText& text) const override {
    if (clean_) rewrite(text, clean);
    if (chinese_) rewrite(text, set_apart);
    if (accents_) {
      Form(NormalForm::kNfd).apply(text);
      rewrite(text, [](char32_t code, std::string_view same, std::string& out) {
        if (!is_nonspacing_mark(code)) out += same;
      });
    }
    if (lower_) Lowercase().apply(text);
  }

 private:
  static void clean(char32_t code, std::string_view same, std::string& out) {
    if (code == 0 || code == 0xFFFD || is_control(code)) return;
    if (is_white_space(code)) {
      out += ' ';
    } else {
      out += same;
    }
  }
  static void set_apart(char32_t code, std::string_view same, std::string& out) {
    // Source: tokenizers 0.23.3, asked one code point at a time.
    constexpr char32_t kRanges[][2] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},
                                       {0x20000, 0x2A6DF}, {0x2A700, 0x2B81F}, {0x2B920, 0x2CEAF},
                                       {0x2F800, 0x2FA1F}};
    const bool chinese =
        std::any_of(std::begin(kRanges), std::end(kRanges),
                    [&](const auto& range) { return code >= range[0] && code <= range[1]; });
    if (chinese) out += ' ';
    out += same;
    if (chinese) out += ' ';
  }
  bool clean_, chinese_, lower_, accents_;
};

class Precompiled : public Normalizer {
 public:
  explicit Precompiled(const Fields& fields)
      : charsmap_(fields.text("precompiled_charsmap", ""), fields) {}
  void apply(NormalText& text) const override {
    const std::string_view whole = text.text;
    const std::size_t from_start = charsmap_.apply(whole.substr(0, text.from_start)).size();
    text.text = charsmap_.apply(whole);
    if (text.from_start == 0 || text.text.empty()) return;
    // A first character that vanishes leaves its place to the next one, as in the reference.
    text.from_start =
        from_start > 0 ? std::min(from_start, text.text.size()) : first_length(text.text);
  }

 private:
  Charsmap charsmap_;
};

class Sequence : public Normalizer {
 public:
  explicit Sequence(const Fields& fields) {
    for (const Fields& part : fields.list("normalizers")) parts_.push_back(make_normalizer(part));
  }
  void apply(NormalText& text) const override {
    for (const auto& part : parts_) part->apply(text);
  }

 private:
  std::vector<std::unique_ptr<const Normalizer>> parts_;
};

}  // namespace

std::unique_ptr<const Normalizer> make_normalizer(const Fields& fields) {
  const std::string& type = fields.type();
  if (type == "NFC") return std::make_unique<Form>(NormalForm::kNfc);
  if (type == "NFD") return std::make_unique<Form>(NormalForm::kNfd);
  if (type == "NFKC") return std::make_unique<Form>(NormalForm::kNfkc);
  if (type == "NFKD") return std::make_unique<Form>(NormalForm::kNfkd);
  if (type == "Lowercase") return std::make_unique<Lowercase>();
  if (type == "Strip") return std::make_unique<Strip>(fields);
  if (type == "StripAccents") return std::make_unique<StripAccents>();
  if (type == "Replace") return std::make_unique<Replace>(fields);
  if (type == "Prepend") return std::make_unique<Prepend>(fields);
  if (type == "ByteLevel") return std::make_unique<ByteLevel>();
  if (type == "Nmt") return std::make_unique<Nmt>();
  if (type == "BertNormalizer") return std::make_unique<Bert>(fields);
  if (type == "Precompiled") return std::make_unique<Precompiled>(fields);
  if (type == "Sequence") return std::make_unique<Sequence>(fields);
  fields.refuse(kKnown);
}

}  // namespace anemone
