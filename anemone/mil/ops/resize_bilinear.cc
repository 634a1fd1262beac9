#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::resize_bilinear {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3},
    {.name = "target_size_height",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
    {.name = "target_size_width",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
    sampling_mode_input(),
};

std::vector<Type> infer(const Call& call) {
  one_of(call, "sampling_mode", kSamplingModes);
  return infer_resized_image(call, call.integer("target_size_height"),
                             call.integer("target_size_width"));
}

std::vector<Tensor> eval(const Call& call) {
  return {resized_linearly(call, call.text("sampling_mode"))};
}

}  // namespace op::resize_bilinear

ANEMONE_DEFINE_OP(resize_bilinear) = {
    .name = "resize_bilinear",
    .says = "the last two axes of x resized to a target, bilinearly between pixels",
    .inputs = op::resize_bilinear::kInputs,
    .infer = op::resize_bilinear::infer,
    .eval = op::resize_bilinear::eval,
};

}  // namespace anemone::mil
