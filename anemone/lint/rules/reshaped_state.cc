#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::reshaped_state {

constexpr std::string_view kFacts[] = {"K15"};
constexpr Source kSources[] = {{Confidence::kMeasured, "apple/coremltools issue 2275"}};
constexpr std::string_view kOps[] = {"write_state"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* data = find_stored(op);
  if (data == nullptr ||
      !is_type(data->producer, {"reshape", "transpose", "squeeze", "expand_dims"}))
    return;
  if (!is_type(find_maker(data), {"slice_update", "read_state"})) return;
  check.report(*data,
               "is given a " + std::string(data->producer->type()) + " of the updated state");
}

}  // namespace rule::reshaped_state

ANEMONE_DEFINE_RULE(reshaped_state) = sourced(
    {.id = "reshaped-state",
     .facts = rule::reshaped_state::kFacts,
     .severity = Severity::kSilent,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "coremltools 8"},
     .looks_at = "write_state of a value that reshape or transpose made of an updated state",
     .says = "a state reshaped or transposed between its update and its write held wrong values",
     .rewrite = "write what slice_update gives, and change the shape of what is read later",
     .sources = rule::reshaped_state::kSources,
     .ops = rule::reshaped_state::kOps,
     .op = rule::reshaped_state::look});

}  // namespace anemone::lint
