#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::exp2_softmax {

constexpr std::string_view kFacts[] = {"H07"};
constexpr Source kSources[] = {{Confidence::kMeasured,
                                "john-rocky/CoreML-LLM@72178c6, docs/PRIORITY_ROADMAP.md and "
                                "REJECTED_APPROACHES.md (15.0 to 2.7 tokens/s)"}};
constexpr std::string_view kOps[] = {"exp2"};

void look(Check& check, const mil::Op&) {
  for (const mil::Op* other : check.function().run_ops()) {
    if (other->outputs.empty() || other->output()->type.rank() != 5) continue;
    check.report("exp2 beside rank-5 tensors");
    return;
  }
}

}  // namespace rule::exp2_softmax

ANEMONE_DEFINE_RULE(exp2_softmax) = sourced(
    {.id = "exp2-softmax",
     .facts = rule::exp2_softmax::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "A19 Pro"},
     .looks_at = "exp2 in a function with rank-5 tensors",
     .says = "softmax by exp2 together with rank-5 broadcasts made a model 5.5 times slower",
     .rewrite = "softmax, rank 4; add one change at a time",
     .sources = rule::exp2_softmax::kSources,
     .ops = rule::exp2_softmax::kOps,
     .op = rule::exp2_softmax::look});

}  // namespace anemone::lint
