#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::extent_16384 {

constexpr std::string_view kFacts[] = {"L04"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "pytorch/executorch issue 7907 (\"N, C <= 65536; D, H, W <= 16384\")"},
    {Confidence::kMeasured, from::kForgeTargets},
    {Confidence::kMeasured, from::kLarql},
    {Confidence::kMeasured, "microsoft/onnxruntime helper.cc and issue 19543"}};

constexpr std::int64_t kLimit = 16384;

// Which of the last axes are width, height and depth; -1 where all fit.
std::int64_t too_long(const mil::Value& value) {
  const std::int64_t rank = value.type.rank();
  const std::int64_t spatial = rank >= 5 ? 3 : rank == 4 ? 2 : 1;
  if (!value.type.is_tensor() && !value.type.is_state()) return -1;
  for (std::int64_t i = 1; i <= std::min(spatial, rank); ++i) {
    if (extent(value, -i) > kLimit) return rank - i;
  }
  return -1;
}

std::string message(const mil::Value& value, std::int64_t axis) {
  return "axis " + std::to_string(axis) + " is " +
         grouped(static_cast<std::uint64_t>(value.type.shape[static_cast<std::size_t>(axis)])) +
         " long; the limit of a spatial axis is 16,384";
}

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    const std::int64_t axis = too_long(*output);
    if (axis >= 0) {
      check.report(*output, message(*output, axis));
      return;
    }
  }
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (value->producer != nullptr || value->is_constant()) continue;
      const std::int64_t axis = too_long(*value);
      if (axis < 0) continue;
      check.report(*value, message(*value, axis));
      return;
    }
  }
  if (summed_channels(op) > kLimit) {
    check.report("sums over " + grouped(static_cast<std::uint64_t>(summed_channels(op))) +
                 "; the limit is 16,384");
  }
}

}  // namespace rule::extent_16384

ANEMONE_DEFINE_RULE(extent_16384) = sourced(
    {.id = "extent-16384",
     .facts = rule::extent_16384::kFacts,
     .severity = Severity::kRejected,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "M1 to M3 generations; Core ML on macOS 15 as well", .last_generation = 3},
     .looks_at = "width, height and depth of run-time tensors, and the summed axis of products",
     .says = "a spatial extent or a summed axis over 16,384 is refused",
     .rewrite = "move the long axis to the channels (at most 65,536), or cut it into tiles",
     .sources = rule::extent_16384::kSources,
     .moves = true,
     .op = rule::extent_16384::look});

}  // namespace anemone::lint
