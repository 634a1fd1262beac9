#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::slice_update {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovableIos17, .min_rank = 1, .domain = 'T'},
    // Source: coremltools 9.0, mil/ops/defs/iOS18/tensor_transformation.py (no backend takes rank
    // 0).
    {.name = "update", .dtypes = kMovableIos17, .min_rank = 1, .domain = 'T'},
    {.name = "begin", .dtypes = kIndexIos17, .min_rank = 1, .max_rank = 1, .domain = 'U'},
    {.name = "end", .dtypes = kIndexIos17, .min_rank = 1, .max_rank = 1, .domain = 'U'},
    {.name = "stride",
     .dtypes = kIndexIos17,
     .min_rank = 1,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true,
     .domain = 'U'},
    {.name = "begin_mask", .dtypes = kBools, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "end_mask", .dtypes = kBools, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "squeeze_mask",
     .dtypes = kBools,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true},
};

std::vector<Type> infer(const Call& call) {
  require_shape(call, "update", slice_shape(solve_slices(call)));
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  const Call known = resolved(call);
  infer(known);
  const DType dtype = promoted(call.tensor("x").dtype(), call.tensor("update").dtype());
  const Tensor x = convert(call.tensor("x"), dtype);
  const Tensor update = convert(call.tensor("update"), dtype).resident();
  Elements y(x);
  std::int64_t from = 0;
  for_each_sliced(solve_slices(known), x.shape(),
                  [&](std::int64_t at) { y.copy(at, update, from++); });
  return {y.finish()};
}

}  // namespace op::slice_update

ANEMONE_DEFINE_OP(slice_update) = {
    .name = "slice_update",
    .since = Opset::kIos18,
    .says = "y = x, but for y[begin : end : stride] = update, sliced as slice_by_index does",
    .inputs = op::slice_update::kInputs,
    .infer = op::slice_update::infer,
    .eval = op::slice_update::eval,
};

}  // namespace anemone::mil
