#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::linear {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1, .domain = 'T'},
    {.name = "weight",
     .dtypes = kNumbers,
     .min_rank = 2,
     .max_rank = 2,
     .is_const = true,
     .domain = 'T',
     .ios17_domain = 'U'},
    {.name = "bias",
     .dtypes = kNumbers,
     .min_rank = 1,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true,
     .domain = 'T',
     .ios17_domain = 'U'},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Shape& weight = call.shape("weight");
  if (!may_equal(x.shape.back(), weight[1])) {
    call.fail("parameter 'x' has shape " + anemone::to_string(x.shape) + ", whose last extent is " +
              "not that of weight, " + anemone::to_string(weight));
  }
  if (call.has("bias")) require_shape(call, "bias", {weight[0]});
  Shape shape = x.shape;
  shape.back() = weight[0];
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const std::vector<double> x = call.tensor("x").to_doubles();
  const std::vector<double> weight = call.tensor("weight").to_doubles();
  const Tensor* bias = call.find_tensor("bias");
  const std::vector<double> offset = bias ? bias->to_doubles() : std::vector<double>{};
  const auto outputs = static_cast<std::size_t>(call.tensor("weight").shape()[0]);
  const auto inputs = static_cast<std::size_t>(call.tensor("weight").shape()[1]);
  std::vector<double> y(static_cast<std::size_t>(element_count(type.shape)));
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double* row = x.data() + i / outputs * inputs;
    const double* column = weight.data() + i % outputs * inputs;
    double sum = bias ? offset[i % outputs] : 0;
    for (std::size_t k = 0; k < inputs; ++k) sum += row[k] * column[k];
    y[i] = sum;
  }
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::linear

ANEMONE_DEFINE_OP(linear) = {
    .name = "linear",
    .revised = op::linear::kRevised,
    .says = "y = x weight^T + bias, over the last axis of x",
    .inputs = op::linear::kInputs,
    .infer = op::linear::infer,
    .eval = op::linear::eval,
};

}  // namespace anemone::mil
