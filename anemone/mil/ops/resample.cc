#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::resample {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 4, .max_rank = 4, .domain = 'T'},
    {.name = "coordinates",
     .dtypes = kNumbers,
     .min_rank = 4,
     .max_rank = 4,
     .ios17_dtypes = kNumbers | kSmallInts},
    {.name = "sampling_mode", .dtypes = kStrings, .max_rank = 0, .is_const = true},
    {.name = "padding_mode", .dtypes = kStrings, .max_rank = 0, .is_const = true},
    {.name = "padding_value", .dtypes = kFloats, .max_rank = 0, .is_const = true, .domain = 'T'},
    {.name = "coordinates_mode", .dtypes = kStrings, .max_rank = 0, .is_const = true},
    {.name = "align_corners", .dtypes = kBools, .max_rank = 0, .is_const = true},
};
constexpr Opset kRevised[] = {Opset::kIos16, Opset::kIos17};

constexpr std::string_view kSampling[] = {"bilinear", "nearest"};
constexpr std::string_view kPadding[] = {"constant", "border", "reflection", "symmetric"};
constexpr std::string_view kCoordinates[] = {"unnormalized", "normalized_minus_one_to_one",
                                             "normalized_zero_to_one"};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Shape& at = call.shape("coordinates");
  if (call.opset() == Opset::kIos15 && call.dtype("coordinates") == DType::kF16) {
    call.fail("parameter 'coordinates' is fp16, which is allowed from ios16 on");
  }
  one_of(call, "sampling_mode", kSampling);
  one_of(call, "padding_mode", kPadding);
  one_of(call, "coordinates_mode", kCoordinates);
  require_shape(call, "coordinates", {x.shape[0], at[1], at[2], 2});
  return {Type::tensor(x.dtype, {x.shape[0], x.shape[1], at[1], at[2]})};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::string padding = call.text("padding_mode");
  const std::string mode = call.text("coordinates_mode");
  const bool align = call.boolean("align_corners");
  const bool nearest = call.text("sampling_mode") == "nearest";
  const std::vector<double> values = x.to_doubles();
  const std::vector<double> at = call.tensor("coordinates").to_doubles();
  const Shape at_strides = row_major_strides(call.tensor("coordinates").shape());
  Plane plane{.height = x.shape()[2],
              .width = x.shape()[3],
              .padding = padding,
              .outside = call.number("padding_value")};
  if (plane.height == 0 || plane.width == 0) call.fail("samples an image without pixels");
  const auto size = static_cast<std::size_t>(plane.height * plane.width);
  std::vector<double> y;
  for_each_index(type.shape, [&](const Shape& index) {
    const auto which =
        static_cast<std::size_t>(dot(Shape{index[0], index[2], index[3], 0}, at_strides));
    const double column = pixel_coordinate(mode, align, at[which], plane.width);
    const double row = pixel_coordinate(mode, align, at[which + 1], plane.height);
    const auto image = static_cast<std::size_t>(index[0] * x.shape()[1] + index[1]);
    plane.pixels = std::span(values).subspan(image * size, size);
    y.push_back(nearest ? plane.nearest(row, column) : plane.bilinear(row, column));
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::resample

ANEMONE_DEFINE_OP(resample) = {
    .name = "resample",
    .revised = op::resample::kRevised,
    .says =
        "y[n, c, h, w] = x[n, c] at the place (w, h) that coordinates[n, h, w] gives, "
        "bilinearly or at the nearest pixel",
    .inputs = op::resample::kInputs,
    .infer = op::resample::infer,
    .eval = op::resample::eval,
};

}  // namespace anemone::mil
