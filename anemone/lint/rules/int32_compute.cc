#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::int32_compute {

constexpr std::string_view kFacts[] = {"T04"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kAnemllProfile},
                               {Confidence::kMeasured, from::kForgeCapabilities},
                               {Confidence::kMeasured, from::kIronmillOps},
                               {Confidence::kMeasured, "FluidInference/mobius PR 78"}};

void look(Check& check, const mil::Op& op) {
  // What has no kernel at all, and what a state update is addressed by, have rules of their own.
  if (check.function().is_state_position(op)) return;
  if (is_type(&op, {"gather",      "gather_nd",     "gather_along_axis",
                    "scatter",     "scatter_nd",    "scatter_along_axis",
                    "shape",       "reduce_argmax", "reduce_argmin",
                    "topk",        "slice_update",  "read_state",
                    "write_state", "reshape",       "reshape_like",
                    "cond",        "while_loop",    "non_zero",
                    "argsort",     "one_hot"}) &&
      !(op.type() == "reshape" && !op.outputs.empty() && is_runtime_integer(*op.output()))) {
    return;
  }
  if (!op.outputs.empty() && is_runtime_integer(*op.output())) {
    check.report("gives an int32 tensor");
    return;
  }
  for (const mil::Input& input : op.inputs) {
    if (input.name == "begin" || input.name == "end" || input.name == "size") continue;
    for (const mil::Value* value : input.values) {
      if (!is_runtime_integer(*value)) continue;
      check.report(*value, "takes the int32 tensor " + in_quotes(value->name));
      return;
    }
  }
}

}  // namespace rule::int32_compute

ANEMONE_DEFINE_RULE(int32_compute) =
    sourced({.id = "int32-compute",
             .facts = rule::int32_compute::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kMeasured,
             .looks_at = "ops that take or give an int32 tensor at run time, but for the position "
                         "of a state update",
             .says = "the Neural Engine computes on no int32 tensor",
             .rewrite = "do index arithmetic on the host; pass fp16 masks and rows of cos and sin",
             .sources = rule::int32_compute::kSources,
             .moves = true,
             .op = rule::int32_compute::look});

}  // namespace anemone::lint
