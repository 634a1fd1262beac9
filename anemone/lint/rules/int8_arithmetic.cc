#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::int8_arithmetic {

constexpr std::string_view kFacts[] = {"T08"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kIronmillConstraints}};

void look(Check& check, const mil::Op& op) {
  if (op.outputs.empty()) return;
  const mil::Value& out = *op.output();
  if (out.type.dtype != DType::kI8 && out.type.dtype != DType::kU8) return;
  if (is_type(&op,
              {"add", "sub", "mul", "real_div", "floor_div", "maximum", "minimum", "matmul"})) {
    check.report("computes on " + std::string(anemone::name(out.type.dtype)) + " tensors");
  } else if (check.function().is_output(out)) {
    check.report("is an output of the function in " + std::string(anemone::name(out.type.dtype)));
  }
}

}  // namespace rule::int8_arithmetic

ANEMONE_DEFINE_RULE(int8_arithmetic) =
    sourced({.id = "int8-arithmetic",
             .facts = rule::int8_arithmetic::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "h14g, the private route"},
             .looks_at = "int8 arithmetic, int8 function outputs",
             .says = "arithmetic on int8 tensors and int8 outputs are refused on the private route",
             .rewrite = "quantize and dequantize in pairs around fp16 arithmetic; fp16 outputs",
             .sources = rule::int8_arithmetic::kSources,
             .is_direct = true,
             .op = rule::int8_arithmetic::look});

}  // namespace anemone::lint
