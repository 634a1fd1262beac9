#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::huge_image {

constexpr std::string_view kFacts[] = {"L18"};
constexpr Source kSources[] = {{Confidence::kMeasured, "apple/coremltools issue 2247"}};

void look_at_function(Check& check) {
  const auto look = [&](const mil::Value& value) {
    if (value.type.rank() != 4 || extent(value, -1) < 5568 || extent(value, -2) < 5568) return;
    check.report(value, std::to_string(extent(value, -2)) + " by " +
                            std::to_string(extent(value, -1)) + " at the interface");
  };
  for (const auto& input : check.function().function().inputs) look(*input);
  for (const mil::Value* output : check.function().function().body.outputs) look(*output);
}

}  // namespace rule::huge_image

ANEMONE_DEFINE_RULE(huge_image) =
    sourced({.id = "huge-image",
             .facts = rule::huge_image::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "iOS"},
             .looks_at = "inputs and outputs of rank 4 with height and width of 5,568 and more; "
                         "where the limit lies is not known",
             .says = "an image of 5,568 by 5,568 failed to compile",
             .rewrite = "cut it into tiles",
             .sources = rule::huge_image::kSources,
             .function = rule::huge_image::look_at_function});

}  // namespace anemone::lint
