#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::clip {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .domain = 'T'},
    {.name = "alpha", .dtypes = kFloats, .max_rank = 0, .is_const = true, .domain = 'T'},
    {.name = "beta", .dtypes = kFloats, .max_rank = 0, .is_const = true, .domain = 'T'},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  // Source: coremltools 9.0, mil/ops/defs/iOS17/elementwise_unary.py.
  if (call.opset() >= Opset::kIos17 && !(call.number("alpha") < call.number("beta"))) {
    call.fail("parameter 'alpha' must be less than 'beta'");
  }
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  const double alpha = call.number("alpha");
  const double beta = call.number("beta");
  return {mapped(call.tensor("x"), [&](double x) {
    const double raised = x < alpha ? alpha : x;
    return raised > beta ? beta : raised;
  })};
}

}  // namespace op::clip

ANEMONE_DEFINE_OP(clip) = {
    .name = "clip",
    .revised = op::clip::kRevised,
    .says = "y = min(max(x, alpha), beta)",
    .inputs = op::clip::kInputs,
    .infer = op::clip::infer,
    .eval = op::clip::eval,
    .unranked = true,
};

}  // namespace anemone::mil
