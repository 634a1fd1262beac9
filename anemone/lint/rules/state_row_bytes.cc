#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::state_row_bytes {

constexpr std::string_view kFacts[] = {"K12"};
constexpr Source kSources[] = {
    {Confidence::kFolklore, "apple/coremltools issue 2553 and Anemll issue 27"}};
constexpr std::string_view kOps[] = {"slice_update"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* update = op.find_input("update");
  if (update == nullptr || update->type.rank() == 0) return;
  const std::int64_t bytes = times(extent(*update, -1), width_bits(update->type.dtype)) / 8;
  if (extent(*update, -1) > 0 && bytes % 64 != 0)
    check.report("writes rows of " + std::to_string(bytes) + " bytes");
}

}  // namespace rule::state_row_bytes

ANEMONE_DEFINE_RULE(state_row_bytes) =
    sourced({.id = "state-row-bytes",
             .facts = rule::state_row_bytes::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kFolklore,
             .scope = {.says = "macOS 15"},
             .looks_at = "updates of slice_update",
             .says = "rows written to a state that are no multiple of 64 bytes are suspected where "
                     "stateful attention fails",
             .rewrite = "rows of a multiple of 64 bytes: 32 fp16 values",
             .sources = rule::state_row_bytes::kSources,
             .ops = rule::state_row_bytes::kOps,
             .op = rule::state_row_bytes::look});

}  // namespace anemone::lint
