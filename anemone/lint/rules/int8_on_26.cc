#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::int8_on_26 {

constexpr std::string_view kFacts[] = {"R11"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "PostTrainLLM/posttrainllm@91ae643, docs/prds/macos26-int8-ane-handoff-port.md"}};
constexpr std::string_view kOps[] = {"constexpr_blockwise_shift_scale",
                                     "constexpr_affine_dequantize"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* data =
      op.find_input(op.type() == "constexpr_affine_dequantize" ? "quantized_data" : "data");
  if (data != nullptr && (data->type.dtype == DType::kI8 || data->type.dtype == DType::kU8))
    check.report(*data, "an int8 weight for macOS 26");
}

}  // namespace rule::int8_on_26

ANEMONE_DEFINE_RULE(int8_on_26) =
    sourced({.id = "int8-on-26",
             .facts = rule::int8_on_26::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "macOS 26.0, coremltools 9", .since = mil::Opset::kIos26},
             .looks_at = "int8 weights in functions that target iOS 26 / macOS 26",
             .says = "int8 weights with a target of macOS 26 could not bind their buffers",
             .rewrite = "target macOS 15",
             .sources = rule::int8_on_26::kSources,
             .ops = rule::int8_on_26::kOps,
             .op = rule::int8_on_26::look});

}  // namespace anemone::lint
