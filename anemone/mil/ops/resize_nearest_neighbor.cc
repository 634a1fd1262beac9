#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::resize_nearest_neighbor {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3},
    {.name = "target_size_height", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    {.name = "target_size_width", .dtypes = kInt32, .max_rank = 0, .is_const = true},
};

std::vector<Type> infer(const Call& call) {
  return infer_resized_image(call, call.integer("target_size_height"),
                             call.integer("target_size_width"));
}

std::vector<Tensor> eval(const Call& call) { return {resized_to_nearest(call)}; }

}  // namespace op::resize_nearest_neighbor

ANEMONE_DEFINE_OP(resize_nearest_neighbor) = {
    .name = "resize_nearest_neighbor",
    .says = "the last two axes of x resized to a target: y[i] = x[floor(i in / out)]",
    .inputs = op::resize_nearest_neighbor::kInputs,
    .infer = op::resize_nearest_neighbor::infer,
    .eval = op::resize_nearest_neighbor::eval,
};

}  // namespace anemone::mil
