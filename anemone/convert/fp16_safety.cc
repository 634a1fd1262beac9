#include "anemone/convert/fp16_safety.h"

#include <algorithm>
#include <cmath>

#include "anemone/base/error.h"
#include "anemone/base/half.h"
#include "anemone/oracle/oracle.h"
#include "anemone/tokenizer/tokenizer.h"

namespace anemone::converter {
namespace {

// Other texts reach further than the one measured.
constexpr float kMargin = 4;
// Magnitudes whose squares fp16 cannot hold. sqrt(65504) is 255.9.
constexpr float kLargestSquare = 256;
// Massive activations show at the first position and at separators; more would only cost time.
constexpr std::size_t kPositions = 96;

constexpr char kText[] =
    "It was a bright morning in early spring, and the market square was already full. Farmers had "
    "come "
    "down from the hills with cheese, honey and apples; a fiddler played by the fountain. \"How "
    "much for "
    "two dozen?\" asked a woman in a blue coat. \"Eleven dollars and 50 cents,\" he said, \"or 3 "
    "for the "
    "price of 2 if you take the rest.\" She laughed, counted her coins twice, and paid. def "
    "area(r): "
    "return 3.14159 * r ** 2  # of a circle. The answer is 42; see section 7.2 (page 118) for "
    "why.\n";

// The smallest n >= 0 for which peak * 2^-n leaves the margin.
int shift_for(float peak) {
  int shift = 0;
  while (std::ldexp(peak, -shift) * kMargin > kMaxF16 && shift < 24) ++shift;
  return shift;
}

// To three decimal digits: coarser than whatever two processors' exp() could differ by.
float three_digits(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", static_cast<double>(value));
  return std::strtof(text, nullptr);
}

// As a double that prints with those digits.
double shortest(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", static_cast<double>(value));
  return std::strtod(text, nullptr);
}

float peak_of(const oracle::Seen& seen) {
  float peak = 0;
  for (std::int64_t i = 0; i < seen.rows * seen.columns; ++i) {
    // What overflows even fp32 says nothing about a scale; the gate will have its say.
    if (std::isfinite(seen.data[i])) peak = std::max(peak, std::abs(seen.data[i]));
  }
  return three_digits(peak);
}

std::vector<int> calibration_ids(std::int64_t vocab_size, const SafetyOptions& options,
                                 std::string& says) {
  std::vector<int> ids;
  if (options.tokenizer) {
    ids = Tokenizer::from_json(*options.tokenizer, "tokenizer.json").encode(kText);
    std::erase_if(ids, [&](int id) { return id < 0 || id >= vocab_size; });
    says = "a text that comes with the tool";
  }
  if (ids.empty()) {
    // The generator of MINSTD, whose numbers are the same everywhere.
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < kPositions; ++i) {
      state = state * 48271 % 2147483647;
      ids.push_back(static_cast<int>(state % static_cast<std::uint64_t>(vocab_size)));
    }
    says = "random ids, seed 1 (there is no tokenizer)";
  }
  ids.resize(std::min({ids.size(), kPositions, static_cast<std::size_t>(options.context)}));
  says += ", " + std::to_string(ids.size()) + " positions";
  return ids;
}

std::string in_words(const Safety& safety) {
  if (safety.measured_on.empty()) return "nothing: no ranges are known";
  if (!safety.changes_anything()) {
    return "nothing: with a factor of 4 to spare, no value passes 65504";
  }
  std::string text;
  const auto also = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (safety.scales.residual != 0) {
    also("the residual stream is divided by 2^" + std::to_string(safety.scales.residual));
  }
  const auto gated = std::count_if(safety.scales.gated.begin(), safety.scales.gated.end(),
                                   [](int shift) { return shift != 0; });
  if (gated > 0) {
    also("the gated products of " + std::to_string(gated) + " layers are divided by powers of 2");
  }
  if (safety.rescales_norms) also("the stream's norms divide by the largest magnitude first");
  return text;
}

}  // namespace

Json Safety::to_json() const {
  Json json = {{"done", in_words(*this)},
               {"measured_on", measured_on.empty() ? Json(nullptr) : Json(measured_on)},
               {"residual_shift", scales.residual},
               {"gated_shifts", scales.gated},
               {"stream_norm", rescales_norms ? "prescaled" : "concat"}};
  if (measured_on.empty()) {
    json["why_not_measured"] = why_not;
    return json;
  }
  const auto largest = [](const std::vector<float>& of) {
    return of.empty() ? 0.0f : *std::max_element(of.begin(), of.end());
  };
  json["residual_peak"] = shortest(peaks.residual);
  json["gated_peak"] = shortest(largest(peaks.gated));
  return json;
}

Safety choose_safety(Peaks peaks) {
  Safety safety;
  safety.scales.residual = shift_for(peaks.residual);
  for (const float peak : peaks.gated) safety.scales.gated.push_back(shift_for(peak));
  if (!std::any_of(safety.scales.gated.begin(), safety.scales.gated.end(),
                   [](int shift) { return shift != 0; })) {
    safety.scales.gated.clear();
  }
  // A scaled epsilon sinks below fp16; dividing first keeps it. Squares overflow long before sums
  // do.
  safety.rescales_norms =
      safety.scales.residual > 0 || peaks.residual * kMargin > kLargestSquare * kLargestSquare;
  safety.peaks = std::move(peaks);
  return safety;
}

Safety measure_safety(const Checkpoint& checkpoint, const SafetyOptions& options) {
  try {
    const auto oracle =
        oracle::Oracle::load(checkpoint, {.layers = options.layers,
                                          .tie_missing_head = options.tie_missing_head,
                                          .threads = options.threads,
                                          .in_double = true});
    std::string says;
    const oracle::Sequence text{calibration_ids(oracle->config().vocab_size, options, says)};
    Peaks peaks;
    const auto layers = static_cast<std::size_t>(oracle->config().layers);
    peaks.gated.assign(layers, 0);
    peaks.stream.assign(layers, 0);
    oracle->run(
        std::span(&text, 1),
        [&](const oracle::Seen& seen) {
          const auto layer = static_cast<std::size_t>(std::max<std::int64_t>(0, seen.layer));
          if (seen.name == "gated") {
            peaks.gated[layer] = peak_of(seen);
          } else if (seen.name == "embedding" || seen.name == "o_proj" ||
                     seen.name == "down_proj" || seen.name == "after_attention" ||
                     seen.name == "out") {
            const float peak = peak_of(seen);
            peaks.residual = std::max(peaks.residual, peak);
            if (seen.name == "out") peaks.stream[layer] = peak;
          }
        },
        options.progress, options.stop);
    Safety safety = choose_safety(std::move(peaks));
    safety.measured_on = std::move(says);
    return safety;
  } catch (const Error& error) {
    if (error.code() == Code::kInterrupted) throw;
    Safety safety;
    safety.why_not = error.what();
    return safety;
  }
}

}  // namespace anemone::converter
