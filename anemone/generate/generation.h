#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/generate/runner.h"
#include "anemone/generate/sampling.h"

namespace anemone::generate {

enum class StopReason : std::uint8_t {
  kEos,          // an id that ends the text; it is not part of it
  kLength,       // prompt and text fill the context
  kMaxTokens,    // as many ids as were asked for
  kInterrupted,  // the stop flag
};
// "eos", "context", "max-tokens", "interrupted"
std::string_view name(StopReason reason);
// In the words of the usual HTTP interface: "stop" for an end of text, "length" for either limit,
// "interrupted".
std::string_view finish_reason(StopReason reason);

struct GenerateOptions {
  SamplingOptions sampling = {};
  std::optional<std::int64_t> max_tokens =
      {};                   // absent: until the text ends or the context is full
  bool ignore_eos = false;  // ids that end the text are ids like any other
  const StopFlag* stop = nullptr;
};

struct Generation {
  std::vector<int> ids;
  StopReason reason = StopReason::kEos;
  std::optional<int> eos_id;  // which one ended it
  std::int64_t prompt_tokens = 0;
  std::int64_t decode_steps = 0;
  double prefill_seconds = 0;                 // the prompt, up to its logits
  std::optional<double> first_token_seconds;  // up to the first choice, an end of text counted
  double decode_seconds = 0;                  // all that came after the first choice
};

// Continues `prompt` (and what the session already holds) until a reason to stop. Ids without a
// token are never chosen. `on_id` is told of each id as soon as it is chosen. An interruption
// during the prompt too is a reason, not an error. Throws Error.
Generation generate(Session& session, std::span<const int> prompt, const GenerateOptions& options,
                    const std::function<void(int id)>& on_id = {});

// The prompt's ids: what the tokenizer makes of it, with what its post-processor adds, but never a
// second time what the text already begins with (a BOS that is spelt out).
std::vector<int> encode_prompt(const Tokenizer& tokenizer, std::string_view text);

// Ids below `vocab_size` that no token of the tokenizer has.
std::vector<int> ids_without_token(const Tokenizer& tokenizer, std::int64_t vocab_size);

}  // namespace anemone::generate
