#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::fp32_island {

constexpr std::string_view kFacts[] = {"T02"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kMoreAne},
                               {Confidence::kAppleOs27, from::kNeuralEngineRules},
                               {Confidence::kApple, from::kTypedExecution}};

void look(Check& check, const mil::Op& op) {
  if (!is_float_op(op) || op.output()->type.dtype != DType::kF32) return;
  if (is_boundary_cast(check.function(), op)) return;
  // Where all is fp32, fp32-program says so once.
  if (check.function().has_half_op()) check.report("computes in fp32 inside an fp16 function");
}

}  // namespace rule::fp32_island

ANEMONE_DEFINE_RULE(fp32_island) = sourced(
    {.id = "fp32-island",
     .facts = rule::fp32_island::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .looks_at = "ops with an fp32 output in a function that is not fp32 throughout",
     .says =
         "an fp32 op in an fp16 function runs on CPU or GPU, and the values around it are copied",
     .rewrite = "drop the cast to fp32; a norm that is safe in fp16 is layer_norm of concat(x, -x)",
     .sources = rule::fp32_island::kSources,
     .moves = true,
     .op = rule::fp32_island::look});

}  // namespace anemone::lint
