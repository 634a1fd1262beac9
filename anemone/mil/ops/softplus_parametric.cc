#include "anemone/mil/ops/activation.h"

namespace anemone::mil {
namespace op::softplus_parametric {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
                                channel_constant("alpha"),
                                channel_constant("beta")};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  require_shape(call, "alpha", {x.shape[1]});
  require_shape(call, "beta", {x.shape[1]});
  return {x};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const std::vector<double> alpha = call.tensor("alpha").to_doubles();
  const std::vector<double> beta = call.tensor("beta").to_doubles();
  return {mapped_by_channel(call.tensor("x"), [&](double x, std::size_t channel) {
    const double z = beta[channel] * x;
    return alpha[channel] * (std::log1p(std::exp(-std::abs(z))) + std::max(z, 0.0));
  })};
}

}  // namespace op::softplus_parametric

ANEMONE_DEFINE_OP(softplus_parametric) = {
    .name = "softplus_parametric",
    .revised = op::kRevisedIn17,
    .says = "y = alpha[c] log(1 + e^(beta[c] x)), c along axis 1",
    .inputs = op::softplus_parametric::kInputs,
    .infer = op::softplus_parametric::infer,
    .eval = op::softplus_parametric::eval,
};

}  // namespace anemone::mil
