#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "anemone/tokenizer/tokenizer_file.h"

namespace anemone {

// One step from tokens to text. It takes tokens, each in one or more parts, and hands tokens on to
// the next step as soon as nothing that follows can change them: so a whole decode and a stream of
// pieces are the same computation. Parts are valid UTF-8 and end between characters.
class DecodeStep {
 public:
  virtual ~DecodeStep() = default;
  // A part of the current token; the next part belongs to a new one if `ends`.
  virtual void take(std::string_view part, bool ends) = 0;
  // No more tokens: hands on what was held back, then finishes the next step. As new after that.
  virtual void finish() = 0;
};

// The decoder of a tokenizer.json. Immutable; makes a chain of steps for each text.
class Decoder {
 public:
  // Without a decoder tokens are joined by spaces.
  Decoder();
  // `json` is the file's "decoder".
  explicit Decoder(const Fields& fields);

  // A chain that appends to `out`, which must outlive it.
  std::unique_ptr<DecodeStep> start(std::string& out) const;

 private:
  using Make = std::function<std::unique_ptr<DecodeStep>(std::unique_ptr<DecodeStep>)>;
  void add(const Fields& fields);
  std::vector<Make> steps_;
};

}  // namespace anemone
