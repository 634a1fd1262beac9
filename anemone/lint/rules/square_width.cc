#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::square_width {

constexpr std::string_view kFacts[] = {"O23"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCapabilities}};
constexpr std::string_view kOps[] = {"square"};

void look(Check& check, const mil::Op& op) {
  if (extent(*op.output(), -1) % 128 <= 64) return;
  for (const Use& use : check.function().uses(*op.output())) {
    if (!is_type(use.op,
                 {"relu", "sigmoid", "tanh", "exp", "sqrt", "rsqrt", "silu", "gelu", "log"}))
      continue;
    check.report("square of width " + std::to_string(extent(*op.output(), -1)) + " feeds " +
                 std::string(use.op->type()));
    return;
  }
}

}  // namespace rule::square_width

ANEMONE_DEFINE_RULE(square_width) =
    sourced({.id = "square-width",
             .facts = rule::square_width::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M5, the private route"},
             .looks_at = "square into an activation where width mod 128 is over 64",
             .says = "square before a nonlinearity is refused at some widths",
             .rewrite = "mul(x, x)",
             .sources = rule::square_width::kSources,
             .is_direct = true,
             .ops = rule::square_width::kOps,
             .op = rule::square_width::look});

}  // namespace anemone::lint
