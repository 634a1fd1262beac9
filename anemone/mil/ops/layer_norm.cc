#include "anemone/mil/ops/epsilon.h"

namespace anemone::mil {
namespace op::layer_norm {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 1, .domain = 'T'},
    {.name = "axes", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "gamma",
     .dtypes = kFloats,
     .is_const = true,
     .is_optional = true,
     .domain = 'T',
     .ios17_domain = 'U'},
    {.name = "beta",
     .dtypes = kFloats,
     .is_const = true,
     .is_optional = true,
     .domain = 'T',
     .ios17_domain = 'U'},
    free_epsilon_input(1e-5),
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<bool> normalized_axes(const Call& call, std::int64_t rank) {
  const auto given = call.find_integers("axes");
  std::vector<bool> named(static_cast<std::size_t>(rank), !given);
  if (!given) return named;
  for (const std::int64_t axis : checked_axes(call, "axes", *given, rank)) {
    named[static_cast<std::size_t>(axis)] = true;
  }
  return named;
}

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const std::vector<bool> named = normalized_axes(call, x.rank());
  Shape normalized;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (named[i]) normalized.push_back(x.shape[i]);
  }
  if (call.has("gamma")) require_shape(call, "gamma", normalized);
  if (call.has("beta")) require_shape(call, "beta", normalized);
  return {x};
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  resolved_type(call);
  const std::vector<bool> named = normalized_axes(call, x.rank());
  Shape outer = x.shape();
  Shape inner = x.shape();
  for (std::size_t i = 0; i < named.size(); ++i) (named[i] ? outer : inner)[i] = 1;
  const Tensor* gamma = call.find_tensor("gamma");
  const Tensor* beta = call.find_tensor("beta");
  const std::vector<double> scale = gamma ? gamma->to_doubles() : std::vector<double>{};
  const std::vector<double> offset = beta ? beta->to_doubles() : std::vector<double>{};
  const double small = epsilon(call);
  const Shape strides = row_major_strides(x.shape());
  std::vector<double> y = x.to_doubles();
  std::vector<double*> group;
  for_each_index(outer, [&](const Shape& start) {
    group.clear();
    double mean = 0;
    for_each_index(inner, [&](const Shape& step) {
      group.push_back(&y[static_cast<std::size_t>(dot(start, strides) + dot(step, strides))]);
      mean += *group.back();
    });
    const auto count = static_cast<double>(group.size());
    mean /= count;
    double variance = 0;
    for (const double* value : group) variance += (*value - mean) * (*value - mean);
    const double factor = 1 / std::sqrt(variance / count + small);
    for (std::size_t i = 0; i < group.size(); ++i) {
      *group[i] = (*group[i] - mean) * factor * (gamma ? scale[i] : 1) + (beta ? offset[i] : 0);
    }
  });
  return {Tensor::from_doubles(x.dtype(), x.shape(), y)};
}

}  // namespace op::layer_norm

ANEMONE_DEFINE_OP(layer_norm) = {
    .name = "layer_norm",
    .revised = op::layer_norm::kRevised,
    .says =
        "y = gamma (x - mean) / sqrt(variance + epsilon) + beta, mean and variance over axes "
        "(all of them where none are named)",
    .inputs = op::layer_norm::kInputs,
    .infer = op::layer_norm::infer,
    .eval = op::layer_norm::eval,
};

}  // namespace anemone::mil
