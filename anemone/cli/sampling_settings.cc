#include "anemone/cli/sampling_settings.h"

#include <charconv>
#include <random>

#include "anemone/base/error.h"

namespace anemone::cli {
namespace {

std::uint64_t seed_of(std::string_view text) {
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    throw Error(Code::kUsage, "--seed is '" + std::string(text) +
                                  "'; allowed: an integer from 0 to 18446744073709551615");
  }
  return seed;
}

std::pair<int, float> bias_of(std::string_view text) {
  const auto equals = text.find('=');
  const auto id = find_integer(text.substr(0, equals));
  const std::string_view number =
      equals == std::string_view::npos ? std::string_view() : text.substr(equals + 1);
  const double value = find_number(number).value_or(std::numeric_limits<double>::quiet_NaN());
  const bool is_id = id && *id >= 0 && *id <= std::numeric_limits<int>::max();
  if (!is_id || std::isnan(value)) {
    throw Error(Code::kUsage, "--logit-bias is '" + std::string(text) +
                                  "'; allowed: ID=V, a token id and a number, as in 42=-3.5");
  }
  return {static_cast<int>(*id), static_cast<float>(value)};
}

std::optional<double> number_in(const Json& config, const char* key, std::string_view file) {
  const auto found = config.find(key);
  if (found == config.end() || found->is_null()) return std::nullopt;
  if (!found->is_number()) {
    throw Error(Code::kBadInput, std::string(file) + ": '" + key + "' is " + to_line(*found) +
                                     "; allowed: a number");
  }
  return found->get<double>();
}

}  // namespace

void add_sampling_options(Options& options, SamplingSettings& settings) {
  options.flag("--greedy", settings.greedy, "always the likeliest token (the default)");
  options.flag("--sample", settings.sample,
               "at random, as the bundle's generation config says; the options below override it");
  options.number("--temperature T", settings.temperature,
                 "logits are divided by it; 0 is greedy (default: 1 when sampling)");
  options.integer("--top-k N", settings.top_k, 0, std::numeric_limits<std::int64_t>::max(),
                  "only the N likeliest; 0 is all (default: all)");
  options.number("--top-p P", settings.top_p,
                 "only the fewest likeliest that reach P together (default: 1, all)");
  options.number("--min-p P", settings.min_p,
                 "only those at least P times as likely as the likeliest (default: 0, all)");
  options.number("--repetition-penalty R", settings.repetition_penalty,
                 "divides the positive and multiplies the negative logits of tokens seen before "
                 "(default: 1, none)");
  options.custom("--seed N", false, "the same seed gives the same text (default: a new one)",
                 [&](std::string_view value) { settings.seed = seed_of(value); });
  options.custom("--logit-bias ID=V", true,
                 "adds V to the logit of a token; -inf bans it; repeatable",
                 [&](std::string_view value) {
                   const auto [id, bias] = bias_of(value);
                   settings.logit_bias[id] = bias;
                 });
}

generate::SamplingOptions sampling_options(const SamplingSettings& settings,
                                           const Json& generation_config, std::string_view file) {
  if (settings.greedy && (settings.sample || settings.temperature.value_or(0) > 0)) {
    throw Error(Code::kUsage,
                "--greedy excludes " +
                    std::string(settings.sample ? "--sample" : "a --temperature above 0"));
  }
  const Json& config = settings.sample ? generation_config : Json::object();
  const auto settled = [&](const std::optional<double>& given, const char* key, double otherwise) {
    return given ? *given : number_in(config, key, file).value_or(otherwise);
  };
  const bool is_random = !settings.greedy && (settings.sample || settings.temperature ||
                                              settings.top_k || settings.top_p || settings.min_p);
  generate::SamplingOptions options;
  options.logit_bias = settings.logit_bias;
  options.repetition_penalty = settled(settings.repetition_penalty, "repetition_penalty", 1);
  options.top_k = settings.top_k
                      ? *settings.top_k
                      : static_cast<std::int64_t>(number_in(config, "top_k", file).value_or(0));
  options.top_p = settled(settings.top_p, "top_p", 1);
  options.min_p = settled(settings.min_p, "min_p", 0);
  if (is_random) options.temperature = settled(settings.temperature, "temperature", 1);
  if (settings.seed) {
    options.seed = *settings.seed;
  } else {
    std::random_device device;
    options.seed = (static_cast<std::uint64_t>(device()) << 32) | device();
  }
  options.validate();
  return options;
}

}  // namespace anemone::cli
