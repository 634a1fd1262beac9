#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::extent_65536 {

constexpr std::string_view kFacts[] = {"L05"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeTargets}};

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    if (!output->type.is_tensor()) continue;
    const std::int64_t spatial = output->type.rank() >= 4 ? 2 : 1;
    for (std::int64_t i = 1; i <= spatial; ++i) {
      if (extent(*output, -i) <= 65536) continue;
      check.report(*output, "an axis " + grouped(static_cast<std::uint64_t>(extent(*output, -i))) +
                                " long; the limit is 65,536");
      return;
    }
  }
}

}  // namespace rule::extent_65536

ANEMONE_DEFINE_RULE(extent_65536) =
    sourced({.id = "extent-65536",
             .facts = rule::extent_65536::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M4 and M5, the private route", .first_generation = 4},
             .looks_at = "width, height and depth of run-time tensors",
             .says = "a spatial extent or a summed axis over 65,536 is refused",
             .rewrite = "cut it into tiles",
             .sources = rule::extent_65536::kSources,
             .is_direct = true,
             .op = rule::extent_65536::look});

}  // namespace anemone::lint
