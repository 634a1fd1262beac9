#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::many_crossings {

constexpr std::string_view kFacts[] = {"R17"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "sam-dumont/immich issue 811 (87 partitions: 8 times slower than the CPU, by ONNX Runtime)"},
    {Confidence::kMeasured, "ANEForge 0.4.0, _cost.py (about 0.2 ms a cut)"}};

void look_at_function(Check& check) {
  const std::uint64_t crossings = check.crossings();
  if (crossings > 8)
    check.report(counted(crossings, "hand-over") + " between the engine and other units");
}

}  // namespace rule::many_crossings

ANEMONE_DEFINE_RULE(many_crossings) =
    sourced({.id = "many-crossings",
             .facts = rule::many_crossings::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kMeasured,
             .looks_at = "functions that the other findings cut more than 8 times",
             .says = "many hand-overs between units cost more than the engine gains",
             .rewrite = "mend the ops that leave, or cut the program there",
             .sources = rule::many_crossings::kSources,
             .function = rule::many_crossings::look_at_function});

}  // namespace anemone::lint
