#include "anemone/tokenizer/decoder.h"

#include "anemone/tokenizer/byte_level.h"
#include "anemone/tokenizer/pattern.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

constexpr std::string_view kKnown =
    "BPEDecoder, ByteFallback, ByteLevel, Fuse, Metaspace, Replace, Sequence, Strip and WordPiece";

using Next = std::unique_ptr<DecodeStep>;

// The end of every chain.
class Collect : public DecodeStep {
 public:
  explicit Collect(std::string& out) : out_(out) {}
  void take(std::string_view part, bool) override { out_ += part; }
  void finish() override {}

 private:
  std::string& out_;
};

class JoinBySpace : public DecodeStep {
 public:
  explicit JoinBySpace(Next next) : next_(std::move(next)) {}
  void take(std::string_view part, bool ends) override {
    if (behind_) next_->take(" ", false);
    behind_ = ends;
    next_->take(part, ends);
  }
  void finish() override {
    behind_ = false;
    next_->finish();
  }

 private:
  Next next_;
  bool behind_ = false;  // a token has ended
};

// All tokens are one.
class Fuse : public DecodeStep {
 public:
  explicit Fuse(Next next) : next_(std::move(next)) {}
  void take(std::string_view part, bool) override { next_->take(part, false); }
  void finish() override {
    next_->take("", true);
    next_->finish();
  }

 private:
  Next next_;
};

// A step that needs each token whole.
class TokenStep : public DecodeStep {
 public:
  explicit TokenStep(Next next) : next_(std::move(next)) {}
  void take(std::string_view part, bool ends) override {
    if (ends && held_.empty()) {
      token(part);
    } else {
      held_ += part;
      if (!ends) return;
      token(held_);
      held_.clear();
    }
  }
  void finish() override {
    if (!held_.empty()) token(held_);
    held_.clear();
    last();
    next_->finish();
  }

 protected:
  virtual void token(std::string_view text) = 0;
  virtual void last() {}
  Next next_;

 private:
  std::string held_;
};

// Letters to bytes to text; all tokens become one. A token with any other letter (an added one) is
// bytes already.
class ByteLevel : public TokenStep {
 public:
  using TokenStep::TokenStep;

 protected:
  void token(std::string_view text) override {
    const std::size_t before = bytes_.size();
    for (std::size_t at = 0; at < text.size();) {
      const int byte = letter_to_byte(next_code(text, at));
      if (byte < 0) {
        bytes_.resize(before);
        bytes_ += text;
        break;
      }
      bytes_ += static_cast<char>(byte);
    }
    hand_on(false);
  }
  void last() override {
    hand_on(true);
    next_->take("", true);
  }

 private:
  // All but a character at the end that more bytes could complete.
  void hand_on(bool at_end) {
    std::string text;
    std::string_view left = bytes_;
    while (!left.empty()) {
      const Utf8Step step = utf8_step(left);
      if (step.cut_short && !at_end) break;
      text += step.ok ? left.substr(0, step.size_bytes) : kReplacementCharacter;
      left.remove_prefix(step.size_bytes);
    }
    bytes_.erase(0, bytes_.size() - left.size());
    if (!text.empty()) next_->take(text, false);
  }
  std::string bytes_;
};

// Runs of "<0x41>" become text, each run one token; a run that is not UTF-8 becomes one U+FFFD a
// byte.
class ByteFallback : public TokenStep {
 public:
  using TokenStep::TokenStep;

 protected:
  void token(std::string_view text) override {
    if (const int byte = byte_of(text); byte >= 0) {
      bytes_ += static_cast<char>(byte);
      return;
    }
    last();
    next_->take(text, true);
  }
  void last() override {
    if (bytes_.empty()) return;
    if (is_utf8(bytes_)) {
      next_->take(bytes_, true);
    } else {
      for (std::size_t i = 0; i < bytes_.size(); ++i) next_->take(kReplacementCharacter, true);
    }
    bytes_.clear();
  }

 private:
  static int byte_of(std::string_view text) {
    if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') return -1;
    int byte = 0;
    for (const char c : text.substr(3, 2)) {
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                               : -1;
      if (digit < 0) return -1;
      byte = byte * 16 + digit;
    }
    return byte;
  }
  std::string bytes_;
};

// The letter stands for a space, but not at the very start, where the pre-tokenizer has put it. The
// reference drops every letter of the first token, and so spaces of the text; anemone drops one.
class Metaspace : public DecodeStep {
 public:
  Metaspace(Next next, std::string letter, bool prepended)
      : next_(std::move(next)),
        letter_(std::move(letter)),
        prepended_(prepended),
        drop_(prepended) {}
  void take(std::string_view part, bool ends) override {
    std::string text;
    for (std::size_t at = 0; at < part.size();) {
      if (part.substr(at).starts_with(letter_)) {
        if (!drop_) text += ' ';
        at += letter_.size();
      } else {
        const std::size_t length = utf8_length(part[at]);
        text += part.substr(at, length);
        at += length;
      }
      drop_ = false;
    }
    if (ends) drop_ = false;
    next_->take(text, ends);
  }
  void finish() override {
    drop_ = prepended_;
    next_->finish();
  }

 private:
  Next next_;
  std::string letter_;
  bool prepended_, drop_;
};

// Within each token.
class ReplaceText : public DecodeStep {
 public:
  ReplaceText(Next next, std::string text, std::string by)
      : next_(std::move(next)), text_(std::move(text)), by_(std::move(by)) {}
  void take(std::string_view part, bool ends) override {
    held_ += part;
    std::string out;
    std::size_t done = 0;
    for (auto at = held_.find(text_); at != std::string::npos; at = held_.find(text_, done)) {
      out.append(held_, done, at - done);
      out += by_;
      done = at + text_.size();
    }
    // The longest end that may turn out to be the beginning of the text stays.
    std::size_t keep =
        ends ? held_.size()
             : std::max(done, held_.size() - std::min(held_.size(), text_.size() - 1));
    while (keep < held_.size() &&
           !std::string_view(text_).starts_with(std::string_view(held_).substr(keep)))
      ++keep;
    out.append(held_, done, keep - done);
    held_.erase(0, keep);
    next_->take(out, ends);
  }
  void finish() override {
    if (!held_.empty()) take("", true);
    next_->finish();
  }

 private:
  Next next_;
  std::string text_, by_, held_;
};

class ReplacePattern : public TokenStep {
 public:
  ReplacePattern(Next next, Pattern pattern, std::string by)
      : TokenStep(std::move(next)), pattern_(std::move(pattern)), by_(std::move(by)) {}

 protected:
  void token(std::string_view text) override { next_->take(pattern_.replace_all(text, by_), true); }

 private:
  Pattern pattern_;
  std::string by_;
};

// Up to so many of a letter go from each token's start and end.
class Strip : public DecodeStep {
 public:
  Strip(Next next, std::string letter, std::int64_t start, std::int64_t stop)
      : next_(std::move(next)),
        letter_(std::move(letter)),
        start_(start),
        stop_(stop),
        left_(start) {}
  void take(std::string_view part, bool ends) override {
    while (left_ > 0 && !part.empty()) {
      if (!part.starts_with(letter_)) {
        left_ = 0;
        break;
      }
      part.remove_prefix(letter_.size());
      --left_;
    }
    std::string out;
    // Letters at the end wait: the token may end here, and then up to `stop_` of them go.
    std::size_t end = part.size();
    std::int64_t here = 0;
    while (part.substr(0, end).ends_with(letter_)) {
      end -= letter_.size();
      ++here;
    }
    if (end > 0) release(held_, out);
    out += part.substr(0, end);
    held_ += here;
    release(held_ - stop_, out);
    if (ends) {
      held_ = 0;
      left_ = start_;
    }
    next_->take(out, ends);
  }
  void finish() override {
    held_ = 0;
    left_ = start_;
    next_->finish();
  }

 private:
  void release(std::int64_t count, std::string& out) {
    for (; count > 0; --count, --held_) out += letter_;
  }
  Next next_;
  std::string letter_;
  std::int64_t start_, stop_;
  std::int64_t left_;      // letters still to go from this token's start
  std::int64_t held_ = 0;  // letters at its end so far
};

// The suffix of a word's last piece becomes a space, but nothing at the very end.
class Bpe : public TokenStep {
 public:
  Bpe(Next next, std::string suffix) : TokenStep(std::move(next)), suffix_(std::move(suffix)) {}

 protected:
  void token(std::string_view text) override {
    flush(" ");
    const auto at = text.find(suffix_);
    if (at == std::string_view::npos) {
      next_->take(text, true);
    } else {
      next_->take(text.substr(0, at), false);
      waiting_ = text.substr(at);
    }
  }
  void last() override { flush(""); }

 private:
  void flush(std::string_view by) {
    if (waiting_.empty()) return;
    std::string text;
    std::string_view left = waiting_;
    for (auto at = left.find(suffix_); at != std::string_view::npos; at = left.find(suffix_)) {
      text += left.substr(0, at);
      text += by;
      left.remove_prefix(at + suffix_.size());
    }
    text += left;
    waiting_.clear();
    next_->take(text, true);
  }
  std::string suffix_, waiting_;
};

class WordPiece : public TokenStep {
 public:
  WordPiece(Next next, std::string prefix, bool cleanup)
      : TokenStep(std::move(next)), prefix_(std::move(prefix)), cleanup_(cleanup) {}

 protected:
  void token(std::string_view text) override {
    std::string out(text);
    if (!first_) {
      if (text.starts_with(prefix_)) {
        out.erase(0, prefix_.size());
      } else {
        out.insert(0, " ");
      }
    }
    first_ = false;
    if (cleanup_) clean_up(out);
    next_->take(out, true);
  }
  void last() override { first_ = true; }

 private:
  static void clean_up(std::string& text) {
    // Source: tokenizers 0.23.3, WordPiece decoder with cleanup, by experiment.
    constexpr std::string_view kPairs[][2] = {
        {" .", "."},   {" ?", "?"},     {" !", "!"},    {" ,", ","},
        {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},  {" do not", " don't"},
        {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
    for (const auto& [from, to] : kPairs) {
      for (auto at = text.find(from); at != std::string::npos;
           at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
      }
    }
  }
  std::string prefix_;
  bool cleanup_;
  bool first_ = true;
};

template <typename Step, typename... Args>
auto maker(Args... args) {
  return [args...](Next next) -> Next { return std::make_unique<Step>(std::move(next), args...); };
}

std::string letter(const Fields& fields, const char* key, char32_t otherwise) {
  std::string text;
  append_code(text, fields.has(key) ? fields.character(key) : otherwise);
  return text;
}

}  // namespace

Decoder::Decoder() { steps_.push_back(maker<JoinBySpace>()); }

Decoder::Decoder(const Fields& fields) { add(fields); }

void Decoder::add(const Fields& fields) {
  const std::string& type = fields.type();
  constexpr std::int64_t kMany = std::int64_t{1} << 32;
  if (type == "Sequence") {
    for (const Fields& part : fields.list("decoders")) add(part);
  } else if (type == "ByteLevel") {
    steps_.push_back(maker<ByteLevel>());
  } else if (type == "ByteFallback") {
    steps_.push_back(maker<ByteFallback>());
  } else if (type == "Fuse") {
    steps_.push_back(maker<Fuse>());
  } else if (type == "Metaspace") {
    const std::string scheme =
        fields.text("prepend_scheme", fields.flag("add_prefix_space", true) ? "always" : "never");
    steps_.push_back(maker<Metaspace>(letter(fields, "replacement", U'\u2581'), scheme != "never"));
  } else if (type == "Replace") {
    const Pattern pattern(fields);
    if (pattern.text() != nullptr) {
      steps_.push_back(maker<ReplaceText>(*pattern.text(), fields.text("content")));
    } else {
      steps_.push_back(maker<ReplacePattern>(pattern, fields.text("content")));
    }
  } else if (type == "Strip") {
    steps_.push_back(maker<Strip>(letter(fields, "content", U' '),
                                  fields.integer("start", 0, kMany),
                                  fields.integer("stop", 0, kMany)));
  } else if (type == "BPEDecoder") {
    const std::string suffix = fields.text("suffix", "</w>");
    if (suffix.empty()) fields.fail("'suffix' must not be empty");
    steps_.push_back(maker<Bpe>(suffix));
  } else if (type == "WordPiece") {
    steps_.push_back(maker<WordPiece>(fields.text("prefix", "##"), fields.flag("cleanup", true)));
  } else {
    fields.refuse(kKnown);
  }
}

std::unique_ptr<DecodeStep> Decoder::start(std::string& out) const {
  std::unique_ptr<DecodeStep> chain = std::make_unique<Collect>(out);
  for (auto make = steps_.rbegin(); make != steps_.rend(); ++make)
    chain = (*make)(std::move(chain));
  return chain;
}

}  // namespace anemone
