#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::integer_sums {

constexpr std::string_view kFacts[] = {"L19"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCliffs}};
constexpr std::string_view kOps[] = {"reduce_sum"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = op.find_input("x");
  if (x == nullptr || !is_type(x->producer, {"cast"})) return;
  const mil::Value* before = x->producer->find_input("x");
  if (before == nullptr || is_float(before->type.dtype)) return;
  const std::int64_t summed = elements(*x) / std::max<std::int64_t>(1, elements(*op.output()));
  if (summed > 2048)
    check.report("sums " + grouped(static_cast<std::uint64_t>(summed)) + " whole numbers in fp16");
}

}  // namespace rule::integer_sums

ANEMONE_DEFINE_RULE(integer_sums) =
    sourced({.id = "integer-sums",
             .facts = rule::integer_sums::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M1 to M5, the private route"},
             .looks_at = "reduce_sum of a cast integer or bool over more than 2,048 elements",
             .says = "sums of more than 2,048 integers are inexact in fp16",
             .rewrite = "split the sum",
             .sources = rule::integer_sums::kSources,
             .is_direct = true,
             .ops = rule::integer_sums::kOps,
             .op = rule::integer_sums::look});

}  // namespace anemone::lint
