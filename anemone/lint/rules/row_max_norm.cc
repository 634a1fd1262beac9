#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::row_max_norm {

constexpr std::string_view kFacts[] = {"N02"};
constexpr Source kSources[] = {
    {Confidence::kDerived, "apple/coremltools, rms_norm lowering, read"},
    {Confidence::kApple, "apple/coremltools, converters/mil/frontend/torch/ops.py"}};
constexpr std::string_view kOps[] = {"real_div"};

void look(Check& check, const mil::Op& op) {
  const mil::Op* largest = find_maker(op.find_input("y"));
  if (!is_type(largest, {"reduce_max"}) || !is_type(find_maker(largest->find_input("x")), {"abs"}))
    return;
  check.report("divides by the row's largest magnitude, which may be 0");
}

}  // namespace rule::row_max_norm

ANEMONE_DEFINE_RULE(row_max_norm) =
    sourced({.id = "row-max-norm",
             .facts = rule::row_max_norm::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kDerived,
             .looks_at = "real_div by reduce_max of magnitudes without a floor",
             .says = "a norm that divides by the row's largest magnitude adds epsilon after "
                     "scaling, and a row of zeros is 0/0",
             .rewrite = "a floor under the largest magnitude; rows of padding that are not zero",
             .sources = rule::row_max_norm::kSources,
             .ops = rule::row_max_norm::kOps,
             .op = rule::row_max_norm::look});

}  // namespace anemone::lint
