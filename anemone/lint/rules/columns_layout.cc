#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::columns_layout {

constexpr std::string_view kFacts[] = {"L13"};
constexpr Source kSources[] = {
    {Confidence::kAppleOs27, from::kNeuralEngineRules},
    {Confidence::kApple, from::kAneTransformers},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, 01-ane-laws"}};
constexpr std::string_view kOps[] = {"conv"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = op.find_input("x");
  if (x == nullptr || x->type.rank() != 4 || extent(*x, -1) != 1 || extent(*x, -2) <= 1) return;
  check.report(*x, "the sequence lies on the height axis");
}

}  // namespace rule::columns_layout

ANEMONE_DEFINE_RULE(columns_layout) =
    sourced({.id = "columns-layout",
             .facts = rule::columns_layout::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .looks_at = "1x1 conv whose input is higher than 1 and 1 wide",
             .says = "sequences along height, (1, C, T, 1), leave a last axis of 1",
             .rewrite = "(B, C, 1, S)",
             .disagreement = "Apple puts the sequence on the last axis, (B, C, 1, S); ane-book "
                             "puts it on height, (1, C, T, 1), and reports full residency",
             .sources = rule::columns_layout::kSources,
             .ops = rule::columns_layout::kOps,
             .op = rule::columns_layout::look});

}  // namespace anemone::lint
