#include "anemone/checkpoint/gguf_rope.h"

#include <cmath>
#include <numbers>
#include <optional>

namespace anemone {
namespace {

// Llama 3's rule, with w the wavelength of a frequency: below original / high nothing is changed,
// above original / low the frequency is divided by `factor`, and between it is blended. Source:
// transformers 5.24.0, modeling_rope_utils.py (_compute_llama3_parameters). Only original / low and
// original / high matter, so low is taken as 1.
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
  if (!(rule.high > 1) || !(rule.original >= 1) || !std::isfinite(rule.high + rule.original)) {
    return false;
  }
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

std::optional<Llama3Rule> find_rule(std::span<const double> wavelengths,
                                    std::span<const float> factors) {
  double factor = 1;
  for (const float f : factors) factor = std::max(factor, static_cast<double>(f));
  // With two blended frequencies or more the rule is determined; its numbers are round ones.
  if (const auto exact = fit(factor, wavelengths, factors)) {
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
  // With fewer many rules give these factors, and any will do: the usual one if it is among them.
  for (const double high : {4.0, 2.0, 8.0, 1.5, 16.0, 32.0}) {
    for (double original = 1; original <= 1 << 24; original *= 2) {
      for (const double times : {1.0, 1.25, 1.5, 1.75}) {
        const Llama3Rule rule{factor, high, original * times};
        if (rule.original == std::floor(rule.original) && gives(rule, wavelengths, factors)) {
          return rule;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Json rope_scaling_of_factors(std::span<const float> factors, double rope_theta,
                             std::int64_t max_position_embeddings) {
  bool all_one = true;
  std::vector<double> wavelengths;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    all_one = all_one && factors[i] == 1;
    const double exponent = static_cast<double>(i) / static_cast<double>(factors.size());
    wavelengths.push_back(2 * std::numbers::pi * std::pow(rope_theta, exponent));
  }
  if (all_one) return nullptr;
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
