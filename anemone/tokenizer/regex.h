#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace anemone {

// A pattern of a tokenizer.json, matched by PCRE2. Immutable; safe to share between threads.
class Regex {
 public:
  struct Match {
    std::size_t begin = 0, end = 0;
  };

  // `pattern` is in Oniguruma's Ruby syntax, as the reference tokenizers read it. `what` (file and
  // place) starts every message. Throws Error(kBadInput) for a broken pattern, Error(kUnsupported)
  // for a construct that anemone does not translate.
  static Regex compile(std::string_view pattern, std::string_view what);
  // Matches `text` itself.
  static Regex literal(std::string_view text);

  // The leftmost match that starts at `from` or later. `text` is valid UTF-8, `from` a character's
  // start. Throws Error(kLimit) when the pattern needs more steps than the text is worth.
  std::optional<Match> find(std::string_view text, std::size_t from) const;

  // Calls `found(Match)` for one match after another; an empty match right behind a match does not
  // count.
  template <typename F>
  void for_each_match(std::string_view text, F&& found) const {
    std::size_t from = 0;
    std::optional<std::size_t> last_end;
    while (from <= text.size()) {
      const auto match = find(text, from);
      if (!match) return;
      if (match->begin == match->end && last_end == match->end) {
        if (from == text.size()) return;
        from = next_start(text, from);
        continue;
      }
      from = match->end;
      last_end = match->end;
      found(*match);
    }
  }

 private:
  struct Compiled;
  explicit Regex(std::shared_ptr<const Compiled> code) : code_(std::move(code)) {}
  static std::size_t next_start(std::string_view text, std::size_t at);
  std::shared_ptr<const Compiled> code_;
};

// The same pattern in PCRE2's syntax (with PCRE2_UTF and PCRE2_UCP, newline LF).
std::string translate_regex(std::string_view pattern, std::string_view what);

}  // namespace anemone
