#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::fused_silu {

constexpr std::string_view kFacts[] = {"N09"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kCommonIssues},
                               {Confidence::kAppleOs27, from::kAppleQwen},
                               {Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"silu"};

void look(Check& check, const mil::Op&) { check.report("silu as one op"); }

}  // namespace rule::fused_silu

ANEMONE_DEFINE_RULE(fused_silu) =
    sourced({.id = "fused-silu",
             .facts = rule::fused_silu::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .scope = {.says = "OS 27; M5"},
             .looks_at = "silu",
             .says = "silu decays to an fp32 form by one account of Apple's and is kept by another",
             .rewrite = "x * sigmoid(x)",
             .disagreement = "Apple's common issues replace it by x * sigmoid(x); Apple's iOS "
                             "model keeps it; its error was 1e-2 against 4e-3 of sigmoid's on M5",
             .sources = rule::fused_silu::kSources,
             .ops = rule::fused_silu::kOps,
             .op = rule::fused_silu::look});

}  // namespace anemone::lint
