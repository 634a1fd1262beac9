#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::rank_5 {

constexpr std::string_view kFacts[] = {"L02"};
constexpr Source kSources[] = {{Confidence::kMeasured, "FluidInference/FluidAudio issue 679"},
                               {Confidence::kMeasured, from::kExecutorchLlama},
                               {Confidence::kMeasured, from::kMobius},
                               {Confidence::kMeasured, "Anemll/Anemll@6ecb10d, docs/qwen3.md"}};

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    if (output->type.is_tensor() && output->type.rank() == 5)
      check.report(*output, "a tensor of rank 5");
  }
}

}  // namespace rule::rank_5

ANEMONE_DEFINE_RULE(rank_5) = sourced(
    {.id = "rank-5",
     .facts = rule::rank_5::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kConflict,
     .looks_at = "tensors of rank 5",
     .says = "rank 5 in attention is refused or wrong in some reports and accepted in another",
     .rewrite = "stay at rank 4: one K/V head's queries side by side, or reshape, repeat and view "
                "at rank 4",
     .disagreement = "FluidAudio's rank-5 graphs fail to compile and ExecuTorch's 5-D attention "
                     "gave wrong results on iOS 26; mobius' rank-5 expand was accepted on M5 Pro",
     .sources = rule::rank_5::kSources,
     .op = rule::rank_5::look});

}  // namespace anemone::lint
