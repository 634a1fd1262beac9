#include <unordered_set>

#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::repeated_heads {

constexpr std::string_view kFacts[] = {"H06"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kExecutorchLlama},
                               {Confidence::kAppleOs27, from::kAppleQwen}};
constexpr std::string_view kOps[] = {"tile", "concat", "stack"};

void look(Check& check, const mil::Op& op) {
  if (op.type() != "tile") {
    const auto values = op.find_inputs("values");
    const std::unordered_set<const mil::Value*> different(values.begin(), values.end());
    if (different.size() == values.size()) return;
  }
  // What repeats has at least two values.
  const mil::Value* x = op.type() == "tile" ? op.find_input("x") : op.find_inputs("values").front();
  if (x == nullptr || mil::is_fixed(*x)) return;
  for (const mil::Op* taker : find_takers(check.function(), *op.output())) {
    if (!is_type(taker, {"matmul", "scaled_dot_product_attention"})) continue;
    check.report("repeats heads on the way into " + std::string(taker->type()));
    return;
  }
}

}  // namespace rule::repeated_heads

ANEMONE_DEFINE_RULE(repeated_heads) = sourced(
    {.id = "repeated-heads",
     .facts = rule::repeated_heads::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kMeasured,
     .looks_at = "tile, or concat or stack of a value with itself, on the way into a matmul",
     .says = "repeating keys and values for each query head costs 10 to 15 %",
     .rewrite = "the queries of one key/value head side by side on the row axis, keys read once",
     .sources = rule::repeated_heads::kSources,
     .ops = rule::repeated_heads::kOps,
     .op = rule::repeated_heads::look});

}  // namespace anemone::lint
