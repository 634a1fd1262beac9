#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::scaled_lut {

constexpr std::string_view kFacts[] = {"W19"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "apple/coremltools issue 2688"},
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/QWEN3VL_2B_INT6_OPERATING_POINT.md"}};
constexpr std::string_view kOps[] = {"constexpr_blockwise_shift_scale"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* data = op.find_input("data");
  if (data == nullptr) return;
  if (is_type(data->producer, {"constexpr_lut_to_dense"})) {
    check.report("scales over a lookup table");
    return;
  }
  // coremltools 9 folds a scale for each channel into the tables themselves.
  if (!is_float(data->type.dtype)) return;
  for (const Use& use : check.function().uses(*op.output())) {
    if (use.op->type() != "constexpr_lut_to_dense" || use.parameter != "lut") continue;
    check.report("scales over the entries of a lookup table");
    return;
  }
}

}  // namespace rule::scaled_lut

ANEMONE_DEFINE_RULE(scaled_lut) = sourced(
    {.id = "scaled-lut",
     .facts = rule::scaled_lut::kFacts,
     .severity = Severity::kRejected,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "M4, macOS 26.6, coremltools 9", .since = mil::Opset::kIos18},
     .looks_at = "constexpr_blockwise_shift_scale over a lookup table or its fp16 entries",
     .says = "a lookup table with a scale for each channel fails an assertion of mps.dequantize",
     .rewrite = "tables without scales (iOS 17 form, or coremltools 8.3)",
     .sources = rule::scaled_lut::kSources,
     .ops = rule::scaled_lut::kOps,
     .op = rule::scaled_lut::look});

}  // namespace anemone::lint
