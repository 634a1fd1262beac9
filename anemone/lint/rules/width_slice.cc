#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::width_slice {

constexpr std::string_view kFacts[] = {"O06"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCatalog}};
constexpr std::string_view kOps[] = {"slice_by_index"};

void look(Check& check, const mil::Op& op) {
  const auto begin = find_integers(op.find_input("begin"));
  const mil::Value* x = op.find_input("x");
  if (!begin || begin->empty() || x == nullptr || x->type.dtype == DType::kI32) return;
  if (static_cast<std::int64_t>(begin->size()) != x->type.rank() || begin->back() == 0) return;
  check.report("slices the last axis from " + std::to_string(begin->back()) + " on");
}

}  // namespace rule::width_slice

ANEMONE_DEFINE_RULE(width_slice) =
    sourced({.id = "width-slice",
             .facts = rule::width_slice::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "chips before A18 and M4, the private route", .last_generation = 3},
             .looks_at = "slice_by_index of the last axis at a constant offset that is not 0",
             .says = "slices of the last axis at an offset went wrong on chips before M4: large "
                     "values became infinite, joined slices mixed elements",
             .rewrite = "slice along channels",
             .sources = rule::width_slice::kSources,
             .is_direct = true,
             .ops = rule::width_slice::kOps,
             .op = rule::width_slice::look});

}  // namespace anemone::lint
