#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::rotary_computed {

constexpr std::string_view kFacts[] = {"H10"};
constexpr Source kSources[] = {{Confidence::kDerived, "soniqo/speech-swift, conversion script"}};
constexpr std::string_view kOps[] = {"sin", "cos"};

void look(Check& check, const mil::Op& op) {
  if (comes_from(op.find_input("x"),
                 [](const mil::Value& value) { return is_runtime_integer(value); })) {
    check.report(std::string(op.type()) + " of a position");
  }
}

}  // namespace rule::rotary_computed

ANEMONE_DEFINE_RULE(rotary_computed) =
    sourced({.id = "rotary-computed",
             .facts = rule::rotary_computed::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kDerived,
             .looks_at = "sin and cos of what comes from an integer",
             .says = "sin and cos of positions computed inside need int32 to fp32 casts and "
                     "kernels that M1 and M2 lack",
             .rewrite = "rows of cos and sin as inputs",
             .sources = rule::rotary_computed::kSources,
             .ops = rule::rotary_computed::kOps,
             .op = rule::rotary_computed::look});

}  // namespace anemone::lint
