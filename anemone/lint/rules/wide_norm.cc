#include <algorithm>

#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::wide_norm {

constexpr std::string_view kFacts[] = {"L20"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCapabilities}};
constexpr std::string_view kOps[] = {"layer_norm", "instance_norm", "reduce_mean"};

// coremltools writes a group norm as means over (C / groups, H, W), which are taken away: the
// longer of the first axis and H * W.
std::int64_t group_tile(Check& check, const mil::Op& op, const mil::Value& x) {
  const auto axes = find_integers(op.find_input("axes"));
  if (!axes || axes->size() < 2) return 0;
  const auto takers = find_takers(check.function(), *op.output());
  if (std::none_of(takers.begin(), takers.end(),
                   [](const mil::Op* taker) { return is_type(taker, {"sub"}); }))
    return 0;
  const auto along = [&](std::int64_t axis) {
    return axis_extent(x, static_cast<std::size_t>(absolute_axis(axis, x)));
  };
  const std::int64_t area = times(along(axes->back()), along((*axes)[axes->size() - 2]));
  return std::max(area, along(axes->front()));
}

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = op.find_input("x");
  if (x == nullptr) return;
  std::int64_t over = 1;
  if (op.type() == "instance_norm") {
    over = times(extent(*x, -1), extent(*x, -2));
  } else if (op.type() == "reduce_mean") {
    over = group_tile(check, op, *x);
  } else {
    for (const std::int64_t axis :
         find_integers(op.find_input("axes")).value_or(std::vector<std::int64_t>())) {
      over = times(over, axis_extent(*x, static_cast<std::size_t>(absolute_axis(axis, *x))));
    }
  }
  if (over > 65536)
    check.report("a norm over " + grouped(static_cast<std::uint64_t>(over)) + " elements");
}

}  // namespace rule::wide_norm

ANEMONE_DEFINE_RULE(wide_norm) = sourced(
    {.id = "wide-norm",
     .facts = rule::wide_norm::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "M5, the private route"},
     .looks_at =
         "layer_norm, instance_norm and decomposed group norms over more than 65,536 elements",
     .says = "norms over more than 65,536 elements are refused",
     .rewrite = "cut them into tiles",
     .sources = rule::wide_norm::kSources,
     .is_direct = true,
     .ops = rule::wide_norm::kOps,
     .op = rule::wide_norm::look});

}  // namespace anemone::lint
