#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::band_part {

constexpr std::string_view kFacts[] = {"O09"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kMoreAne},
                               {Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"band_part"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::band_part

ANEMONE_DEFINE_RULE(band_part) = sourced(
    {.id = "band-part",
     .facts = rule::band_part::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .looks_at = "band_part",
     .says = "band_part has no kernel, and was seen to take the start of a program to the CPU",
     .rewrite = "pass the mask in, or make it a constant",
     .sources = rule::band_part::kSources,
     .moves = true,
     .ops = rule::band_part::kOps,
     .op = rule::band_part::look});

}  // namespace anemone::lint
