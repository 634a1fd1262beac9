#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::stray_cast {

constexpr std::string_view kFacts[] = {"O20"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kSweep},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, journal/079 (M4 Max)"}};
constexpr std::string_view kOps[] = {"identity", "cast"};

void look(Check& check, const mil::Op& op) {
  if (op.type() == "identity") {
    check.report("an identity does nothing");
    return;
  }
  const mil::Value* x = op.find_input("x");
  bool is_beside = x != nullptr && is_type(x->producer, {"topk"});
  for (const Use& use : check.function().uses(*op.output())) {
    is_beside = is_beside || is_type(use.op, {"topk"});
  }
  if (is_beside) check.report("casts beside topk");
}

}  // namespace rule::stray_cast

ANEMONE_DEFINE_RULE(stray_cast) =
    sourced({.id = "stray-cast",
             .facts = rule::stray_cast::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M4 Max; alone, on the private route"},
             .looks_at = "identity; cast of what topk gives or takes",
             .says = "an identity, and a cast beside topk, run on the CPU",
             .rewrite = "leave them out",
             .sources = rule::stray_cast::kSources,
             .ops = rule::stray_cast::kOps,
             .op = rule::stray_cast::look});

}  // namespace anemone::lint
