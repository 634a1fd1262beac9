#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::scatter {

constexpr std::string_view kFacts[] = {"O02"};
constexpr Source kSources[] = {
    {Confidence::kApple,
     "apple/coremltools, converters/mil/frontend/torch/ops.py (comments on index_put and col2im)"},
    {Confidence::kMeasured, from::kSweep},
    {Confidence::kMeasured, "FluidInference/mobius PR 67"}};
constexpr std::string_view kOps[] = {"scatter", "scatter_nd", "scatter_along_axis"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::scatter

ANEMONE_DEFINE_RULE(scatter) =
    sourced({.id = "scatter",
             .facts = rule::scatter::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kApple,
             .looks_at = "scatter, scatter_nd, scatter_along_axis",
             .says = "scatter ops have no kernel on the Neural Engine",
             .rewrite = "slice_update between read_state and write_state, a blend under a mask, or "
                        "a cache that the host writes",
             .sources = rule::scatter::kSources,
             .moves = true,
             .ops = rule::scatter::kOps,
             .op = rule::scatter::look});

}  // namespace anemone::lint
