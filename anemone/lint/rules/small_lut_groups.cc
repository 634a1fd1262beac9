#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::small_lut_groups {

constexpr std::string_view kFacts[] = {"W08"};
constexpr Source kSources[] = {
    {Confidence::kApple,
     "apple/coremltools, docs-guides/source/opt-opt1_3.md (OPT-1.3B, ms a token: one table 14.76, "
     "groups of 8 15.49, of 4 17.07, of 2 30.72, one a channel 59.11)"}};
constexpr std::string_view kOps[] = {"constexpr_lut_to_dense"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* indices = op.find_input("indices");
  const mil::Value* lut = op.find_input("lut");
  if (indices == nullptr || lut == nullptr || lut->type.rank() != indices->type.rank() + 2) return;
  for (std::size_t axis = 0; axis < indices->type.shape.size(); ++axis) {
    const std::int64_t tables = axis_extent(*lut, axis), channels = axis_extent(*indices, axis);
    if (tables <= 1 || channels / tables >= 4) continue;
    check.report("a table for each " +
                 counted(static_cast<std::uint64_t>(channels / tables), "channel"));
    return;
  }
}

}  // namespace rule::small_lut_groups

ANEMONE_DEFINE_RULE(small_lut_groups) =
    sourced({.id = "small-lut-groups",
             .facts = rule::small_lut_groups::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kApple,
             .scope = {.says = "iPhone 15 Pro, iOS 18 beta"},
             .looks_at = "constexpr_lut_to_dense with a table for each 1 to 3 channels",
             .says = "lookup tables for less than 4 channels each are slow",
             .rewrite = "one table for each 8 to 16 channels, or one for all",
             .sources = rule::small_lut_groups::kSources,
             .ops = rule::small_lut_groups::kOps,
             .op = rule::small_lut_groups::look});

}  // namespace anemone::lint
