#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::scrambled_heads {

constexpr std::string_view kFacts[] = {"L17"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, experiments/26"}};
constexpr std::string_view kOps[] = {"reshape"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = op.find_input("x");
  if (x == nullptr || x->type.rank() != 4 || !x->type.is_static()) return;
  const std::int64_t h = axis_extent(*x, 1), t = axis_extent(*x, 2), d = axis_extent(*x, 3);
  if (axis_extent(*x, 0) != 1 || h == 1 || t == 1 || d == 1) return;
  std::vector<std::int64_t> kept;
  for (const std::int64_t n : op.output()->type.shape) {
    if (n != 1) kept.push_back(n);
  }
  if (kept.size() != 2) return;
  // What neighbours give when they are merged in order is sound.
  const bool is_sound =
      (kept[0] == times(h, t) && kept[1] == d) || (kept[0] == h && kept[1] == times(t, d));
  const bool is_scrambled =
      (kept[0] == t && kept[1] == times(h, d)) || (kept[0] == times(h, d) && kept[1] == t);
  if (is_scrambled && !is_sound)
    check.report("merges heads and channels across the tokens between them");
}

}  // namespace rule::scrambled_heads

ANEMONE_DEFINE_RULE(scrambled_heads) = sourced(
    {.id = "scrambled-heads",
     .facts = rule::scrambled_heads::kFacts,
     .severity = Severity::kNumeric,
     .confidence = Confidence::kMeasured,
     .looks_at =
         "reshape of (1, H, T, D) into T and H * D without a transpose between, H and T over 1",
     .says = "heads, tokens and channels are flattened in the wrong order; one token hides it",
     .rewrite = "permute to (head, dim, token) before the reshape",
     .sources = rule::scrambled_heads::kSources,
     .ops = rule::scrambled_heads::kOps,
     .op = rule::scrambled_heads::look});

}  // namespace anemone::lint
