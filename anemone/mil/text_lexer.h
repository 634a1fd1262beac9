#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Words and marks of the MIL text form. Not public.
namespace anemone::mil {

struct Token {
  enum class Kind : std::uint8_t {
    kWord,    // tensor, x_1
    kNumber,  // -1.5e3, 0x1.8p+1, -inf
    kString,  // with its quotes and escapes still on
    kMark,    // ( ) [ ] { } < > , ; = ? -> ...
    kEnd,
  };
  Kind kind = Kind::kEnd;
  std::string_view text;  // a part of the source

  bool is(std::string_view mark) const { return kind == Kind::kMark && text == mark; }
  bool is_word(std::string_view word) const { return kind == Kind::kWord && text == word; }
};

// Reads tokens off a text, of which it is always one ahead; // starts a comment that ends with its
// line. What it cannot read is an Error(kBadInput).
class Lexer {
 public:
  Lexer(std::string_view text, std::string_view what);

  const Token& now() const { return now_; }
  // The character after the current token, white space apart; 0 at the end.
  char after() const;
  // Gives the current token and goes to the next.
  Token take();
  // Takes the mark if it is there.
  bool take_if(std::string_view mark);
  void expect(std::string_view mark);
  // "what: line 3, column 9: why", at the current token or at `place`, a part of the text.
  [[noreturn]] void fail(const std::string& why) const { fail(now_.text, why); }
  [[noreturn]] void fail(std::string_view place, const std::string& why) const;
  // "expected X, found Y"
  [[noreturn]] void fail_expecting(std::string_view thing) const;
  // The contents of a string token.
  std::string unquoted(const Token& token) const;

 private:
  std::size_t skip_space(std::size_t at) const;
  Token read(std::size_t at) const;
  Token read_string(std::size_t at) const;
  Token read_number(std::size_t at) const;

  std::string_view text_;
  std::string_view what_;
  Token now_;
};

}  // namespace anemone::mil
