#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::dynamic_slice {

constexpr std::string_view kFacts[] = {"O05"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kPostTrain},
    {Confidence::kMeasured, from::kMobius},
    {Confidence::kDerived, "ANEForge 0.4.0, _targets.py (dynamic_slice from M2 on)"}};
constexpr std::string_view kOps[] = {"slice_by_index", "slice_by_size"};

void look(Check& check, const mil::Op& op) {
  for (const std::string_view corner : {"begin", "end", "size"}) {
    const mil::Value* value = op.find_input(corner);
    if (value == nullptr || mil::is_fixed(*value)) continue;
    check.report("slices with " + in_quotes(corner) + " decided by each call");
    return;
  }
}

}  // namespace rule::dynamic_slice

ANEMONE_DEFINE_RULE(dynamic_slice) = sourced(
    {.id = "dynamic-slice",
     .facts = rule::dynamic_slice::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .looks_at = "slice_by_index and slice_by_size with begin, end or size that a call decides",
     .says = "a slice with run-time begin or end leaves the Neural Engine, and what follows has "
             "shapes that only a call fixes",
     .rewrite = "attend over the whole fixed cache under a mask",
     .sources = rule::dynamic_slice::kSources,
     .moves = true,
     .ops = rule::dynamic_slice::kOps,
     .op = rule::dynamic_slice::look});

}  // namespace anemone::lint
