#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::affine {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 4, .max_rank = 4, .domain = 'T'},
    {.name = "transform_matrix", .dtypes = kFloats, .min_rank = 2, .max_rank = 2, .domain = 'T'},
    {.name = "output_height", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    {.name = "output_width", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    {.name = "sampling_mode", .dtypes = kStrings, .max_rank = 0, .is_const = true},
    {.name = "padding_mode", .dtypes = kStrings, .max_rank = 0, .is_const = true},
    {.name = "padding_value", .dtypes = kFloats, .max_rank = 0, .is_const = true, .domain = 'T'},
    {.name = "coordinates_mode", .dtypes = kStrings, .max_rank = 0, .is_const = true},
    {.name = "align_corners", .dtypes = kBools, .max_rank = 0, .is_const = true},
};

// Source: coremltools 9.0, mil/ops/defs/iOS15/image_resizing.py (what there is of the modes).
std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  constexpr std::string_view kSampling[] = {"bilinear"};
  constexpr std::string_view kPadding[] = {"constant"};
  constexpr std::string_view kCoordinates[] = {"normalized_minus_one_to_one"};
  one_of(call, "sampling_mode", kSampling);
  one_of(call, "padding_mode", kPadding);
  one_of(call, "coordinates_mode", kCoordinates);
  if (call.number("padding_value") != 0) {
    call.fail("parameter 'padding_value' is " + std::to_string(call.number("padding_value")) +
              "; allowed: 0");
  }
  const Shape& matrix = call.shape("transform_matrix");
  if (!may_equal(matrix[1], 6) || (matrix[0] != 1 && !may_equal(matrix[0], x.shape[0]))) {
    call.fail("parameter 'transform_matrix' has shape " + anemone::to_string(matrix) +
              "; expected [1, 6] or one row for each image");
  }
  return {Type::tensor(x.dtype, infer_resized_image(call, call.integer("output_height"),
                                                    call.integer("output_width"))
                                    .front()
                                    .shape)};
}

// Where the middle of pixel i of n lies in [-1, 1].
double normalized(std::int64_t i, std::int64_t n, bool align_corners) {
  if (align_corners) {
    return n == 1 ? 0 : 2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1;
  }
  return (2 * static_cast<double>(i) + 1) / static_cast<double>(n) - 1;
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const bool align = call.boolean("align_corners");
  const std::string mode = call.text("coordinates_mode");
  const std::vector<double> values = x.to_doubles();
  const std::vector<double> matrix = call.tensor("transform_matrix").to_doubles();
  const bool shared = call.tensor("transform_matrix").shape()[0] == 1;
  Plane plane{.height = x.shape()[2], .width = x.shape()[3]};
  const auto size = static_cast<std::size_t>(plane.height * plane.width);
  std::vector<double> y;
  for_each_index(type.shape, [&](const Shape& at) {
    const double* m = matrix.data() + (shared ? 0 : 6 * at[0]);
    const double u = normalized(at[3], type.shape[3], align);
    const double v = normalized(at[2], type.shape[2], align);
    const auto image = static_cast<std::size_t>(at[0] * x.shape()[1] + at[1]);
    plane.pixels = std::span(values).subspan(image * size, size);
    y.push_back(
        plane.bilinear(pixel_coordinate(mode, align, m[3] * u + m[4] * v + m[5], plane.height),
                       pixel_coordinate(mode, align, m[0] * u + m[1] * v + m[2], plane.width)));
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::affine

ANEMONE_DEFINE_OP(affine) = {
    .name = "affine",
    .says =
        "y at (u, v) = x at (a0 u + a1 v + a2, b0 u + b1 v + b2), bilinearly, 0 outside; "
        "transform_matrix holds [a0, a1, a2, b0, b1, b2]",
    .inputs = op::affine::kInputs,
    .infer = op::affine::infer,
    .eval = op::affine::eval,
};

}  // namespace anemone::mil
