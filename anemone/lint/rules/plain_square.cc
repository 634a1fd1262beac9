#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::plain_square {

constexpr std::string_view kFacts[] = {"N01"};
constexpr Source kSources[] = {
    {Confidence::kApple,
     "apple/coremltools, converters/mil/frontend/torch/ops.py (comment on rms_norm)"},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, experiments/27"}};

// What is squared, where the op is a mean or sum of squares; null otherwise.
const mil::Value* squared_under(const mil::Op& op) {
  if (op.type() == "reduce_sum_square" || op.type() == "reduce_l2_norm") return op.find_input("x");
  if (!is_type(&op, {"reduce_mean", "reduce_sum"})) return nullptr;
  const mil::Op* square = find_maker(op.find_input("x"));
  if (is_type(square, {"square"})) return square->find_input("x");
  if (is_type(square, {"mul"}) && square->find_input("x") == square->find_input("y"))
    return square->find_input("x");
  if (is_type(square, {"pow"}) && find_number(square->find_input("y")).value_or(0) == 2)
    return square->find_input("x");
  return nullptr;
}

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = squared_under(op);
  if (x == nullptr || x->type.dtype != DType::kF16) return;
  // A quotient, and a product with a constant below 1, are scaled.
  const mil::Op* maker = find_maker(x);
  if (is_type(maker, {"real_div"})) return;
  if (is_type(maker, {"mul"})) {
    for (const std::string_view side : {"x", "y"}) {
      const mil::Value* value = maker->find_input(side);
      const auto factor = find_number(value);
      if (factor && std::abs(*factor) < 1) return;
      // So is one with a reciprocal, which is how a quotient is written without division.
      if (is_type(find_maker(value), {"inverse", "rsqrt", "real_div"})) return;
    }
  }
  check.report(*x, "squares " + in_quotes(x->name) +
                       " unscaled in fp16: overflows beyond a magnitude of 256");
}

}  // namespace rule::plain_square

ANEMONE_DEFINE_RULE(plain_square) = sourced(
    {.id = "plain-square",
     .facts = rule::plain_square::kFacts,
     .severity = Severity::kNumeric,
     .confidence = Confidence::kApple,
     .looks_at = "means and sums of fp16 squares whose operand is not scaled first",
     .says = "squares of raw fp16 values overflow where a value passes 256",
     .rewrite = "layer_norm of concat(x, -x), of which the first half is the RMS norm; or divide "
                "by the square root of the width, or the largest magnitude, before squaring",
     .sources = rule::plain_square::kSources,
     .op = rule::plain_square::look});

}  // namespace anemone::lint
