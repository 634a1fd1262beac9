#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::one_hot {

constexpr InputDef kInputs[] = {
    {.name = "indices", .dtypes = kInt32},
    {.name = "one_hot_vector_size", .dtypes = kInt32, .max_rank = 0},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{-1}},
    {.name = "on_value",
     .dtypes = kMovable,
     .max_rank = 0,
     .is_const = true,
     .domain = 'T',
     .otherwise = std::int64_t{1}},
    {.name = "off_value",
     .dtypes = kMovable,
     .max_rank = 0,
     .is_const = true,
     .domain = 'T',
     .otherwise = std::int64_t{0}},
};

DType output_dtype(const Call& call) {
  if (call.has("on_value")) return call.dtype("on_value");
  return call.has("off_value") ? call.dtype("off_value") : DType::kI32;
}

std::vector<Type> infer(const Call& call) {
  Shape shape = call.shape("indices");
  const std::int64_t axis = call.axis("axis", static_cast<std::int64_t>(shape.size()) + 1);
  std::int64_t size = kUnknown;
  if (call.find_tensor("one_hot_vector_size") != nullptr) {
    size = call.integer("one_hot_vector_size");
    if (size < 0) call.fail("parameter 'one_hot_vector_size' is " + std::to_string(size));
  }
  shape.insert(shape.begin() + axis, size);
  return {Type::tensor(output_dtype(call), shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const std::vector<std::int64_t> indices = call.tensor("indices").to_ints();
  const auto axis = static_cast<std::size_t>(call.axis("axis", type.rank()));
  const auto step = static_cast<std::size_t>(row_major_strides(type.shape)[axis]);
  const auto size = static_cast<std::size_t>(type.shape[axis]);
  const double on = call.number("on_value");
  const double off = call.number("off_value");
  std::vector<double> y(static_cast<std::size_t>(element_count(type.shape)), off);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= type.shape[axis]) continue;  // nothing is on
    y[(i / step * size + static_cast<std::size_t>(indices[i])) * step + i % step] = on;
  }
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::one_hot

ANEMONE_DEFINE_OP(one_hot) = {
    .name = "one_hot",
    .says = "y[.., k, ..] = indices[.., ..] == k ? on_value : off_value, k along axis",
    .inputs = op::one_hot::kInputs,
    .infer = op::one_hot::infer,
    .eval = op::one_hot::eval,
};

}  // namespace anemone::mil
