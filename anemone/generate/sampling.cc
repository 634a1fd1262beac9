#include "anemone/generate/sampling.h"

#include <limits>
#include <sstream>

#include "anemone/base/error.h"

namespace anemone::generate {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();

void require(bool holds, const char* option, double found, const char* allowed) {
  if (holds) return;
  std::ostringstream words;
  words << option << " is " << found << "; allowed: " << allowed;
  throw Error(Code::kUsage, words.str());
}

std::string after(std::int64_t position) {
  return "after " + std::to_string(position) + (position == 1 ? " token: " : " tokens: ");
}

}  // namespace

void SamplingOptions::validate() const {
  require(temperature >= 0 && std::isfinite(temperature), "temperature", temperature,
          "0 or more, finite");
  require(top_k >= 0, "top-k", static_cast<double>(top_k), "0 or more");
  require(top_p >= 0 && top_p <= 1, "top-p", top_p, "0 to 1");
  require(min_p >= 0 && min_p <= 1, "min-p", min_p, "0 to 1");
  require(repetition_penalty > 0 && std::isfinite(repetition_penalty), "repetition penalty",
          repetition_penalty, "more than 0, finite");
  for (const auto& [id, bias] : logit_bias) {
    require(id >= 0, "the id of a logit bias", id, "0 or more");
    require(std::isfinite(bias) || bias == kNever, "a logit bias", static_cast<double>(bias),
            "a finite number or -inf");
  }
}

Sampler::Sampler(const SamplingOptions& options, std::vector<int> banned)
    : options_(options), banned_(std::move(banned)), random_(options.seed) {
  options_.validate();
}

void Sampler::observe(int id) {
  if (id < 0) return;
  const auto at = static_cast<std::size_t>(id);
  if (is_seen_.size() <= at) is_seen_.resize(at + 1);
  if (!is_seen_[at]) seen_.push_back(id);
  is_seen_[at] = true;
}

void Sampler::adjust(std::span<const float> logits, std::int64_t position) {
  for (std::size_t id = 0; id < logits.size(); ++id) {
    // -infinity is a legal way of saying never; the others mean that the arithmetic broke.
    if (std::isnan(logits[id]) || logits[id] == std::numeric_limits<float>::infinity()) {
      throw Error(Code::kNumeric, after(position) + "the logit of id " + std::to_string(id) +
                                      " is " + (std::isnan(logits[id]) ? "NaN" : "infinite") +
                                      "; nothing can be chosen");
    }
  }
  adjusted_.assign(logits.begin(), logits.end());
  const auto in_range = [&](int id) {
    return id >= 0 && static_cast<std::size_t>(id) < logits.size();
  };
  for (const auto& [id, bias] : options_.logit_bias) {
    if (in_range(id)) adjusted_[static_cast<std::size_t>(id)] += bias;
  }
  if (options_.repetition_penalty != 1) {
    const auto penalty = static_cast<float>(options_.repetition_penalty);
    for (const int id : seen_) {
      if (!in_range(id)) continue;
      float& logit = adjusted_[static_cast<std::size_t>(id)];
      logit = logit < 0 ? logit * penalty : logit / penalty;
    }
  }
  for (const int id : banned_) {
    if (in_range(id)) adjusted_[static_cast<std::size_t>(id)] = kNever;
  }
}

int Sampler::greedy() const {
  return static_cast<int>(std::max_element(adjusted_.begin(), adjusted_.end()) - adjusted_.begin());
}

int Sampler::choose(std::span<const float> logits, std::int64_t position) {
  adjust(logits, position);
  const int best = adjusted_.empty() ? 0 : greedy();
  if (adjusted_.empty() || adjusted_[static_cast<std::size_t>(best)] == kNever) {
    throw Error(Code::kNumeric,
                after(position) + "every logit is -infinity; nothing can be chosen");
  }
  if (options_.temperature == 0) return best;

  largest_ = adjusted_[static_cast<std::size_t>(best)];
  const auto scaled = [&](float logit) {
    // The difference first: it is at most 0, so no temperature, however small, makes it overflow
    // to anything but -infinity.
    return (static_cast<double>(logit) - largest_) / options_.temperature;
  };
  candidates_.clear();
  for (std::size_t id = 0; id < adjusted_.size(); ++id) {
    if (adjusted_[id] != kNever) candidates_.push_back({static_cast<int>(id), adjusted_[id]});
  }
  keep_top_k();
  keep_top_p();
  if (options_.min_p > 0) {
    std::erase_if(candidates_, [&](const Candidate& candidate) {
      return std::exp(scaled(candidate.logit)) < options_.min_p;
    });
  }
  std::sort(candidates_.begin(), candidates_.end(),
            [](const Candidate& a, const Candidate& b) { return a.id < b.id; });
  double total = 0;
  for (const Candidate& candidate : candidates_) total += std::exp(scaled(candidate.logit));
  const double point = random_.uniform() * total;
  double reached = 0;
  for (const Candidate& candidate : candidates_) {
    reached += std::exp(scaled(candidate.logit));
    if (point < reached) return candidate.id;
  }
  return best;  // point rounded up to the total
}

void Sampler::keep_top_k() {
  const auto k = static_cast<std::size_t>(options_.top_k);
  if (k == 0 || k >= candidates_.size()) return;
  const auto last = candidates_.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(candidates_.begin(), last, candidates_.end(),
                   [](const Candidate& a, const Candidate& b) { return a.logit > b.logit; });
  const float least = last->logit;
  std::erase_if(candidates_, [&](const Candidate& candidate) { return candidate.logit < least; });
}

void Sampler::keep_top_p() {
  if (options_.top_p >= 1) return;
  const auto weight = [&](const Candidate& candidate) {
    return std::exp((static_cast<double>(candidate.logit) - largest_) / options_.temperature);
  };
  double total = 0;
  for (const Candidate& candidate : candidates_) total += weight(candidate);
  // An id stays while those likelier than it (or as likely, with a lower id) have not reached p;
  // the first always stays. Sorted by pieces: a few hundred ids mostly hold all of p.
  const auto likelier = [](const Candidate& a, const Candidate& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  };
  const double wanted = options_.top_p * total;
  double reached = 0;
  std::size_t kept = 0;
  std::size_t sorted = 0;
  while (kept < candidates_.size() && (kept == 0 || reached < wanted)) {
    if (kept == sorted) {
      sorted = std::min(candidates_.size(), std::max<std::size_t>(256, 4 * sorted));
      std::partial_sort(candidates_.begin() + static_cast<std::ptrdiff_t>(kept),
                        candidates_.begin() + static_cast<std::ptrdiff_t>(sorted),
                        candidates_.end(), likelier);
    }
    reached += weight(candidates_[kept]);
    ++kept;
  }
  candidates_.resize(kept);
}

}  // namespace anemone::generate
