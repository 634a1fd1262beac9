#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::channels_over_65536 {

constexpr std::string_view kFacts[] = {"L06"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kForgeTargets},
    {Confidence::kMeasured, "pytorch/executorch issue 7907"},
    {Confidence::kMeasured, "maderix/ANE PR 26"},
    {Confidence::kMeasured, from::kMobius},
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/SESSION_2026_04_28_LMSPLIT_FINALISE.md"}};

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    if (output->type.rank() != 4 || axis_extent(*output, 1) <= 65536) continue;
    check.report(*output, grouped(static_cast<std::uint64_t>(axis_extent(*output, 1))) +
                              " channels; the limit in dispute is 65,536");
  }
}

}  // namespace rule::channels_over_65536

ANEMONE_DEFINE_RULE(channels_over_65536) =
    sourced({.id = "channels-over-65536",
             .facts = rule::channels_over_65536::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .looks_at = "axis 1 of run-time tensors of rank 4",
             .says = "a channel axis over 65,536 is refused by one front end and placed by Core ML "
                     "in other reports",
             .rewrite = "tiles of at most 65,536 channels",
             .disagreement =
                 "the private route and a message of ExecuTorch's Core ML backend refuse more than "
                 "65,536; mobius (151,936) and CoreML-LLM (262,144) had single convolutions placed",
             .sources = rule::channels_over_65536::kSources,
             .op = rule::channels_over_65536::look});

}  // namespace anemone::lint
