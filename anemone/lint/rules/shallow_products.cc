#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::shallow_products {

constexpr std::string_view kFacts[] = {"O39"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kLarql},
    {Confidence::kDerived, "Qwen3-0.6B sums over 1,024, 2,048 and 3,072"}};

void look_at_function(Check& check) {
  if (check.function().rows() != 1) return;
  std::int64_t deepest = 0;
  std::int64_t limit = 4992;
  for (const mil::Op* op : check.function().run_ops()) {
    const std::int64_t summed = summed_channels(*op);
    if (summed <= deepest) continue;
    deepest = summed;
    const mil::Value* weight = find_weight(*op);
    limit = weight->is_constant() ? 4992 : 4096;
  }
  if (deepest == 0 || deepest >= limit) return;
  check.report("no product sums over more than " + grouped(static_cast<std::uint64_t>(deepest)) +
               "; alone, the planner prefers the engine from about " +
               grouped(static_cast<std::uint64_t>(limit)) + " on");
}

}  // namespace rule::shallow_products

ANEMONE_DEFINE_RULE(shallow_products) =
    sourced({.id = "shallow-products",
             .facts = rule::shallow_products::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "macOS 15"},
             .looks_at = "the deepest product of a function that takes one row",
             .says = "decode-shaped products that sum over less than about 4,992 (int8: 4,096) "
                     "prefer the CPU when they stand alone",
             .rewrite = "larger fused packages; look at the plan of the real one",
             .sources = rule::shallow_products::kSources,
             .function = rule::shallow_products::look_at_function});

}  // namespace anemone::lint
