#pragma once

#include "anemone/tokenizer/regex.h"
#include "anemone/tokenizer/tokenizer_file.h"

namespace anemone {

// The "pattern" of a part: {"String": "x"} or {"Regex": "x"}.
class Pattern {
 public:
  explicit Pattern(const Fields& fields);

  // The text if it is one, and no expression.
  const std::string* text() const { return regex_ ? nullptr : &text_; }

  // Calls found(Regex::Match) for each match, from left to right.
  template <typename F>
  void for_each_match(std::string_view in, F&& found) const {
    if (regex_) {
      regex_->for_each_match(in, found);
      return;
    }
    for (std::size_t at = in.find(text_); at != std::string_view::npos; at = in.find(text_, at)) {
      found(Regex::Match{at, at + text_.size()});
      at += text_.size();
    }
  }

  // Every match becomes `by`.
  std::string replace_all(std::string_view in, std::string_view by) const;

 private:
  std::string text_;
  std::optional<Regex> regex_;
};

}  // namespace anemone
