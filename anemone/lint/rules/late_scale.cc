#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::late_scale {

constexpr std::string_view kFacts[] = {"N06"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCliffs},
                               {Confidence::kAppleOs27, from::kAppleQwen}};
constexpr std::string_view kOps[] = {"matmul"};

void look(Check& check, const mil::Op& op) {
  if (find_weight(op) != nullptr) return;
  for (const mil::Op* taker : find_takers(check.function(), *op.output())) {
    const auto factor =
        is_type(taker, {"mul"})
            ? find_number(taker->find_input(find_number(taker->find_input("x")) ? "x" : "y"))
            : std::nullopt;
    const auto divisor =
        is_type(taker, {"real_div"}) ? find_number(taker->find_input("y")) : std::nullopt;
    if ((factor && std::abs(*factor) < 1) || (divisor && std::abs(*divisor) > 1)) {
      check.report("is scaled down only after the product");
      return;
    }
  }
}

}  // namespace rule::late_scale

ANEMONE_DEFINE_RULE(late_scale) =
    sourced({.id = "late-scale",
             .facts = rule::late_scale::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M1 to M5, the private route"},
             .looks_at = "matmul of two run-time tensors followed by a constant below 1",
             .says = "products over about 32,752 become infinite, half of fp16's largest",
             .rewrite = "scale the queries or keys before the product",
             .sources = rule::late_scale::kSources,
             .is_direct = true,
             .ops = rule::late_scale::kOps,
             .op = rule::late_scale::look});

}  // namespace anemone::lint
