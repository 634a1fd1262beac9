#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::position_blend {

constexpr std::string_view kFacts[] = {"K09"};
constexpr Source kSources[] = {{Confidence::kMeasured, "FluidInference/mobius PR 78 (M5 Pro)"}};
constexpr std::string_view kOps[] = {"equal",      "not_equal", "less",
                                     "less_equal", "greater",   "greater_equal"};

void look(Check& check, const mil::Op& op) {
  for (const mil::Op* taker : find_takers(check.function(), *op.output())) {
    if (!is_type(taker, {"select", "mul"})) continue;
    for (const mil::Input& input : taker->inputs) {
      for (const mil::Value* value : input.values) {
        if (value->producer != nullptr || value->is_constant() || value->type.rank() < 4 ||
            !value->type.is_tensor())
          continue;
        if (!is_float(value->type.dtype) || value->type != taker->output()->type) continue;
        check.report("blends the cache " + in_quotes(value->name) + " under a comparison");
        return;
      }
    }
  }
}

}  // namespace rule::position_blend

ANEMONE_DEFINE_RULE(position_blend) =
    sourced({.id = "position-blend",
             .facts = rule::position_blend::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M5 Pro"},
             .looks_at = "comparisons that select between a cache input of rank 4 and new rows",
             .says = "blending a whole cache under a comparison with the position is slower than "
                     "letting the host write it, by about 40 % a step",
             .rewrite = "a cache that the host writes: new keys and values as outputs",
             .sources = rule::position_blend::kSources,
             .ops = rule::position_blend::kOps,
             .op = rule::position_blend::look});

}  // namespace anemone::lint
