#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::slice_by_index {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "begin",
     .dtypes = kInt32,
     .min_rank = 1,
     .max_rank = 1,
     .domain = 'U',
     .ios17_dtypes = kIndexIos17},
    {.name = "end",
     .dtypes = kInt32,
     .min_rank = 1,
     .max_rank = 1,
     .domain = 'U',
     .ios17_dtypes = kIndexIos17},
    {.name = "stride",
     .dtypes = kInt32,
     .min_rank = 1,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true,
     .domain = 'U',
     .ios17_dtypes = kIndexIos17},
    {.name = "begin_mask", .dtypes = kBools, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "end_mask", .dtypes = kBools, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "squeeze_mask",
     .dtypes = kBools,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  return {Type::tensor(call.dtype("x"), slice_shape(solve_slices(call)))};
}

std::vector<Tensor> eval(const Call& call) {
  const std::vector<AxisSlice> slices = solve_slices(resolved(call));
  const Tensor x = call.tensor("x").resident();
  Elements y(x.dtype(), slice_shape(slices));
  std::int64_t to = 0;
  for_each_sliced(slices, x.shape(), [&](std::int64_t at) { y.copy(to++, x, at); });
  return {y.finish()};
}

}  // namespace op::slice_by_index

ANEMONE_DEFINE_OP(slice_by_index) = {
    .name = "slice_by_index",
    .revised = op::slice_by_index::kRevised,
    .says =
        "y = x[begin : end : stride] along every axis; masked bounds are open, squeezed axes "
        "take begin alone",
    .inputs = op::slice_by_index::kInputs,
    .infer = op::slice_by_index::infer,
    .eval = op::slice_by_index::eval,
};

}  // namespace anemone::mil
