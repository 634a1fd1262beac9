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

void judge(Check& check, const mil::Value& value) {
  if (!value.type.is_tensor() || value.type.rank() < 4) return;
  for (const std::size_t axis : {0, 1}) {
    const std::int64_t extent = axis_extent(value, axis);
    if (extent <= 65536) continue;
    check.report(value, grouped(static_cast<std::uint64_t>(extent)) +
                            (axis == 0 ? " along the batch" : " channels") +
                            "; the limit in dispute is 65,536");
    return;
  }
}

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) judge(check, *output);
}

void look_at_function(Check& check) {
  for (const auto& input : check.function().function().inputs) judge(check, *input);
}

}  // namespace rule::channels_over_65536

ANEMONE_DEFINE_RULE(channels_over_65536) = sourced(
    {.id = "channels-over-65536",
     .facts = rule::channels_over_65536::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kConflict,
     .looks_at = "axes 0 and 1 of inputs and run-time tensors of rank 4 and more",
     .says =
         "a batch or channel axis over 65,536 is refused by one front end and placed by Core ML "
         "in other reports",
     .rewrite = "tiles of at most 65,536 channels",
     .disagreement =
         "the private route and a message of ExecuTorch's Core ML backend refuse more than "
         "65,536; mobius (151,936) and CoreML-LLM (262,144) had single convolutions placed",
     .sources = rule::channels_over_65536::kSources,
     .op = rule::channels_over_65536::look,
     .function = rule::channels_over_65536::look_at_function});

}  // namespace anemone::lint
