#include "anemone/models/rotary.h"

#include <numbers>

#include "anemone/base/error.h"

namespace anemone::models {
namespace {

double parameter(const ConfigReader& config, const Json& rope, const char* key) {
  const auto found = rope.find(key);
  if (found == rope.end() || found->is_null()) {
    config.fail("rope_parameters", std::string("lacks '") + key + "'");
  }
  if (!found->is_number() || !(found->get<double>() > 0) || !std::isfinite(found->get<double>())) {
    config.fail("rope_parameters",
                std::string("'") + key + "' is " + to_line(*found) + "; it must be above 0");
  }
  return found->get<double>();
}

// Wavelengths above original / low are slowed down by the factor, those below original / high are
// left alone, and those between are mixed.
// Source: transformers 5.24, modeling_rope_utils.py (llama3).
void apply_llama3(const ConfigReader& config, const Json& rope, std::vector<float>& inv_freq) {
  const double factor = parameter(config, rope, "factor");
  const double low = parameter(config, rope, "low_freq_factor");
  const double high = parameter(config, rope, "high_freq_factor");
  const double original = parameter(config, rope, "original_max_position_embeddings");
  if (!(high > low)) {
    config.fail("rope_parameters", "'high_freq_factor' must be above 'low_freq_factor'");
  }
  for (float& frequency : inv_freq) {
    const float wavelength = 2 * std::numbers::pi_v<float> / frequency;
    if (wavelength > original / low) {
      frequency = frequency / static_cast<float>(factor);
    } else if (!(wavelength < original / high)) {
      const float smooth = (static_cast<float>(original) / wavelength - static_cast<float>(low)) /
                           static_cast<float>(high - low);
      frequency = (1 - smooth) * (frequency / static_cast<float>(factor)) + smooth * frequency;
    }
  }
}

}  // namespace

std::vector<float> read_inv_freq(const ConfigReader& config, std::int64_t head_dim) {
  const Json none = Json::object();
  const Json& rope = config.has("rope_parameters") ? config.value("rope_parameters") : none;
  const double theta = rope.contains("rope_theta") && !rope.at("rope_theta").is_null()
                           ? parameter(config, rope, "rope_theta")
                           : 10000.0;
  const std::string kind = rope.value("rope_type", "default");
  if (rope.contains("partial_rotary_factor") && rope.at("partial_rotary_factor") != 1.0) {
    config.fail_unsupported("rope_parameters", "'partial_rotary_factor' is " +
                                                   to_line(rope.at("partial_rotary_factor")) +
                                                   "; only 1 is handled");
  }
  constexpr std::string_view kKnown[] = {
      "rope_type",       "rope_theta",       "partial_rotary_factor",           "factor",
      "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"};
  for (const auto& [key, value] : rope.items()) {
    if (!value.is_null() &&
        std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) {
      config.fail_unsupported("rope_parameters",
                              "'" + key + "' is not known for rope type '" + kind + "'");
    }
  }

  std::vector<float> inv_freq(static_cast<std::size_t>(head_dim / 2));
  for (std::size_t i = 0; i < inv_freq.size(); ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(head_dim);
    inv_freq[i] = 1.0f / std::pow(static_cast<float>(theta), exponent);
  }
  if (kind == "linear") {
    const auto factor = static_cast<float>(parameter(config, rope, "factor"));
    for (float& frequency : inv_freq) frequency /= factor;
  } else if (kind == "llama3") {
    apply_llama3(config, rope, inv_freq);
  } else if (kind != "default") {
    config.fail_unsupported(
        "rope_parameters",
        "rope type '" + kind + "' is not handled; known: default, linear, llama3");
  }
  return inv_freq;
}

}  // namespace anemone::models
