#include "anemone/mil/ops/normalization.h"

namespace anemone::mil {
namespace op::instance_norm {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
    norm_parameter("gamma", true),
    norm_parameter("beta", true),
    free_epsilon_input(1e-5),
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kPerChannel[] = {"gamma", "beta"};
  require_channels(call, kPerChannel);
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::vector<double> gamma = find_numbers(call, "gamma");
  const std::vector<double> beta = find_numbers(call, "beta");
  const double small = epsilon(call);
  std::vector<double> y = x.to_doubles();
  const auto size = static_cast<std::size_t>(row_major_strides(x.shape())[1]);
  const auto channels = static_cast<std::size_t>(x.shape()[1]);
  for (std::size_t start = 0; start < y.size(); start += size) {
    const std::size_t c = start / size % channels;
    const std::span<double> image(y.data() + start, size);
    double mean = 0;
    for (const double value : image) mean += value / static_cast<double>(size);
    double variance = 0;
    for (const double value : image) {
      variance += (value - mean) * (value - mean) / static_cast<double>(size);
    }
    const double factor = (gamma.empty() ? 1 : gamma[c]) / std::sqrt(variance + small);
    for (double& value : image) value = (value - mean) * factor + (beta.empty() ? 0 : beta[c]);
  }
  return {Tensor::from_doubles(x.dtype(), x.shape(), y)};
}

}  // namespace op::instance_norm

ANEMONE_DEFINE_OP(instance_norm) = {
    .name = "instance_norm",
    .revised = op::instance_norm::kRevised,
    .says =
        "y = gamma[c] (x - mean) / sqrt(variance + epsilon) + beta[c], mean and variance over "
        "the spatial axes of each channel c",
    .inputs = op::instance_norm::kInputs,
    .infer = op::instance_norm::infer,
    .eval = op::instance_norm::eval,
};

}  // namespace anemone::mil
