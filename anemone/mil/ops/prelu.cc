#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::prelu {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
                                channel_constant("alpha")};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  require_shape(call, "alpha", {x.shape[1]});
  const Tensor* alpha = call.find_tensor("alpha");
  if (alpha == nullptr || x.rank() == 4) return {x};
  // Source: coremltools 9.0, mil/ops/defs/iOS15/activation.py.
  const std::vector<double> values = alpha->to_doubles();
  for (const double value : values) {
    if (std::abs(value - values.front()) > 1e-5) {
      call.fail("parameter 'alpha' differs between channels, which x of rank " +
                std::to_string(x.rank()) + " does not allow");
    }
  }
  return {x};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const std::vector<double> alpha = call.tensor("alpha").to_doubles();
  return {mapped_by_channel(call.tensor("x"), [&](double x, std::size_t channel) {
    return x > 0 ? x : alpha[channel] * x;
  })};
}

}  // namespace op::prelu

ANEMONE_DEFINE_OP(prelu) = {
    .name = "prelu",
    .revised = op::kRevisedIn17,
    .says = "y = x > 0 ? x : alpha[c] x, c along axis 1",
    .inputs = op::prelu::kInputs,
    .infer = op::prelu::infer,
    .eval = op::prelu::eval,
};

}  // namespace anemone::mil
