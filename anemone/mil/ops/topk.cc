#include "anemone/mil/ops/lines.h"

namespace anemone::mil {
namespace op::topk {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1, .ios17_dtypes = kNumbers | kSmallInts},
    {.name = "k",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1},
     .ios17_dtypes = kInt32 | bit(DType::kI8) | bit(DType::kI16)},
    {.name = "axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{-1}},
    {.name = "ascending", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
    {.name = "sort",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .otherwise = true,
     .since = Opset::kIos16},
    {.name = "return_indices",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .otherwise = true,
     .since = Opset::kIos16},
    {.name = "output_indices_dtype",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("int32"),
     .since = Opset::kIos17},
};
constexpr Opset kRevised[] = {Opset::kIos16, Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const std::int64_t k = call.integer("k");
  if (k < -1 || (x.shape[axis] != kUnknown && k > x.shape[axis])) {
    call.fail("parameter 'k' is " + std::to_string(k) + "; allowed: -1 (all) to " +
              std::to_string(x.shape[axis]));
  }
  Shape shape = x.shape;
  if (k != -1) shape[axis] = k;
  if (!call.boolean("return_indices")) {
    if (call.has("output_indices_dtype")) {
      call.fail("has an output_indices_dtype, but return_indices is false");
    }
    return {Type::tensor(x.dtype, shape)};
  }
  constexpr std::string_view kAllowed[] = {"int32", "uint16"};
  const std::string dtype = one_of(call, "output_indices_dtype", kAllowed);
  return {Type::tensor(x.dtype, shape), Type::tensor(*find_dtype_by_name(dtype), shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const std::vector<Type> types = infer(resolved(call));
  const Tensor x = call.tensor("x").resident();
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const bool ascending = call.boolean("ascending");
  const std::vector<double> values = x.to_doubles();
  const Shape& shape = types.front().shape;
  Elements y(x.dtype(), shape);
  std::vector<double> indices(static_cast<std::size_t>(element_count(shape)));
  const Shape strides = row_major_strides(x.shape());
  const Shape y_strides = row_major_strides(shape);
  Shape starts = shape;
  starts[axis] = 1;
  std::vector<double> line(static_cast<std::size_t>(x.shape()[axis]));
  for_each_index(starts, [&](const Shape& start) {
    const std::int64_t from = dot(start, strides);
    const std::int64_t to = dot(start, y_strides);
    for (std::size_t i = 0; i < line.size(); ++i) {
      line[i] =
          values[static_cast<std::size_t>(from + static_cast<std::int64_t>(i) * strides[axis])];
    }
    const std::vector<std::int64_t> places = sorted_places(line, ascending);
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
      const std::int64_t place = places[static_cast<std::size_t>(i)];
      y.copy(to + i * y_strides[axis], x, from + place * strides[axis]);
      indices[static_cast<std::size_t>(to + i * y_strides[axis])] = static_cast<double>(place);
    }
  });
  std::vector<Tensor> outputs = {y.finish()};
  if (types.size() > 1) outputs.push_back(Tensor::from_doubles(types[1].dtype, shape, indices));
  return outputs;
}

}  // namespace op::topk

ANEMONE_DEFINE_OP(topk) = {
    .name = "topk",
    .revised = op::topk::kRevised,
    .says = "the k greatest (least if ascending) of x along axis in their order, and their indices",
    .inputs = op::topk::kInputs,
    .infer = op::topk::infer,
    .eval = op::topk::eval,
};

}  // namespace anemone::mil
