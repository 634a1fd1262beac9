#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::round {

constexpr std::string_view kFacts[] = {"O25"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeQuirks}};
constexpr std::string_view kOps[] = {"round"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " is inexact from magnitude 1,024 on");
}

}  // namespace rule::round

ANEMONE_DEFINE_RULE(round) = sourced({.id = "round",
                                      .facts = rule::round::kFacts,
                                      .severity = Severity::kNote,
                                      .confidence = Confidence::kMeasured,
                                      .scope = {.says = "M5, the private route"},
                                      .looks_at = "round",
                                      .says = "round is inexact from magnitude 1,024 on",
                                      .rewrite = "keep values below 1,024",
                                      .sources = rule::round::kSources,
                                      .is_direct = true,
                                      .ops = rule::round::kOps,
                                      .op = rule::round::look});

}  // namespace anemone::lint
