#include "anemone/mil/ops/joining.h"

namespace anemone::mil {
namespace op::concat {

constexpr InputDef kInputs[] = {
    {.name = "values", .is_variadic = true, .domain = 'T'},
    {.name = "axis", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    {.name = "interleave", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
};

std::vector<Type> infer(const Call& call) {
  const auto values = call.arguments("values");
  if (values.empty()) call.fail("parameter 'values' holds no values");
  const Type& first = values.front().type;
  if (first.rank() == 0) {
    common_shape(call, "values", std::nullopt);
    return {Type::tensor(common_dtype(call, "values"), {static_cast<std::int64_t>(values.size())})};
  }
  const auto axis = static_cast<std::size_t>(call.axis("axis", first.rank()));
  const bool interleave = call.boolean("interleave");
  Shape shape = common_shape(call, "values", interleave ? std::nullopt : std::optional(axis));
  std::int64_t length = 0;
  for (const Argument& value : values) {
    const std::int64_t extent = value.type.shape[axis];
    length = length == kUnknown || extent == kUnknown ? kUnknown : length + extent;
  }
  shape[axis] = length;
  return {Type::tensor(common_dtype(call, "values"), shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const std::vector<Tensor> values = resident_values(call, "values", type.dtype);
  Elements y(type.dtype, type.shape);
  const bool scalars = values.front().rank() == 0;
  const std::size_t axis =
      scalars ? 0 : static_cast<std::size_t>(call.axis("axis", values.front().rank()));
  const std::int64_t step = row_major_strides(type.shape)[axis];
  const bool interleave = call.boolean("interleave");
  const auto count = static_cast<std::int64_t>(values.size());
  std::int64_t before = 0;
  for (std::size_t v = 0; v < values.size(); ++v) {
    const std::int64_t length = scalars ? 1 : values[v].shape()[axis];
    for (std::int64_t i = 0; i < values[v].count(); ++i) {
      const std::int64_t outer = i / (length * step);
      const std::int64_t along = i / step % length;
      const std::int64_t to =
          interleave ? along * count + static_cast<std::int64_t>(v) : along + before;
      y.copy((outer * type.shape[axis] + to) * step + i % step, values[v], i);
    }
    before += length;
  }
  return {y.finish()};
}

}  // namespace op::concat

ANEMONE_DEFINE_OP(concat) = {
    .name = "concat",
    .says =
        "the values one after the other along axis (element by element in turn if interleave); "
        "rank-0 values make a vector",
    .inputs = op::concat::kInputs,
    .infer = op::concat::infer,
    .eval = op::concat::eval,
};

}  // namespace anemone::mil
