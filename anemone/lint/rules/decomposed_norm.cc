#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::decomposed_norm {

constexpr std::string_view kFacts[] = {"N05"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules},
                               {Confidence::kAppleOs27, from::kAppleQwen}};
constexpr std::string_view kOps[] = {"rsqrt", "sqrt"};

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
  const mil::Op* before = find_maker(op.find_input("x"));
  for (int step = 0; step < 2 && is_type(before, {"add", "real_div", "maximum", "mul"}); ++step) {
    const mil::Op* first = find_maker(before->find_input("x"));
    before = first != nullptr ? first : find_maker(before->find_input("y"));
  }
  if (before != nullptr && squared_under(*before) != nullptr)
    check.report("a norm made of small ops");
}

}  // namespace rule::decomposed_norm

ANEMONE_DEFINE_RULE(decomposed_norm) = sourced(
    {.id = "decomposed-norm",
     .facts = rule::decomposed_norm::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kConflict,
     .scope = {.says = "OS 27"},
     .looks_at = "rsqrt or sqrt of a mean of squares",
     .says = "norms made of small ops are advised against by Apple's text and used in Apple's own "
             "model",
     .rewrite = "layer_norm of concat(x, -x), and measure",
     .disagreement =
         "Apple's text prefers the high-level norm; Apple's iOS model squares directly in fp16",
     .sources = rule::decomposed_norm::kSources,
     .ops = rule::decomposed_norm::kOps,
     .op = rule::decomposed_norm::look});

}  // namespace anemone::lint
