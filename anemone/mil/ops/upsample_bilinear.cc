#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::upsample_bilinear {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3},
    scale_factor_input("scale_factor_height"),
    scale_factor_input("scale_factor_width"),
    {.name = "align_corners", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = true},
    {.name = "half_pixel_centers",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .is_optional = true,
     .since = Opset::kIos16},
};
constexpr Opset kRevised[] = {Opset::kIos16};

std::vector<Tensor> eval(const Call& call) {
  const bool align = call.boolean("align_corners");
  const bool half = call.has("half_pixel_centers") ? call.boolean("half_pixel_centers") : !align;
  return {resized_linearly(call, align  ? "STRICT_ALIGN_CORNERS"
                                 : half ? "UNALIGN_CORNERS"
                                        : "DEFAULT")};
}

}  // namespace op::upsample_bilinear

ANEMONE_DEFINE_OP(upsample_bilinear) = {
    .name = "upsample_bilinear",
    .revised = op::upsample_bilinear::kRevised,
    .says =
        "the last two axes of x times a factor each, bilinearly; corners aligned, or pixels "
        "with their centers at halves (the opposite of align_corners where not given)",
    .inputs = op::upsample_bilinear::kInputs,
    .infer = op::infer_scaled_image,
    .eval = op::upsample_bilinear::eval,
};

}  // namespace anemone::mil
