#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::sliding_windows {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1, .ios17_dtypes = kMovableIos17},
    {.name = "axis", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    {.name = "size", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    {.name = "stride",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const std::int64_t axis = call.axis("axis", x.rank());
  const std::int64_t size = call.integer("size");
  const std::int64_t stride = call.integer("stride");
  const std::int64_t extent = x.shape[static_cast<std::size_t>(axis)];
  if (size < 1 || stride < 1 || (extent != kUnknown && size > extent)) {
    call.fail("slides windows of " + std::to_string(size) + " by " + std::to_string(stride) +
              " over axis " + std::to_string(axis) + " of " + anemone::to_string(x.shape));
  }
  Shape shape = x.shape;
  if (extent != kUnknown) {
    shape[static_cast<std::size_t>(axis)] = (extent - size) / stride + 1;
  }
  shape.insert(shape.begin() + axis + 1, size);
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const std::int64_t stride = call.integer("stride");
  const Shape own = row_major_strides(x.shape());
  Shape strides = own;
  strides[axis] *= stride;
  strides.insert(strides.begin() + static_cast<std::ptrdiff_t>(axis) + 1, own[axis]);
  return {rearranged(x, type.shape, [&](const Shape& index) { return dot(index, strides); })};
}

}  // namespace op::sliding_windows

ANEMONE_DEFINE_OP(sliding_windows) = {
    .name = "sliding_windows",
    .revised = op::sliding_windows::kRevised,
    .says = "y[.., w, i, ..] = x[.., w stride + i, ..] along axis, i below size",
    .inputs = op::sliding_windows::kInputs,
    .infer = op::sliding_windows::infer,
    .eval = op::sliding_windows::eval,
};

}  // namespace anemone::mil
