#include "anemone/gate/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "anemone/base/check.h"

namespace anemone::gate {
namespace {

// The ids of the five greatest, best first; of equals the lowest id, as argmax gives it.
struct Best {
  std::array<int, 5> ids{};
  int count = 0;

  bool has(int id) const {
    return std::find(ids.begin(), ids.begin() + count, id) != ids.begin() + count;
  }
};

Best best_of(std::span<const float> logits) {
  Best best;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (best.count == 5 && !(logits[i] > logits[static_cast<std::size_t>(best.ids[4])])) continue;
    int at = std::min(best.count, 4);
    while (at > 0 &&
           logits[i] >
               logits[static_cast<std::size_t>(best.ids[static_cast<std::size_t>(at - 1)])]) {
      best.ids[static_cast<std::size_t>(at)] = best.ids[static_cast<std::size_t>(at - 1)];
      --at;
    }
    best.ids[static_cast<std::size_t>(at)] = static_cast<int>(i);
    best.count = std::min(best.count + 1, 5);
  }
  return best;
}

// log of the sum of exp(x).
double log_sum(std::span<const float> logits, float top) {
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit - top);
  return top + std::log(sum);
}

}  // namespace

Comparison compare(std::span<const float> reference, std::span<const float> subject, int next) {
  ANEMONE_CHECK(reference.size() == subject.size() && !reference.empty());
  Comparison c;
  const auto look = [](std::span<const float> logits, bool& is_finite, bool& is_flat) {
    const auto [least, greatest] = std::minmax_element(logits.begin(), logits.end());
    is_finite = std::all_of(logits.begin(), logits.end(), [](float v) { return std::isfinite(v); });
    is_flat = is_finite && logits.size() > 1 && *least == *greatest;
  };
  look(reference, c.reference_is_finite, c.reference_is_flat);
  look(subject, c.subject_is_finite, c.subject_is_flat);
  c.is_identical = std::memcmp(reference.data(), subject.data(), reference.size_bytes()) == 0;
  if (!c.reference_is_finite || !c.subject_is_finite) return c;

  const Best best = best_of(reference);
  const Best ours = best_of(subject);
  const auto logit = [](std::span<const float> of, int id) {
    return static_cast<double>(of[static_cast<std::size_t>(id)]);
  };
  c.reference_top = best.ids[0];
  c.subject_top = ours.ids[0];
  if (best.count > 1) c.margin = logit(reference, best.ids[0]) - logit(reference, best.ids[1]);
  c.subject_margin = logit(subject, c.subject_top) - logit(subject, c.reference_top);
  c.top5_of = best.count;
  for (int i = 0; i < ours.count; ++i)
    c.top5 += best.has(ours.ids[static_cast<std::size_t>(i)]) ? 1 : 0;

  const double reference_sum = log_sum(reference, reference[static_cast<std::size_t>(best.ids[0])]);
  const double subject_sum = log_sum(subject, subject[static_cast<std::size_t>(ours.ids[0])]);
  double kl = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double log_p = reference[i] - reference_sum;
    kl += std::exp(static_cast<float>(log_p)) * (log_p - (subject[i] - subject_sum));
  }
  c.kl = std::max(kl, 0.0);  // it is never negative but for rounding
  const Distance d = distance(reference, subject);
  c.cosine = d.cosine;
  c.relative_error = d.relative_error;
  if (next >= 0) {
    c.reference_nll = reference_sum - logit(reference, next);
    c.subject_nll = subject_sum - logit(subject, next);
  }
  return c;
}

Distance distance(std::span<const float> reference, std::span<const float> subject) {
  ANEMONE_CHECK(reference.size() == subject.size());
  double dot = 0, ours = 0, theirs = 0, error = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const double a = reference[i], b = subject[i];
    dot += a * b;
    theirs += a * a;
    ours += b * b;
    error += (b - a) * (b - a);
  }
  Distance d;
  d.is_finite = std::isfinite(ours);
  if (!d.is_finite) return {.cosine = 0, .relative_error = INFINITY, .is_finite = false};
  const double norms = std::sqrt(ours) * std::sqrt(theirs);
  d.cosine = norms > 0 ? std::min(dot / norms, 1.0) : (ours == theirs ? 1.0 : 0.0);
  d.relative_error = theirs > 0 ? std::sqrt(error / theirs) : (error > 0 ? INFINITY : 0.0);
  return d;
}

Range range_of(std::span<const float> values) {
  Range range;
  bool is_first = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      if (range.not_finite++ == 0) range.first_bad = static_cast<std::int64_t>(i);
      continue;
    }
    range.least = is_first ? values[i] : std::min(range.least, values[i]);
    range.greatest = is_first ? values[i] : std::max(range.greatest, values[i]);
    is_first = false;
  }
  return range;
}

}  // namespace anemone::gate
