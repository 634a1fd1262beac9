#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::reshape {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "shape", .dtypes = kInt32, .min_rank = 1, .max_rank = 1, .ios17_dtypes = kIndexIos17},
};
constexpr Opset kRevised[] = {Opset::kIos17};

// A 0 copies an extent of x: from iOS 17 on the one as far from the right (1 if x has none), before
// the one at the same place.
// Source: coremltools 9.0, mil/ops/defs/iOS17/tensor_transformation.py.
std::int64_t copied_extent(const Call& call, const Shape& x, std::size_t i, std::size_t rank) {
  if (call.opset() >= Opset::kIos17) {
    const std::size_t from_right = rank - i;
    return from_right <= x.size() ? x[x.size() - from_right] : 1;
  }
  if (rank != x.size()) {
    call.fail("parameter 'shape' holds 0, but has " + std::to_string(rank) +
              " values where x has rank " + std::to_string(x.size()));
  }
  return x[i];
}

Shape target(const Call& call, const Type& x, const std::vector<std::int64_t>& wanted) {
  Shape shape;
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < -1 || (wanted[i] == -1 && open)) {
      call.fail("parameter 'shape' is " + anemone::to_string(wanted) +
                "; one extent may be -1 (what is left), 0 copies that of x");
    }
    if (wanted[i] == -1) open = i;
    shape.push_back(wanted[i] != 0 || !x.has_rank ? wanted[i]
                                                  : copied_extent(call, x.shape, i, wanted.size()));
  }
  if (!x.is_static()) return shape;
  Shape rest = shape;
  if (open) rest[*open] = 1;
  const std::int64_t total = element_count(x.shape);
  const auto left = checked_element_count(rest);
  const bool fits = left && (open ? *left > 0 && total % *left == 0 : *left == total);
  if (!fits) {
    call.fail("cannot make " + anemone::to_string(shape) + " of x, " + anemone::to_string(x.shape));
  }
  if (open) shape[*open] = total / *left;
  return shape;
}

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Tensor* wanted = call.find_tensor("shape");
  if (wanted != nullptr) return {Type::tensor(x.dtype, target(call, x, wanted->to_ints()))};
  const std::int64_t rank = call.shape("shape")[0];
  if (rank == kUnknown) return {{.dtype = x.dtype, .has_rank = false}};
  if (rank > 16) call.fail("parameter 'shape' has " + std::to_string(rank) + " values");
  return {Type::tensor(x.dtype, Shape(static_cast<std::size_t>(rank), kUnknown))};
}

std::vector<Tensor> eval(const Call& call) {
  return {call.tensor("x").reshaped(resolved_type(call).shape)};
}

}  // namespace op::reshape

ANEMONE_DEFINE_OP(reshape) = {
    .name = "reshape",
    .revised = op::reshape::kRevised,
    .says =
        "the elements of x in their order under another shape; -1 is what is left, 0 copies an "
        "extent of x",
    .inputs = op::reshape::kInputs,
    .infer = op::reshape::infer,
    .eval = op::reshape::eval,
    .unranked = true,
};

}  // namespace anemone::mil
