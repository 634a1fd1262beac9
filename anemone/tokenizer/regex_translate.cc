#include <algorithm>
#include <cctype>
#include <cstdio>
#include <string>
#include <vector>

#include "anemone/base/error.h"
#include "anemone/tokenizer/regex.h"
#include "anemone/tokenizer/regex_classes.h"
#include "anemone/tokenizer/utf8.h"

// Oniguruma's Ruby syntax differs from Perl's in what ^, $, \h, \v, \w, (?m) and {n,m}+ mean, in
// nested character classes, and in its Unicode version.
// Source: experiments with tokenizers 0.23.3 (Oniguruma 6.9); Oniguruma's doc/RE.
namespace anemone {
namespace {

constexpr int kMaxDepth = 200;

std::string hex(char32_t code) {
  char text[16];
  std::snprintf(text, sizeof text, "\\x{%X}", static_cast<unsigned>(code));
  return text;
}

bool is_ascii_letter_or_digit(char32_t code) {
  return code < 0x80 && std::isalnum(static_cast<int>(code)) != 0;
}

// A literal character, inside or outside a class.
std::string literal(char32_t code) {
  return is_ascii_letter_or_digit(code) ? std::string(1, static_cast<char>(code)) : hex(code);
}

// A set of characters on its way to PCRE2, which knows neither nested classes nor the complement of
// a union as an item: `items` go into one bracket, each of `others` is a pattern of one character.
struct Set {
  std::string items;
  std::vector<std::string> others;

  bool empty() const { return items.empty() && others.empty(); }
  void add(std::string_view more, bool negated) {
    if (negated) {
      others.push_back("[^" + std::string(more) + "]");
    } else {
      items += more;
    }
  }
  std::string pattern() const {
    if (others.empty()) return "[" + items + "]";
    if (others.size() == 1 && items.empty()) return others[0];
    std::string text = "(?:";
    if (!items.empty()) text += "[" + items + "]|";
    for (std::size_t i = 0; i < others.size(); ++i) text += (i == 0 ? "" : "|") + others[i];
    return text + ")";
  }
  std::string negated_pattern() const {
    if (others.empty()) return "[^" + items + "]";
    return "(?:(?!" + pattern() + ")(?s:.))";
  }
};

class Translator {
 public:
  Translator(std::string_view in, std::string_view what) : in_(in), what_(what) {}

  std::string run() {
    alternatives(0);
    if (!at_end()) fail("has a ')' without a '('");
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Code::kBadInput, std::string(what_) + " " + why);
  }
  [[noreturn]] void refuse(const std::string& construct) const {
    throw Error(Code::kUnsupported,
                std::string(what_) + " uses " + construct + ", which anemone does not translate");
  }

  bool at_end() const { return at_ >= in_.size(); }
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < in_.size() ? in_[at_ + ahead] : '\0';
  }
  bool take(std::string_view text) {
    if (in_.substr(std::min(at_, in_.size()), text.size()) != text) return false;
    at_ += text.size();
    return true;
  }
  char32_t take_code() { return next_code(in_, at_); }
  std::string_view take_until(char end, const char* construct) {
    const auto found = in_.find(end, at_);
    if (found == std::string_view::npos) fail(std::string("has an unfinished ") + construct);
    const auto text = in_.substr(at_, found - at_);
    at_ = found + 1;
    return text;
  }

  // Up to the ')' that closes this level, or the end.
  void alternatives(int depth) {
    if (depth > kMaxDepth) fail("is nested too deeply");
    const bool outer_extended = extended_;
    while (!at_end() && peek() != ')') {
      if (take("|")) {
        out_ += '|';
        continue;
      }
      if (extended_ && skip_extended()) continue;
      const std::size_t atom = out_.size();
      if (translate_atom(depth)) quantifiers(atom);
    }
    extended_ = outer_extended;
  }

  bool skip_extended() {
    if (peek() == '#') {
      const auto end = in_.find('\n', at_);
      at_ = end == std::string_view::npos ? in_.size() : end + 1;
      return true;
    }
    if (peek() == ' ' || (peek() >= '\t' && peek() <= '\r')) {
      ++at_;
      return true;
    }
    return false;
  }

  // One atom. False for what takes no quantifier: a comment, a change of flags.
  bool translate_atom(int depth) {
    const char c = peek();
    switch (c) {
      case '(':
        ++at_;
        return group(depth);
      case '[':
        ++at_;
        out_ += char_class(depth);
        return true;
      case '\\':
        ++at_;
        escape();
        return true;
      case '.':
        ++at_;
        out_ += '.';
        return true;
      case '^':
        ++at_;
        out_ += "(?m:^)";
        return true;
      case '$':
        ++at_;
        out_ += "(?m:$)";
        return true;
      case '*':
      case '+':
      case '?':
        fail(std::string("has a '") + c + "' with nothing to repeat");
      default:
        out_ += literal(take_code());
        return true;
    }
  }

  // {n}, {n,}, {,m}, {n,m}; nothing else is an interval.
  bool interval(std::string& text, bool& fixed) {
    std::size_t end = at_ + 1;
    std::string low, high;
    const auto digits = [&](std::string& number) {
      while (end < in_.size() && in_[end] >= '0' && in_[end] <= '9') number += in_[end++];
    };
    digits(low);
    fixed = true;
    if (end < in_.size() && in_[end] == ',') {
      fixed = false;
      ++end;
      digits(high);
    }
    if (end >= in_.size() || in_[end] != '}' || (low.empty() && high.empty())) return false;
    at_ = end + 1;
    text = "{" + (low.empty() ? "0" : low) + (fixed ? "" : "," + high) + "}";
    return true;
  }

  void quantifiers(std::size_t atom) {
    bool repeated = false;
    while (!at_end()) {
      std::string text;
      if (peek() == '*' || peek() == '+' || peek() == '?') {
        text = in_[at_++];
        if (peek() == '?' || peek() == '+') text += in_[at_++];
      } else if (bool fixed = false; peek() == '{' && interval(text, fixed)) {
        // A '+' behind an interval repeats it once more, and so does a '?' behind a fixed one.
        if (!fixed && take("?")) text += '?';
      } else {
        return;
      }
      if (repeated) {
        out_.insert(atom, "(?:");
        out_ += ')';
      }
      out_ += text;
      repeated = true;
    }
  }

  bool group(int depth) {
    if (!take("?")) {
      enclose("(", depth);
      return true;
    }
    for (const std::string_view kind : {":", "=", "!", ">", "<=", "<!"}) {
      if (take(kind)) {
        enclose("(?" + std::string(kind), depth);
        return true;
      }
    }
    if (take("#")) {
      take_until(')', "comment");
      return false;
    }
    if (peek() == '<' || peek() == '\'') {
      const char end = in_[at_++] == '<' ? '>' : '\'';
      enclose("(?<" + name(take_until(end, "group name")) + ">", depth);
      return true;
    }
    return flags(depth);
  }

  void enclose(const std::string& opening, int depth) {
    out_ += opening;
    alternatives(depth + 1);
    if (!take(")")) fail("has a '(' without a ')'");
    out_ += ')';
  }

  std::string name(std::string_view text) const {
    const bool plain =
        !text.empty() && text.size() <= 32 && std::all_of(text.begin(), text.end(), [](char c) {
          return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        });
    if (!plain) refuse("the group name '" + std::string(text) + "'");
    return std::string(text);
  }

  // (?imx-imx) and (?imx-imx:...). Ruby's m lets '.' match a line feed: Perl's s.
  bool flags(int depth) {
    std::string on, off;
    bool minus = false, extended = extended_;
    while (!at_end() && peek() != ')' && peek() != ':') {
      const char c = in_[at_++];
      if (c == '-') {
        minus = true;
      } else if (c == 'i' || c == 'm') {
        (minus ? off : on) += c == 'm' ? 's' : c;
      } else if (c == 'x') {
        extended = !minus;
      } else {
        refuse("the group '(?" + std::string(1, c) + "'");
      }
    }
    const std::string text = on + (off.empty() ? "" : "-" + off);
    if (take(":")) {
      const bool outer = extended_;
      extended_ = extended;
      enclose("(?" + text + ":", depth);
      extended_ = outer;
      return true;
    }
    if (!take(")")) fail("has a '(' without a ')'");
    extended_ = extended;
    if (!text.empty()) out_ += "(?" + text + ")";
    return false;
  }

  std::string braced_property(bool& negated) {
    std::string_view text;
    if (take("{")) {
      if (take("^")) negated = !negated;
      text = take_until('}', "property");
    } else if (!at_end()) {  // \pL
      text = in_.substr(at_++, 1);
    }
    std::string items = property_items(text);
    if (items.empty()) refuse("the property '" + std::string(text) + "'");
    return items;
  }

  // \d \s \w \h \p and their opposites, as class items. False if `c` is none of them.
  bool class_escape(char c, bool in_class, std::string& items, bool& negated) {
    negated = c == 'D' || c == 'S' || c == 'W' || c == 'H' || c == 'P';
    switch (c) {
      case 'd':
      case 'D':
        items = category_items("Nd");
        return true;
      case 's':
      case 'S':
        items = kSpaceItems;
        return true;
      case 'w':
      case 'W':
        // Outside a class Oniguruma asks a table of Latin-1, which counts these six in.
        items = word_items() + (in_class ? "" : "\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}");
        return true;
      case 'h':
      case 'H':
        items = kHexItems;
        return true;
      case 'p':
      case 'P':
        items = braced_property(negated);
        return true;
      default:
        return false;
    }
  }

  char32_t number(int base, std::size_t max_digits) {
    char32_t value = 0;
    std::size_t digits = 0;
    for (; digits < max_digits && !at_end(); ++digits, ++at_) {
      const char c = peek();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : 99;
      if (digit >= base) break;
      value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
    }
    return value;
  }

  // The character that an escape stands for, the backslash and `c` being read.
  char32_t escaped_code(char32_t c) {
    switch (c) {
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 'f':
        return '\f';
      case 'v':
        return '\v';
      case 'a':
        return '\a';
      case 'e':
        return 0x1B;
      case '0':
        return number(8, 2);
      case 'u':
        return checked(number(16, 4));
      case 'x': {
        if (take("{")) {
          const char32_t code = number(16, 8);
          if (!take("}")) fail("has an unfinished '\\x{'");
          return checked(code);
        }
        const char32_t byte = number(16, 2);
        if (byte >= 0x80) refuse("a byte escape '" + hex(byte) + "' beyond ASCII");
        return byte;
      }
      case 'C':
      case 'c':
        if (c == 'C' && !take("-")) fail("has an unfinished '\\C'");
        if (at_end()) fail("has an unfinished control character");
        return take_code() & 0x1F;
      case 'M':
        refuse("'\\M'");
      default:
        return c;
    }
  }

  char32_t checked(char32_t code) const {
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
      fail("names " + hex(code) + ", which is no character");
    return code;
  }

  void escape() {
    if (at_end()) fail("ends in a backslash");
    const char32_t c = take_code();
    const char ascii = c < 0x80 ? static_cast<char>(c) : '\0';
    std::string items;
    bool negated = false;
    if (ascii != '\0' && class_escape(ascii, false, items, negated)) {
      out_ += (negated ? "[^" : "[") + items + "]";
      return;
    }
    const std::string word = "[" + word_items() + "\\x{B2}\\x{B3}\\x{B9}\\x{BC}-\\x{BE}]";
    switch (ascii) {
      case 'A':
      case 'Z':
      case 'z':
      case 'G':
      case 'X':
      case 'K':
        out_ += std::string("\\") + ascii;
        return;
      case 'R':
        out_ += "(?>\\r\\n|[\\n-\\r\\x{85}\\x{2028}\\x{2029}])";
        return;
      case 'N':
        out_ += "[^\\n]";
        return;
      case 'O':
        out_ += "(?s:.)";
        return;
      case 'b':
        out_ += "(?:(?<=" + word + ")(?!" + word + ")|(?<!" + word + ")(?=" + word + "))";
        return;
      case 'B':
        out_ += "(?:(?<=" + word + ")(?=" + word + ")|(?<!" + word + ")(?!" + word + "))";
        return;
      case 'y':
      case 'Y':
        refuse(std::string("'\\") + ascii + "'");
      case 'k':
      case 'g':
        if (!take("<")) refuse(std::string("'\\") + ascii + "' without '<'");
        out_ += std::string("\\") + ascii + "<" + name(take_until('>', "reference")) + ">";
        return;
      default:
        break;
    }
    if (c >= '1' && c <= '9') {
      --at_;
      out_ += "\\g{" + std::to_string(static_cast<unsigned>(number(10, 3))) + "}";
      return;
    }
    out_ += literal(escaped_code(c));
  }

  // Behind the '['. Returns a pattern of one character.
  std::string char_class(int depth) {
    if (depth > kMaxDepth) fail("is nested too deeply");
    const bool negated = take("^");
    std::vector<std::string> met;  // what stands before each &&
    Set set;
    bool first = true;
    for (;; first = false) {
      if (at_end()) fail("has a '[' without a ']'");
      if (peek() == ']' && !(first && in_.find(']', at_ + 1) != std::string_view::npos)) break;
      if (take("&&")) {
        if (set.empty()) fail("has an '&&' with nothing before it");
        met.push_back(set.pattern());
        set = Set();
        continue;
      }
      class_item(set, depth);
    }
    ++at_;
    if (set.empty()) fail("has an empty character class");
    if (!met.empty()) {
      std::string all;
      for (const auto& part : met) all += "(?=" + part + ")";
      const std::string last = set.pattern();
      set = Set();
      set.others.push_back("(?:" + all + last + ")");
    }
    return negated ? set.negated_pattern() : set.pattern();
  }

  void class_item(Set& set, int depth) {
    if (take("[:")) {
      const bool negated = take("^");
      const auto end = in_.find(":]", at_);
      const std::string_view name_text =
          end == std::string_view::npos ? std::string_view() : in_.substr(at_, end - at_);
      const std::string items = posix_items(name_text);
      if (items.empty()) refuse("the bracket '[:" + std::string(name_text.substr(0, 20)) + "'");
      at_ = end + 2;
      set.add(items, negated);
      return;
    }
    if (take("[")) {
      set.others.push_back(char_class(depth + 1));
      return;
    }
    char32_t low = 0;
    std::string items;
    bool negated = false;
    if (!class_code(low, items, negated)) {
      set.add(items, negated);
      if (peek() == '-' && peek(1) != ']') fail("has a range that starts with a class");
      return;
    }
    if (peek() != '-' || peek(1) == ']' || (peek(1) == '&' && peek(2) == '&') ||
        at_ + 1 >= in_.size()) {
      set.items += literal(low);
      return;
    }
    ++at_;
    char32_t high = 0;
    if (!class_code(high, items, negated)) fail("has a range that ends with a class");
    if (high < low) fail("has an empty range in a character class");
    set.items += literal(low) + "-" + literal(high);
  }

  // A character of a class (true), or an escape that stands for several (false).
  bool class_code(char32_t& code, std::string& items, bool& negated) {
    code = take_code();
    if (code != '\\') return true;
    if (at_end()) fail("ends in a backslash");
    code = take_code();
    if (code < 0x80 && class_escape(static_cast<char>(code), true, items, negated)) return false;
    code = code == 'b' ? U'\b' : escaped_code(code);
    return true;
  }

  std::string_view in_, what_;
  std::size_t at_ = 0;
  std::string out_;
  bool extended_ = false;
};

}  // namespace

std::string translate_regex(std::string_view pattern, std::string_view what) {
  return Translator(pattern, what).run();
}

}  // namespace anemone
