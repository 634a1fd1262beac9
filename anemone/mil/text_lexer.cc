#include "anemone/mil/text_lexer.h"

#include <algorithm>

#include "anemone/base/error.h"

namespace anemone::mil {
namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A token for a message: short, and nothing that could garble a terminal.
std::string shown(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return "the end of the text";
  constexpr std::size_t kLongest = 40;
  std::string clean(token.text.substr(0, kLongest));
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  return "'" + clean + (token.text.size() > kLongest ? "...'" : "'");
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view what) : text_(text), what_(what) {
  now_ = read(0);
}

std::size_t Lexer::skip_space(std::size_t at) const {
  while (at < text_.size()) {
    if (is_space(text_[at])) {
      ++at;
    } else if (text_.substr(at, 2) == "//") {
      at = std::min(text_.find('\n', at), text_.size());
    } else {
      break;
    }
  }
  return at;
}

char Lexer::after() const {
  const auto end = static_cast<std::size_t>(now_.text.data() + now_.text.size() - text_.data());
  const std::size_t at = skip_space(end);
  return at < text_.size() ? text_[at] : '\0';
}

Token Lexer::take() {
  const Token taken = now_;
  now_ = read(static_cast<std::size_t>(taken.text.data() + taken.text.size() - text_.data()));
  return taken;
}

bool Lexer::take_if(std::string_view mark) {
  if (!now_.is(mark)) return false;
  take();
  return true;
}

void Lexer::expect(std::string_view mark) {
  if (!take_if(mark)) fail_expecting("'" + std::string(mark) + "'");
}

void Lexer::fail(std::string_view place, const std::string& why) const {
  const auto at = static_cast<std::size_t>(place.data() - text_.data());
  const std::string_view head = text_.substr(0, at);
  const auto line = 1 + std::count(head.begin(), head.end(), '\n');
  const std::size_t column = at - (head.rfind('\n') + 1);  // npos + 1 is 0
  throw Error(Code::kBadInput, std::string(what_) + ": line " + std::to_string(line) + ", column " +
                                   std::to_string(column + 1) + ": " + why);
}

void Lexer::fail_expecting(std::string_view thing) const {
  fail("expected " + std::string(thing) + ", found " + shown(now_));
}

Token Lexer::read(std::size_t at) const {
  at = skip_space(at);
  if (at == text_.size()) return {Token::Kind::kEnd, text_.substr(at)};
  const char c = text_[at];
  const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
  if (is_letter(c)) {
    std::size_t end = at + 1;
    while (end < text_.size() &&
           (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '@')) {
      ++end;
    }
    return {Token::Kind::kWord, text_.substr(at, end - at)};
  }
  if (c == '"') return read_string(at);
  if (text_.substr(at, 2) == "->") return {Token::Kind::kMark, text_.substr(at, 2)};
  if (text_.substr(at, 3) == "...") return {Token::Kind::kMark, text_.substr(at, 3)};
  if (is_digit(c) || ((c == '-' || c == '+' || c == '.') && (is_digit(next) || next == '.')) ||
      ((c == '-' || c == '+') && is_letter(next))) {
    return read_number(at);
  }
  if (std::string_view("()[]{}<>,;=?").find(c) != std::string_view::npos) {
    return {Token::Kind::kMark, text_.substr(at, 1)};
  }
  fail(text_.substr(at, 1),
       "unexpected character " + shown({Token::Kind::kMark, text_.substr(at, 1)}));
}

Token Lexer::read_string(std::size_t at) const {
  for (std::size_t end = at + 1; end < text_.size(); ++end) {
    if (text_[end] == '\\') {
      ++end;
    } else if (text_[end] == '"') {
      return {Token::Kind::kString, text_.substr(at, end + 1 - at)};
    } else if (text_[end] == '\n') {
      break;
    }
  }
  fail(text_.substr(at, 1), "the string that starts here does not end on its line");
}

Token Lexer::read_number(std::size_t at) const {
  std::size_t end = at;
  if (text_[end] == '-' || text_[end] == '+') ++end;
  const bool is_hex = text_.substr(end, 2) == "0x" || text_.substr(end, 2) == "0X";
  while (end < text_.size()) {
    const char c = text_[end];
    const char before = text_[end - (end > at ? 1 : 0)];
    const bool is_exponent =
        is_hex ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
    if (!is_letter(c) && !is_digit(c) && c != '.' && !((c == '-' || c == '+') && is_exponent))
      break;
    ++end;
  }
  return {Token::Kind::kNumber, text_.substr(at, end - at)};
}

std::string Lexer::unquoted(const Token& token) const {
  const std::string_view inside = token.text.substr(1, token.text.size() - 2);
  std::string result;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\') {
      result += inside[i];
      continue;
    }
    ++i;  // read_string saw to it that something follows
    switch (inside[i]) {
      case '"':
      case '\\':
        result += inside[i];
        break;
      case 'n':
        result += '\n';
        break;
      case 'r':
        result += '\r';
        break;
      case 't':
        result += '\t';
        break;
      case 'x': {
        const int high = i + 1 < inside.size() ? hex_value(inside[i + 1]) : -1;
        const int low = i + 2 < inside.size() ? hex_value(inside[i + 2]) : -1;
        if (high < 0 || low < 0) {
          fail(inside.substr(i - 1, 1), "\\x must be followed by two hexadecimal digits");
        }
        result += static_cast<char>(high * 16 + low);
        i += 2;
        break;
      }
      default:
        fail(inside.substr(i - 1, 1), "unknown escape; allowed: \\\" \\\\ \\n \\r \\t \\xNN");
    }
  }
  return result;
}

}  // namespace anemone::mil
