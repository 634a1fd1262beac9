#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::tanh_gelu {

constexpr std::string_view kFacts[] = {"N10"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kCommonIssues},
                               {Confidence::kAppleOs27, from::kAppleQwen}};
constexpr std::string_view kOps[] = {"tanh", "gelu"};

void look(Check& check, const mil::Op& op) { check.report(std::string(op.type()) + " as one op"); }

}  // namespace rule::tanh_gelu

ANEMONE_DEFINE_RULE(tanh_gelu) =
    sourced({.id = "tanh-gelu",
             .facts = rule::tanh_gelu::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kAppleOs27,
             .scope = {.says = "OS 27"},
             .looks_at = "tanh, gelu",
             .says = "tanh and gelu are less accurate than forms over sigmoid",
             .rewrite = "tanh(x) = 2 * sigmoid(2x) - 1; the sigmoid form of GELU",
             .sources = rule::tanh_gelu::kSources,
             .ops = rule::tanh_gelu::kOps,
             .op = rule::tanh_gelu::look});

}  // namespace anemone::lint
