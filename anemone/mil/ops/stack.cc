#include "anemone/mil/ops/joining.h"

namespace anemone::mil {
namespace op::stack {

constexpr InputDef kInputs[] = {
    {.name = "values", .is_variadic = true, .domain = 'T'},
    {.name = "axis", .dtypes = kInt32, .max_rank = 0, .is_const = true},
};

std::vector<Type> infer(const Call& call) {
  Shape shape = common_shape(call, "values", std::nullopt);
  const auto values = call.arguments("values");
  const std::int64_t axis = call.axis("axis", static_cast<std::int64_t>(shape.size()) + 1);
  shape.insert(shape.begin() + axis, static_cast<std::int64_t>(values.size()));
  return {Type::tensor(common_dtype(call, "values"), shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const std::vector<Tensor> values = resident_values(call, "values", type.dtype);
  const auto axis = static_cast<std::size_t>(call.axis("axis", type.rank()));
  const std::int64_t step = row_major_strides(type.shape)[axis];
  const auto count = static_cast<std::int64_t>(values.size());
  Elements y(type.dtype, type.shape);
  for (std::int64_t v = 0; v < count; ++v) {
    const Tensor& value = values[static_cast<std::size_t>(v)];
    for (std::int64_t i = 0; i < value.count(); ++i) {
      y.copy((i / step * count + v) * step + i % step, value, i);
    }
  }
  return {y.finish()};
}

}  // namespace op::stack

ANEMONE_DEFINE_OP(stack) = {
    .name = "stack",
    .says = "the values side by side along a new axis",
    .inputs = op::stack::kInputs,
    .infer = op::stack::infer,
    .eval = op::stack::eval,
};

}  // namespace anemone::mil
