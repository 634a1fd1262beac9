#include "anemone/mil/ops/normalization.h"

namespace anemone::mil {
namespace op::batch_norm {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
    norm_parameter("mean", false),
    norm_parameter("variance", false),
    norm_parameter("gamma", true),
    norm_parameter("beta", true),
    free_epsilon_input(1e-5),
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kPerChannel[] = {"mean", "variance", "gamma", "beta"};
  require_channels(call, kPerChannel);
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::vector<double> mean = find_numbers(call, "mean");
  const std::vector<double> variance = find_numbers(call, "variance");
  const std::vector<double> gamma = find_numbers(call, "gamma");
  const std::vector<double> beta = find_numbers(call, "beta");
  const double small = epsilon(call);
  std::vector<double> y = x.to_doubles();
  const auto step = static_cast<std::size_t>(row_major_strides(x.shape())[1]);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t c = i / step % mean.size();
    y[i] = (y[i] - mean[c]) / std::sqrt(variance[c] + small) * (gamma.empty() ? 1 : gamma[c]) +
           (beta.empty() ? 0 : beta[c]);
  }
  return {Tensor::from_doubles(x.dtype(), x.shape(), y)};
}

}  // namespace op::batch_norm

ANEMONE_DEFINE_OP(batch_norm) = {
    .name = "batch_norm",
    .revised = op::batch_norm::kRevised,
    .says = "y = gamma[c] (x - mean[c]) / sqrt(variance[c] + epsilon) + beta[c], c along axis 1",
    .inputs = op::batch_norm::kInputs,
    .infer = op::batch_norm::infer,
    .eval = op::batch_norm::eval,
};

}  // namespace anemone::mil
