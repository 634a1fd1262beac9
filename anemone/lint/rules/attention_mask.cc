#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::attention_mask {

constexpr std::string_view kFacts[] = {"N08"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kMaderix},
    {Confidence::kMeasured, "mechramc/Orion@65372ff, docs/ane_constraints.md"},
    {Confidence::kMeasured, "john-rocky/CoreML-LLM@72178c6, docs/ANEMLL_SOURCE_NOTES.md"}};
constexpr std::string_view kOps[] = {"scaled_dot_product_attention"};

void look(Check& check, const mil::Op& op) {
  if (op.find_input("attn_mask") != nullptr) check.report("takes a mask");
}

}  // namespace rule::attention_mask

ANEMONE_DEFINE_RULE(attention_mask) =
    sourced({.id = "attention-mask",
             .facts = rule::attention_mask::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "the private route; an explicit addition works under Core ML"},
             .looks_at = "scaled_dot_product_attention with a mask",
             .says = "the mask of fused attention was ignored on the private route",
             .rewrite = "an additive mask before softmax",
             .sources = rule::attention_mask::kSources,
             .is_direct = true,
             .ops = rule::attention_mask::kOps,
             .op = rule::attention_mask::look});

}  // namespace anemone::lint
