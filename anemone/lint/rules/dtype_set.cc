#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::dtype_set {

constexpr std::string_view kFacts[] = {"T06"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules}};

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    if (!output->type.is_tensor()) continue;
    const DType dtype = output->type.dtype;
    if (dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kBF16 ||
        dtype == DType::kI8 || dtype == DType::kI16 || dtype == DType::kI32 ||
        dtype == DType::kBool) {
      continue;
    }
    check.report(*output, "gives a tensor of " + std::string(anemone::name(dtype)) +
                              ", outside fp16, int8 and int16");
  }
}

}  // namespace rule::dtype_set

ANEMONE_DEFINE_RULE(dtype_set) = sourced(
    {.id = "dtype-set",
     .facts = rule::dtype_set::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kAppleOs27,
     .scope = {.says = "OS 27"},
     .looks_at = "run-time tensors of other types; fp32, bf16 and int32 have rules of their own, "
                 "bool was measured to run",
     .says = "Apple allows fp16, int8 and int16 tensors on the Neural Engine, and no others",
     .rewrite = "use fp16, int8 or int16",
     .sources = rule::dtype_set::kSources,
     .op = rule::dtype_set::look});

}  // namespace anemone::lint
