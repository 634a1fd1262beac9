#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::flat_heads {

constexpr std::string_view kFacts[] = {"L07"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeLlm}};
constexpr std::string_view kOps[] = {"reshape"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = op.find_input("x");
  if (x == nullptr) return;
  for (const std::int64_t before : x->type.shape) {
    if (before > 65536) return;
  }
  for (const std::int64_t after : op.output()->type.shape) {
    if (after <= 65536) continue;
    check.report("flattens axes into one of " + grouped(static_cast<std::uint64_t>(after)));
    return;
  }
}

}  // namespace rule::flat_heads

ANEMONE_DEFINE_RULE(flat_heads) =
    sourced({.id = "flat-heads",
             .facts = rule::flat_heads::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "the private route"},
             .looks_at = "reshape that makes an axis over 65,536 out of shorter ones",
             .says = "axes flattened into one of over 65,536 are refused",
             .rewrite = "keep them apart; repeat keys and values with S and D separate",
             .sources = rule::flat_heads::kSources,
             .is_direct = true,
             .ops = rule::flat_heads::kOps,
             .op = rule::flat_heads::look});

}  // namespace anemone::lint
