#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::long_fused_attention {

constexpr std::string_view kFacts[] = {"H02"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeQuirks}};
constexpr std::string_view kOps[] = {"scaled_dot_product_attention"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* query = op.find_input("query");
  const mil::Value* key = op.find_input("key");
  if (query == nullptr || key == nullptr) return;
  const std::int64_t q = extent(*query, -2), k = extent(*key, -2);
  if (std::max(q, k) > 2048 || std::min(q, k) >= 512)
    check.report("attention of " + std::to_string(q) + " queries over " + std::to_string(k) +
                 " keys");
}

}  // namespace rule::long_fused_attention

ANEMONE_DEFINE_RULE(long_fused_attention) =
    sourced({.id = "long-fused-attention",
             .facts = rule::long_fused_attention::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "the private route"},
             .looks_at = "scaled_dot_product_attention of long queries or keys",
             .says = "fused attention over more than 2,048 positions, or with 512 and more on both "
                     "sides, is garbage",
             .rewrite = "tile the queries",
             .sources = rule::long_fused_attention::kSources,
             .is_direct = true,
             .ops = rule::long_fused_attention::kOps,
             .op = rule::long_fused_attention::look});

}  // namespace anemone::lint
