#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::four_bits {

constexpr std::string_view kFacts[] = {"W23"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/QWEN3VL_2B_INT6_OPERATING_POINT.md (top-1: int8 62.5 %, "
     "int6 25.8 %, int4 1.3 %)"},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, 03-quantization"},
    {Confidence::kAppleOs27, from::kAppleQwen}};

void look_at_program(Check& check) {
  std::uint64_t narrow = 0, all = 0;
  for (const FunctionView& function : check.program().functions) {
    for (const mil::Op* op : function.ops()) {
      if (const mil::Value* weight = find_weight(*op); weight != nullptr && weight->is_constant())
        all += static_cast<std::uint64_t>(elements(*weight));
      if (!is_type(op, {"constexpr_lut_to_dense", "constexpr_blockwise_shift_scale",
                        "constexpr_affine_dequantize"}))
        continue;
      const mil::Value* data =
          op->find_input(op->type() == "constexpr_lut_to_dense"        ? "indices"
                         : op->type() == "constexpr_affine_dequantize" ? "quantized_data"
                                                                       : "data");
      if (data == nullptr || is_float(data->type.dtype)) continue;
      all += static_cast<std::uint64_t>(elements(*data));
      if (width_bits(data->type.dtype) <= 4) narrow += static_cast<std::uint64_t>(elements(*data));
    }
  }
  if (narrow == 0 || narrow < all - all / 10 || check.program().weight_count > 2'000'000'000)
    return;
  check.report("nearly all weights have at most 4 bits");
}

}  // namespace rule::four_bits

ANEMONE_DEFINE_RULE(four_bits) = sourced(
    {.id = "four-bits",
     .facts = rule::four_bits::kFacts,
     .severity = Severity::kNumeric,
     .confidence = Confidence::kMeasured,
     .looks_at = "packages of at most 2 billion weights of which nine tenths have at most 4 bits",
     .says = "4 bits throughout ruin models of 0.5 to 2 billion parameters",
     .rewrite = "mixed bits: 8 for the layers that lose most",
     .sources = rule::four_bits::kSources,
     .program = rule::four_bits::look_at_program});

}  // namespace anemone::lint
