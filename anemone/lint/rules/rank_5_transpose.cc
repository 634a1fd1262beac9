#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::rank_5_transpose {

constexpr std::string_view kFacts[] = {"L03"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCapabilities}};
constexpr std::string_view kOps[] = {"transpose"};

void look(Check& check, const mil::Op& op) {
  if (op.output()->type.rank() != 5) return;
  for (const Use& use : check.function().uses(*op.output())) {
    if (is_type(use.op, {"matmul", "linear"})) {
      check.report("a rank-5 transpose feeds " + std::string(use.op->type()));
      return;
    }
  }
}

}  // namespace rule::rank_5_transpose

ANEMONE_DEFINE_RULE(rank_5_transpose) =
    sourced({.id = "rank-5-transpose",
             .facts = rule::rank_5_transpose::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M5, the private route"},
             .looks_at = "transpose of rank 5 whose result a matmul takes",
             .says = "a rank-5 transpose into a matrix product is refused",
             .rewrite = "rank 4",
             .sources = rule::rank_5_transpose::kSources,
             .is_direct = true,
             .ops = rule::rank_5_transpose::kOps,
             .op = rule::rank_5_transpose::look});

}  // namespace anemone::lint
