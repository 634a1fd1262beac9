#include "anemone/generate/generation.h"

#include <chrono>

namespace anemone::generate {
namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::string_view name(StopReason reason) {
  switch (reason) {
    case StopReason::kEos:
      return "eos";
    case StopReason::kLength:
      return "context";
    case StopReason::kMaxTokens:
      return "max-tokens";
    case StopReason::kInterrupted:
      return "interrupted";
  }
  return "";
}

std::string_view finish_reason(StopReason reason) {
  switch (reason) {
    case StopReason::kEos:
      return "stop";
    case StopReason::kLength:
    case StopReason::kMaxTokens:
      return "length";
    case StopReason::kInterrupted:
      return "interrupted";
  }
  return "";
}

Generation generate(Session& session, std::span<const int> prompt, const GenerateOptions& options,
                    const std::function<void(int id)>& on_id) {
  const Runner& runner = session.runner();
  Sampler sampler(options.sampling,
                  runner.tokenizer() ? ids_without_token(*runner.tokenizer(), runner.vocab_size())
                                     : std::vector<int>());
  for (const int id : prompt) sampler.observe(id);

  Generation result;
  const auto interrupted = [&] {
    if (!options.stop || !options.stop->is_set()) return false;
    result.reason = StopReason::kInterrupted;
    return true;
  };
  const Stopwatch whole;
  std::span<const float> logits;
  session.require_room(prompt);
  for (auto rest = prompt; !rest.empty();) {
    if (interrupted()) return result;
    logits = session.feed_block(rest);
  }
  result.prompt_tokens = static_cast<std::int64_t>(prompt.size());
  result.prefill_seconds = whole.seconds();

  for (;;) {
    if (interrupted()) break;
    if (options.max_tokens && static_cast<std::int64_t>(result.ids.size()) >= *options.max_tokens) {
      result.reason = StopReason::kMaxTokens;
      break;
    }
    // The last id that was chosen has no place of its own yet.
    const std::int64_t taken = session.position() + (result.ids.empty() ? 0 : 1);
    if (taken >= runner.context()) {
      result.reason = StopReason::kLength;
      break;
    }
    if (!result.ids.empty()) {
      logits = session.feed(std::span(result.ids).last(1));
      ++result.decode_steps;
    }
    const int id = sampler.choose(logits, session.position());
    if (!result.first_token_seconds) result.first_token_seconds = whole.seconds();
    if (!options.ignore_eos && runner.bundle().is_eos(id)) {
      result.reason = StopReason::kEos;
      result.eos_id = id;
      break;
    }
    sampler.observe(id);
    result.ids.push_back(id);
    if (on_id) on_id(id);
  }
  result.decode_seconds = whole.seconds() - result.first_token_seconds.value_or(whole.seconds());
  return result;
}

std::vector<int> encode_prompt(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<int>& prefix = tokenizer.prefix_ids();
  auto ids = tokenizer.encode(text);
  const auto twice = 2 * prefix.size();
  if (!prefix.empty() && ids.size() >= twice &&
      std::equal(prefix.begin(), prefix.end(),
                 ids.begin() + static_cast<std::ptrdiff_t>(prefix.size()))) {
    ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(prefix.size()));
  }
  return ids;
}

std::vector<int> ids_without_token(const Tokenizer& tokenizer, std::int64_t vocab_size) {
  std::vector<int> ids;
  for (int id = 0; id < vocab_size; ++id) {
    if (!tokenizer.token(id)) ids.push_back(id);
  }
  return ids;
}

}  // namespace anemone::generate
