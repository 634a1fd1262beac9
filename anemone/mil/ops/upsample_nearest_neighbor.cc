#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::upsample_nearest_neighbor {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3},
    scale_factor_input("scale_factor_height"),
    scale_factor_input("scale_factor_width"),
};

std::vector<Tensor> eval(const Call& call) { return {resized_to_nearest(call)}; }

}  // namespace op::upsample_nearest_neighbor

ANEMONE_DEFINE_OP(upsample_nearest_neighbor) = {
    .name = "upsample_nearest_neighbor",
    .says = "the last two axes of x times a factor each: y[i] = x[floor(i in / out)]",
    .inputs = op::upsample_nearest_neighbor::kInputs,
    .infer = op::infer_scaled_image,
    .eval = op::upsample_nearest_neighbor::eval,
};

}  // namespace anemone::mil
