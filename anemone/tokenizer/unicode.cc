#include "anemone/tokenizer/unicode.h"

#include <utf8proc.h>

#include "anemone/base/check.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

struct CodeRange {
  char32_t first, last;
};
struct NewerItems {
  std::string_view name, items;
};
#include "anemone/tokenizer/unicode_tables.inc"

template <std::size_t N>
bool contains(const CodeRange (&ranges)[N], char32_t code) {
  const auto* found = std::upper_bound(std::begin(ranges), std::end(ranges), code,
                                       [](char32_t c, CodeRange range) { return c < range.first; });
  return found != std::begin(ranges) && code <= found[-1].last;
}

utf8proc_category_t category(char32_t code) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(code));
}

// Digits of Unicode 15 to 17. Source: tokenizers 0.23.3, pre-tokenizer Digits, asked one by one.
constexpr CodeRange kNewerNumbers[] = {{0x10D40, 0x10D49}, {0x116D0, 0x116E3}, {0x11BF0, 0x11BF9},
                                       {0x11DE0, 0x11DE9}, {0x11F50, 0x11F59}, {0x16130, 0x16139},
                                       {0x16D70, 0x16D79}, {0x16FF4, 0x16FF6}, {0x1CCF0, 0x1CCF9},
                                       {0x1D2C0, 0x1D2D3}, {0x1E4F0, 0x1E4F9}, {0x1E5F1, 0x1E5FA}};

// Capitals of Unicode 16 and 17. Source: tokenizers 0.23.3, normalizer Lowercase, asked one by one.
struct CasePair {
  char32_t first, last;
  std::int32_t step;  // from a capital to its small letter
};
constexpr CasePair kNewerCapitals[] = {
    {0x1C89, 0x1C89, 1},      {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
    {0xA7CC, 0xA7CC, 1},      {0xA7CE, 0xA7CE, 1},
    {0xA7D2, 0xA7D2, 1},      {0xA7D4, 0xA7D4, 1},
    {0xA7DA, 0xA7DA, 1},      {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
    {0x10D50, 0x10D65, 0x20}, {0x16EA0, 0x16EB8, 0x1B},
};

// A run of characters that Unicode 9 knows, decomposed and put in order.
class Normalized {
 public:
  explicit Normalized(NormalForm form) {
    const bool compat = form == NormalForm::kNfkc || form == NormalForm::kNfkd;
    const bool compose = form == NormalForm::kNfc || form == NormalForm::kNfkc;
    decompose_ = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
                                                (compat ? UTF8PROC_COMPAT : 0));
    compose_ = static_cast<utf8proc_option_t>(
        compose ? UTF8PROC_STABLE | UTF8PROC_COMPOSE | (compat ? UTF8PROC_COMPAT : 0) : 0);
  }

  void add(char32_t code) {
    utf8proc_int32_t parts[32];
    const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code), parts, 32,
                                               decompose_, nullptr);
    ANEMONE_CHECK(count >= 0 && count <= 32) << "U+" << std::hex << static_cast<unsigned>(code);
    codes_.insert(codes_.end(), parts, parts + count);
  }

  // Appends the run's normal form and forgets the run.
  void flush(std::string& out) {
    if (codes_.empty()) return;
    sort_marks();
    auto size = static_cast<utf8proc_ssize_t>(codes_.size());
    if (compose_ != 0) size = utf8proc_normalize_utf32(codes_.data(), size, compose_);
    ANEMONE_CHECK(size >= 0);
    for (utf8proc_ssize_t i = 0; i < size; ++i) append_code(out, static_cast<char32_t>(codes_[i]));
    codes_.clear();
  }

 private:
  static int combining_class(utf8proc_int32_t code) {
    return utf8proc_get_property(code)->combining_class;
  }

  // Each run of marks, stably by class. utf8proc's own sort takes quadratic time.
  void sort_marks() {
    for (std::size_t at = 0; at < codes_.size(); ++at) {
      if (combining_class(codes_[at]) == 0) continue;
      auto end = at + 1;
      while (end < codes_.size() && combining_class(codes_[end]) != 0) ++end;
      const auto first = codes_.begin();
      std::stable_sort(first + static_cast<std::ptrdiff_t>(at),
                       first + static_cast<std::ptrdiff_t>(end),
                       [](auto a, auto b) { return combining_class(a) < combining_class(b); });
      at = end;
    }
  }

  utf8proc_option_t decompose_, compose_;
  std::vector<utf8proc_int32_t> codes_;
};

}  // namespace

bool is_white_space(char32_t code) {
  if (code < 0x80) return code == ' ' || (code >= '\t' && code <= '\r');
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) ||
         code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_number(char32_t code) {
  if (code < 0x80) return code >= '0' && code <= '9';
  const auto is = category(code);
  return is == UTF8PROC_CATEGORY_ND || is == UTF8PROC_CATEGORY_NL || is == UTF8PROC_CATEGORY_NO ||
         contains(kNewerNumbers, code);
}

bool is_punctuation(char32_t code) { return contains(kPunctuation, code); }

bool is_control(char32_t code) {
  if (code == '\t' || code == '\n' || code == '\r') return false;
  const auto is = category(code);
  if (is != UTF8PROC_CATEGORY_CC && is != UTF8PROC_CATEGORY_CF && is != UTF8PROC_CATEGORY_CO) {
    return false;
  }
  return code != 0x8E2 && !contains(kAfterUnicode9, code);  // U+08E2 is the one of Unicode 9
}

bool is_surely_normal(std::string_view text, NormalForm form) {
  // Nothing below U+0300 composes with what precedes it or lacks its canonical composition.
  const unsigned char limit = form == NormalForm::kNfc ? 0xCC : 0x80;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return static_cast<unsigned char>(c) < limit; });
}

std::string normalize(std::string_view text, NormalForm form) {
  std::string out;
  out.reserve(text.size());
  Normalized run(form);
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code(text, at);
    // utf8proc 2.8 takes the vowel U+11A7, the code before the first final consonant, for a final
    // consonant of no sound and drops it behind a syllable.
    if (code > 0x2FF && (code == 0x11A7 || contains(kAfterUnicode9, code))) {
      run.flush(out);
      append_code(out, code);
    } else {
      run.add(code);
    }
  }
  run.flush(out);
  return out;
}

std::string to_lower(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t code = next_code(text, at);
    if (code < 0x80) {
      out += static_cast<char>(code >= 'A' && code <= 'Z' ? code + 0x20 : code);
      continue;
    }
    const auto* newer =
        std::find_if(std::begin(kNewerCapitals), std::end(kNewerCapitals),
                     [&](auto& pair) { return code >= pair.first && code <= pair.last; });
    if (newer != std::end(kNewerCapitals)) {
      append_code(out, static_cast<char32_t>(static_cast<std::int32_t>(code) + newer->step));
    } else if (code == 0x130) {  // the one capital whose small letter is two characters
      out += "i\xCC\x87";
    } else {
      append_code(out,
                  static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(code))));
    }
  }
  return out;
}

bool is_mark(char32_t code) { return contains(kMarks, code); }
bool is_nonspacing_mark(char32_t code) { return contains(kNonspacingMarks, code); }

std::string newer_items(std::string_view name) {
  std::string items;
  for (const NewerItems& newer : kNewerItems) {
    // "L" takes "Lu", "Ll", ...; every other name stands for itself.
    const bool part = name.size() == 1 && newer.name.size() == 2 && newer.name[0] == name[0];
    if (part || newer.name == name) items += newer.items;
  }
  return items;
}

std::size_t grapheme_length(std::string_view text) {
  std::size_t at = 0;
  char32_t before = next_code(text, at);
  utf8proc_int32_t state = 0;
  while (at < text.size()) {
    std::size_t next = at;
    const char32_t code = next_code(text, next);
    if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(before),
                                         static_cast<utf8proc_int32_t>(code), &state)) {
      return at;
    }
    before = code;
    at = next;
  }
  return at;
}

}  // namespace anemone
