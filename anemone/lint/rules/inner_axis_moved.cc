#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::inner_axis_moved {

constexpr std::string_view kFacts[] = {"L14"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules}};
constexpr std::string_view kOps[] = {"transpose", "reshape"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = op.find_input("x");
  const mil::Value& y = *op.output();
  if (x == nullptr || mil::is_fixed(*x) || x->type.rank() == 0) return;
  const std::int64_t before = extent(*x, -1), after = extent(y, -1);
  if (before <= 1 || after <= 1 || elements(y) <= std::max(before, after)) return;
  if (op.type() == "transpose") {
    const auto perm = find_integers(op.find_input("perm"));
    if (!perm || perm->empty() || absolute_axis(perm->back(), y) == y.type.rank() - 1) return;
    check.report("moves the innermost axis");
  } else if (before != after) {
    check.report("changes the innermost axis from " + std::to_string(before) + " to " +
                 std::to_string(after));
  }
}

}  // namespace rule::inner_axis_moved

ANEMONE_DEFINE_RULE(inner_axis_moved) = sourced(
    {.id = "inner-axis-moved",
     .facts = rule::inner_axis_moved::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kAppleOs27,
     .looks_at = "transpose of the last axis, reshape that changes it, where neither side is 1",
     .says = "moving the innermost axis rewrites all of the data",
     .rewrite = "one layout for the whole block; permute once a package",
     .sources = rule::inner_axis_moved::kSources,
     .ops = rule::inner_axis_moved::kOps,
     .op = rule::inner_axis_moved::look});

}  // namespace anemone::lint
