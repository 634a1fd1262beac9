#include "anemone/checkpoint/gguf_rope.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

namespace anemone {
namespace {

// Llama 3's rule, with w the wavelength of a frequency: below original / high nothing is changed,
// above original / low the frequency is divided by `factor`, and between it is blended. Source:
// transformers 5.24.0, modeling_rope_utils.py (_compute_llama3_parameters). Only original / low and
// original / high matter, so low is taken as 1.
constexpr double kMostOriginal = 1ull << 40;

struct Llama3Rule {
  double factor = 1;
  double high = 1;
  double original = 1;

  double of(double wavelength) const {
    if (wavelength < original / high) return 1;
    if (wavelength > original) return factor;
    const double smooth = (original / wavelength - 1) / (high - 1);
    return 1 / ((1 - smooth) / factor + smooth);
  }
};

bool gives(const Llama3Rule& rule, std::span<const double> wavelengths,
           std::span<const float> factors) {
  if (!(rule.high > 1 && rule.original >= 1 && rule.original <= kMostOriginal)) return false;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (!(std::abs(rule.of(wavelengths[i]) - factors[i]) <= 2e-6 * factors[i])) return false;
  }
  return true;
}

// The line through the blended frequencies, original * (1 / w) - (high - 1) * smooth = 1, by least
// squares; absent with fewer than two of them.
std::optional<Llama3Rule> fit(double factor, std::span<const double> wavelengths,
                              std::span<const float> factors) {
  double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
  int points = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (factors[i] <= 1 || factors[i] >= factor) continue;
    const double a = 1 / wavelengths[i];
    const double b = -(1 / static_cast<double>(factors[i]) - 1 / factor) / (1 - 1 / factor);
    aa += a * a, ab += a * b, bb += b * b, a1 += a, b1 += b;
    ++points;
  }
  const double determinant = aa * bb - ab * ab;
  if (points < 2 || determinant == 0) return std::nullopt;
  return Llama3Rule{factor, 1 + (aa * b1 - ab * a1) / determinant,
                    (a1 * bb - b1 * ab) / determinant};
}

// What the factors leave open when fewer than two of them are blended.
struct Open {
  double factor = 1;
  double unchanged = 0;    // the longest wavelength with factor 1
  double most_scaled = 0;  // the shortest with the whole factor
  double most_other = 0;   // the longest with less
  double blended = 0;      // the one that is blended, if any
  double smooth = 0;
};

Open read_open(std::span<const double> wavelengths, std::span<const float> factors) {
  Open open;
  for (const float f : factors) open.factor = std::max(open.factor, static_cast<double>(f));
  open.most_scaled = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double f = factors[i];
    if (f >= open.factor) {
      open.most_scaled = std::min(open.most_scaled, wavelengths[i]);
      continue;
    }
    open.most_other = std::max(open.most_other, wavelengths[i]);
    if (f <= 1) {
      open.unchanged = std::max(open.unchanged, wavelengths[i]);
    } else {
      open.blended = wavelengths[i];
      open.smooth = (1 / f - 1 / open.factor) / (1 - 1 / open.factor);
    }
  }
  return open;
}

// Values of `original` worth trying: round ones first, then every whole number that the factors
// allow.
std::vector<double> originals(const Open& open) {
  std::vector<double> tries;
  for (double power = 4; power <= 1 << 24; power *= 2) {
    for (const double times : {1.0, 1.25, 1.5, 1.75}) tries.push_back(power * times);
  }
  const double first = std::max(1.0, std::ceil(open.most_other));
  for (int i = 0; i < 4096 && first + i <= std::min(open.most_scaled, kMostOriginal); ++i) {
    tries.push_back(first + i);
  }
  return tries;
}

std::optional<Llama3Rule> find_rule(std::span<const double> wavelengths,
                                    std::span<const float> factors) {
  const Open open = read_open(wavelengths, factors);
  // With two blended frequencies or more the rule is determined; its numbers are round ones.
  if (const auto exact = fit(open.factor, wavelengths, factors)) {
    Llama3Rule round = *exact;
    round.original = std::round(round.original);
    for (const double steps : {1.0, 4.0, 64.0}) {
      round.high = std::round(exact->high * steps) / steps;
      if (gives(round, wavelengths, factors)) return round;
    }
    round.high = exact->high;
    if (gives(round, wavelengths, factors)) return round;
    return std::nullopt;
  }
  // With fewer many rules give these factors, and any will do; one with round numbers if there is
  // one.
  for (const bool round_only : {true, false}) {
    for (const double original : originals(open)) {
      std::vector<double> highs = {4, 2, 8, 1.5, 16, 32};
      if (open.blended > 0) {
        const double exact = 1 + (original / open.blended - 1) / open.smooth;
        highs = {std::round(exact * 4) / 4};
        if (!round_only) highs.push_back(exact);
      } else if (!round_only && open.unchanged > 0) {
        highs.push_back((1 + original / open.unchanged) / 2);
      }
      for (const double high : highs) {
        const Llama3Rule rule{open.factor, high, original};
        if (gives(rule, wavelengths, factors)) return rule;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Json rope_scaling_of_factors(std::span<const float> factors, double rope_theta,
                             std::int64_t max_position_embeddings) {
  bool all_equal = true;
  std::vector<double> wavelengths;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    all_equal = all_equal && factors[i] == factors[0];
    const double exponent = static_cast<double>(i) / static_cast<double>(factors.size());
    wavelengths.push_back(2 * std::numbers::pi * std::pow(rope_theta, exponent));
  }
  if (all_equal && (factors.empty() || factors[0] == 1)) return nullptr;
  if (all_equal) return {{"rope_type", "linear"}, {"factor", static_cast<double>(factors[0])}};
  if (const auto rule = find_rule(wavelengths, factors)) {
    return {{"rope_type", "llama3"},
            {"factor", rule->factor},
            {"low_freq_factor", 1.0},
            {"high_freq_factor", rule->high},
            {"original_max_position_embeddings", static_cast<std::int64_t>(rule->original)}};
  }
  const std::vector<double> list(factors.begin(), factors.end());
  return {{"rope_type", "longrope"}, {"short_factor", list},
          {"long_factor", list},     {"factor", 1.0},
          {"attention_factor", 1.0}, {"original_max_position_embeddings", max_position_embeddings}};
}

}  // namespace anemone
