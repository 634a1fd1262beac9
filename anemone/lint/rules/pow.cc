#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::pow {

constexpr std::string_view kFacts[] = {"O24"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep},
                               {Confidence::kMeasured, from::kIronmillOps},
                               {Confidence::kFolklore, "blog.squeezebits.com, August 2025"}};
constexpr std::string_view kOps[] = {"pow"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " runs in some reports and is advised against in another");
}

}  // namespace rule::pow

ANEMONE_DEFINE_RULE(pow) =
    sourced({.id = "pow",
             .facts = rule::pow::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .looks_at = "pow",
             .says = "pow with a constant exponent runs in some reports; others avoid it",
             .rewrite = "mul, sqrt or rsqrt",
             .disagreement = "ANEForge and ironmill ran it with a constant exponent; SqueezeBits "
                             "tells its users to avoid it",
             .sources = rule::pow::kSources,
             .ops = rule::pow::kOps,
             .op = rule::pow::look});

}  // namespace anemone::lint
