#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::slice_by_size {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "begin",
     .dtypes = kInt32,
     .min_rank = 1,
     .max_rank = 1,
     .domain = 'U',
     .ios17_dtypes = kIndexIos17},
    {.name = "size",
     .dtypes = kInt32,
     .min_rank = 1,
     .max_rank = 1,
     .domain = 'U',
     .ios17_dtypes = kIndexIos17},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<AxisSlice> solve(const Call& call) {
  const Shape& x = call.shape("x");
  const auto rank = static_cast<std::int64_t>(x.size());
  const auto begin = find_per_axis(call, "begin", rank);
  const auto size = find_per_axis(call, "size", rank);
  std::vector<AxisSlice> slices(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    AxisSlice& slice = slices[i];
    if (size && (*size)[i] != -1) slice.count = (*size)[i];
    if (slice.count < -1) {
      call.fail("parameter 'size' holds " + std::to_string(slice.count) +
                "; allowed: -1 (all that follow) and up");
    }
    if (!begin || x[i] == kUnknown) continue;
    slice.start = (*begin)[i] < 0 ? (*begin)[i] + x[i] : (*begin)[i];
    if (size && slice.count == kUnknown) slice.count = x[i] - slice.start;
    if (slice.start < 0 || slice.start > x[i] || slice.count > x[i] - slice.start) {
      call.fail("takes " + std::to_string(size ? (*size)[i] : 0) + " elements from " +
                std::to_string((*begin)[i]) + " on along axis " + std::to_string(i) +
                ", which has " + std::to_string(x[i]));
    }
  }
  return slices;
}

std::vector<Type> infer(const Call& call) {
  return {Type::tensor(call.dtype("x"), slice_shape(solve(call)))};
}

std::vector<Tensor> eval(const Call& call) {
  const std::vector<AxisSlice> slices = solve(resolved(call));
  const Tensor x = call.tensor("x").resident();
  Elements y(x.dtype(), slice_shape(slices));
  std::int64_t to = 0;
  for_each_sliced(slices, x.shape(), [&](std::int64_t at) { y.copy(to++, x, at); });
  return {y.finish()};
}

}  // namespace op::slice_by_size

ANEMONE_DEFINE_OP(slice_by_size) = {
    .name = "slice_by_size",
    .revised = op::slice_by_size::kRevised,
    .says = "y = x[begin : begin + size] along every axis; a size of -1 takes all that follow",
    .inputs = op::slice_by_size::kInputs,
    .infer = op::slice_by_size::infer,
    .eval = op::slice_by_size::eval,
};

}  // namespace anemone::mil
