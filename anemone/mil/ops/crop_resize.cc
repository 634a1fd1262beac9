#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::crop_resize {

// Up to iOS 16 `roi` holds boxes as [N, 1, 4, 1, 1], which crop every image, or as [N, 1, 5, 1, 1],
// which begin with the number of theirs. From iOS 17 on that is `boxes` and `box_indices`.
constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 4, .max_rank = 4, .domain = 'T'},
    {.name = "roi",
     .dtypes = kFloats,
     .min_rank = 5,
     .max_rank = 5,
     .domain = 'T',
     .until = Opset::kIos16},
    {.name = "boxes",
     .dtypes = kFloats | bit(DType::kU16),
     .min_rank = 2,
     .max_rank = 2,
     .since = Opset::kIos17},
    {.name = "box_indices",
     .dtypes = kInt32 | bit(DType::kU16),
     .min_rank = 1,
     .max_rank = 1,
     .is_optional = true,
     .since = Opset::kIos17},
    {.name = "target_height",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
    {.name = "target_width",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
    {.name = "normalized_coordinates",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .otherwise = false},
    {.name = "spatial_scale",
     .dtypes = bit(DType::kF32),
     .max_rank = 0,
     .is_const = true,
     .otherwise = 1.0},
    {.name = "box_coordinate_mode",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("CORNERS_HEIGHT_FIRST")},
    sampling_mode_input(),
    {.name = "pad_value",
     .dtypes = kFloats,
     .max_rank = 0,
     .is_const = true,
     .domain = 'T',
     .otherwise = 0.0,
     .since = Opset::kIos16},
};
constexpr Opset kRevised[] = {Opset::kIos16, Opset::kIos17};

constexpr std::string_view kBoxModes[] = {"CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST",
                                          "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST"};

bool has_boxes(const Call& call) { return call.opset() >= Opset::kIos17; }

// Source: coremltools 9.0, mil/ops/defs/iOS15, iOS16 and iOS17 image_resizing.py.
std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  one_of(call, "box_coordinate_mode", kBoxModes);
  one_of(call, "sampling_mode", kSamplingModes);
  const std::int64_t height = call.integer("target_height");
  const std::int64_t width = call.integer("target_width");
  check_sampled_axis(call, x.shape[2], height);
  check_sampled_axis(call, x.shape[3], width);
  if (!has_boxes(call)) {
    const Shape& roi = call.shape("roi");
    if (roi[2] != 4 && roi[2] != 5) {
      call.fail("parameter 'roi' has shape " + anemone::to_string(roi) +
                "; expected [N, 1, 4, 1, 1] or [N, 1, 5, 1, 1]");
    }
    require_shape(call, "roi", {roi[0], 1, roi[2], 1, 1});
    return {
        Type::tensor(x.dtype, {roi[0], roi[2] == 5 ? 1 : x.shape[0], x.shape[1], height, width})};
  }
  const Shape& boxes = call.shape("boxes");
  require_shape(call, "boxes", {boxes[0], 4});
  if (call.boolean("normalized_coordinates") && !is_float(call.dtype("boxes"))) {
    call.fail("has normalized_coordinates, but boxes of " + std::string(name(call.dtype("boxes"))));
  }
  if (call.has("box_indices")) {
    require_shape(call, "box_indices", {boxes[0]});
  } else if (boxes[0] != kUnknown && x.shape[0] != kUnknown && boxes[0] > x.shape[0]) {
    call.fail("has " + std::to_string(boxes[0]) + " boxes for " + std::to_string(x.shape[0]) +
              " images, but no box_indices");
  }
  return {Type::tensor(x.dtype, {boxes[0], x.shape[1], height, width})};
}

struct Box {
  std::int64_t image = 0;  // kUnknown: all of them
  double top = 0, left = 0, bottom = 0, right = 0;
};

std::vector<Box> boxes_of(const Call& call, const Tensor& x) {
  const Tensor& tensor = call.tensor(has_boxes(call) ? "boxes" : "roi");
  const std::vector<double> numbers = tensor.to_doubles();
  const auto width = static_cast<std::size_t>(has_boxes(call) ? 4 : tensor.shape()[2]);
  const Tensor* indices = has_boxes(call) ? call.find_tensor("box_indices") : nullptr;
  const std::string mode = call.text("box_coordinate_mode");
  const double scale = call.number("spatial_scale");
  const bool normalized = call.boolean("normalized_coordinates");
  const double down = normalized ? static_cast<double>(x.shape()[2] - 1) : 1;
  const double across = normalized ? static_cast<double>(x.shape()[3] - 1) : 1;
  std::vector<Box> boxes;
  for (std::size_t i = 0; i * width < numbers.size(); ++i) {
    const double* n = numbers.data() + i * width;
    Box box;
    double image = static_cast<double>(has_boxes(call) ? static_cast<std::int64_t>(i) : kUnknown);
    if (width == 5) image = *n++;
    if (indices != nullptr) {
      image = static_cast<double>(indices->resident().integer(static_cast<std::int64_t>(i)));
    }
    if (!(image >= -1 && image < static_cast<double>(x.shape()[0])) ||
        (image < 0 && (has_boxes(call) || width == 5))) {
      call.fail("box " + std::to_string(i) + " is for image " + std::to_string(image) + " of " +
                std::to_string(x.shape()[0]));
    }
    box.image = static_cast<std::int64_t>(image);
    const bool height_first = mode.ends_with("HEIGHT_FIRST");
    double a[2] = {n[height_first ? 0 : 1], n[height_first ? 1 : 0]};
    double b[2] = {n[height_first ? 2 : 3], n[height_first ? 3 : 2]};
    if (mode.starts_with("CENTER")) {
      for (const int k : {0, 1}) {
        const double half = b[k] / 2;
        b[k] = a[k] + half;
        a[k] -= half;
      }
    }
    box.top = a[0] * scale * down;
    box.left = a[1] * scale * across;
    box.bottom = b[0] * scale * down;
    box.right = b[1] * scale * across;
    boxes.push_back(box);
  }
  return boxes;
}

// The i-th of n samples between two ends.
double between(std::string_view mode, std::int64_t i, std::int64_t n, double first, double last) {
  const double sign = last < first ? -1 : 1;
  return first + sign * grid_point(mode, i, std::abs(last - first) + 1, n);
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::vector<double> values = x.to_doubles();
  const std::string mode = call.text("sampling_mode");
  const std::int64_t height = call.integer("target_height");
  const std::int64_t width = call.integer("target_width");
  Plane plane{.height = x.shape()[2], .width = x.shape()[3], .outside = call.number("pad_value")};
  const auto size = static_cast<std::size_t>(plane.height * plane.width);
  const auto inside = [](double at, std::int64_t extent) {
    return at >= 0 && at <= static_cast<double>(extent - 1);
  };
  std::vector<double> y;
  for (const Box& box : boxes_of(call, x)) {
    const std::int64_t first = box.image == kUnknown ? 0 : box.image;
    const std::int64_t last = box.image == kUnknown ? x.shape()[0] - 1 : box.image;
    for (std::int64_t image = first * x.shape()[1]; image < (last + 1) * x.shape()[1]; ++image) {
      plane.pixels = std::span(values).subspan(static_cast<std::size_t>(image) * size, size);
      for (std::int64_t i = 0; i < height; ++i) {
        const double row = between(mode, i, height, box.top, box.bottom);
        for (std::int64_t j = 0; j < width; ++j) {
          const double column = between(mode, j, width, box.left, box.right);
          y.push_back(inside(row, plane.height) && inside(column, plane.width)
                          ? plane.bilinear(row, column)
                          : plane.outside);
        }
      }
    }
  }
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::crop_resize

ANEMONE_DEFINE_OP(crop_resize) = {
    .name = "crop_resize",
    .revised = op::crop_resize::kRevised,
    .says = "each box of an image resized to a target, bilinearly; pad_value outside the image",
    .inputs = op::crop_resize::kInputs,
    .infer = op::crop_resize::infer,
    .eval = op::crop_resize::eval,
};

}  // namespace anemone::mil
