#include "anemone/convert/fp16_safety.h"

#include <algorithm>
#include <cmath>

#include "anemone/base/half.h"
#include "anemone/generate/random.h"
#include "anemone/generate/runner.h"

namespace anemone::converter {
namespace {

// Other texts reach further than the one measured.
constexpr float kMargin = 4;
// Magnitudes whose squares fp16 cannot hold. sqrt(65504) is 255.9.
constexpr float kLargestSquare = 256;
constexpr std::size_t kPositions = 128;

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

// "layer_12_" of "layer_12_out"; -1 if the name has none.
std::int64_t layer_of(const std::string& value) {
  constexpr std::string_view kPrefix = "layer_";
  if (!value.starts_with(kPrefix)) return -1;
  return std::strtoll(value.c_str() + kPrefix.size(), nullptr, 10);
}

std::vector<int> calibration_ids(const generate::Runner& runner, std::string& text) {
  std::vector<int> ids;
  if (const Tokenizer* tokenizer = runner.tokenizer()) {
    ids = tokenizer->encode(kText);
    std::erase_if(ids, [&](int id) { return id >= runner.vocab_size(); });
    text = "a text of the tool's own";
  }
  if (ids.empty()) {
    generate::Random random(1);
    for (std::size_t i = 0; i < kPositions; ++i) {
      ids.push_back(static_cast<int>(random.uniform() * static_cast<double>(runner.vocab_size())));
    }
    text = "random ids, there being no tokenizer";
  }
  ids.resize(std::min({ids.size(), kPositions, static_cast<std::size_t>(runner.context())}));
  text += ", " + std::to_string(ids.size()) + " positions";
  return ids;
}

}  // namespace

Json Safety::to_json() const {
  Json json = {
      {"measured_on", text},          {"residual_peak", residual_peak},
      {"gated_peak", gated_peak},     {"residual_shift", scales.residual},
      {"gated_shifts", scales.gated}, {"stream_norm", rescales_norms ? "prescaled" : "concat"}};
  return json;
}

Safety choose_safety(std::span<const generate::ValueRange> ranges, std::int64_t layers) {
  Safety safety;
  std::vector<float> gated(static_cast<std::size_t>(layers), 0);
  for (const generate::ValueRange& range : ranges) {
    // What overflowed even fp32 says nothing about a scale; the gate will have its say.
    const std::int64_t layer = layer_of(range.value);
    if (range.value.ends_with("_gated") && layer >= 0 && layer < layers) {
      float& peak = gated[static_cast<std::size_t>(layer)];
      peak = std::max(peak, range.max_magnitude);
      safety.gated_peak = std::max(safety.gated_peak, range.max_magnitude);
    } else {
      safety.residual_peak = std::max(safety.residual_peak, range.max_magnitude);
    }
  }
  safety.scales.residual = shift_for(safety.residual_peak);
  for (const float peak : gated) safety.scales.gated.push_back(shift_for(peak));
  if (!safety.scales.any()) safety.scales.gated.clear();
  // A scaled epsilon sinks below fp16; dividing first keeps it. Squares overflow long before sums
  // do.
  safety.rescales_norms = safety.scales.residual > 0 ||
                          safety.residual_peak * kMargin > kLargestSquare * kLargestSquare;
  return safety;
}

Safety measure_safety(const std::filesystem::path& bundle, std::int64_t layers, int threads) {
  generate::RangeRecorder recorder(/*of_all=*/false);
  generate::Runner::Options options;
  options.arithmetic = engine::Arithmetic::kFloat32;
  options.threads = threads;
  engine::Options engine_options;
  engine_options.arithmetic = options.arithmetic;
  engine_options.pool = std::make_shared<ThreadPool>(threads);
  options.open = recorder.open(engine_options);
  const auto runner = generate::Runner::load(bundle, options);
  std::string text;
  const std::vector<int> ids = calibration_ids(*runner, text);
  generate::Session(*runner).feed(ids);
  Safety safety = choose_safety(recorder.ranges(), layers);
  safety.text = std::move(text);
  return safety;
}

}  // namespace anemone::converter
