#pragma once

#include "anemone/mil/ops/elements.h"

// Images sampled between their pixels.
namespace anemone::mil::op {

inline constexpr std::string_view kSamplingModes[] = {
    "STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "UNALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS"};

constexpr InputDef sampling_mode_input() {
  return {.name = "sampling_mode",
          .dtypes = kStrings,
          .max_rank = 0,
          .is_const = true,
          .otherwise = std::string_view("DEFAULT")};
}

// Where along an axis of `in` elements the i-th of `out` samples lies, before it is kept inside.
// Source: coremltools 9.0, mil/ops/defs/iOS15/image_resizing.py (resize_bilinear, "Notes").
inline double grid_point(std::string_view mode, std::int64_t i, double in, std::int64_t out) {
  const auto n = static_cast<double>(out);
  const auto at = static_cast<double>(i);
  if (mode == "ALIGN_CORNERS" || mode == "STRICT_ALIGN_CORNERS") {
    if (out == 1) return mode == "ALIGN_CORNERS" ? (in - 1) / 2 : 0;
    return at * (in - 1) / (n - 1);
  }
  if (mode == "UNALIGN_CORNERS") return (at + 0.5) * in / n - 0.5;
  if (mode == "OFFSET_CORNERS") return (at + 0.5) * std::max(1.0, in - 1) / n;
  return at * in / n;  // DEFAULT
}

// Every sample's place along an axis, kept inside it.
inline std::vector<double> grid(std::string_view mode, std::int64_t in, std::int64_t out) {
  std::vector<double> points;
  for (std::int64_t i = 0; i < out; ++i) {
    const double point = grid_point(mode, i, static_cast<double>(in), out);
    points.push_back(std::clamp(point, 0.0, std::max(0.0, static_cast<double>(in - 1))));
  }
  return points;
}

// Values on a grid, in double so that several axes can be resized with one rounding at the end.
struct Field {
  Shape shape;
  std::vector<double> values;
};

inline Field field_of(const Tensor& x) { return {x.shape(), x.to_doubles()}; }

// The field sampled at `points` along one axis, linearly between neighbours.
inline Field sampled(const Field& x, std::size_t axis, const std::vector<double>& points) {
  Field y{x.shape, {}};
  y.shape[axis] = static_cast<std::int64_t>(points.size());
  const Shape strides = row_major_strides(x.shape);
  const std::int64_t last = x.shape[axis] - 1;
  for_each_index(y.shape, [&](Shape index) {
    const double point = points[static_cast<std::size_t>(index[axis])];
    const auto low = static_cast<std::int64_t>(std::floor(point));
    index[axis] = low;
    const double a = x.values[static_cast<std::size_t>(dot(index, strides))];
    index[axis] = std::min(low + 1, last);
    const double b = x.values[static_cast<std::size_t>(dot(index, strides))];
    const double part = point - static_cast<double>(low);
    y.values.push_back(part == 0 ? a : a + (b - a) * part);
  });
  return y;
}

// Fails where an axis without elements would have to be sampled.
inline void check_sampled_axis(const Call& call, std::int64_t in, std::int64_t out) {
  if (out < 1 || in == 0) {
    call.fail("resizes an axis of " + (in == kUnknown ? "?" : std::to_string(in)) +
              " elements to " + std::to_string(out));
  }
}

// The last two axes given the extents of `height` and `width`.
inline std::vector<Type> infer_resized_image(const Call& call, std::int64_t height,
                                             std::int64_t width) {
  Type type = call.type("x");
  const std::size_t rank = type.shape.size();
  const std::int64_t wanted[] = {height, width};
  for (std::size_t i = 0; i < 2; ++i) {
    std::int64_t& extent = type.shape[rank - 2 + i];
    if (wanted[i] != kUnknown) check_sampled_axis(call, extent, wanted[i]);
    extent = wanted[i];
  }
  return {type};
}

inline Tensor resized_linearly(const Call& call, std::string_view mode) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  Field field = field_of(x);
  for (std::size_t axis = 0; axis < type.shape.size(); ++axis) {
    if (type.shape[axis] == field.shape[axis] && axis + 2 < type.shape.size()) continue;
    field = sampled(field, axis, grid(mode, field.shape[axis], type.shape[axis]));
  }
  return Tensor::from_doubles(type.dtype, type.shape, field.values);
}

// Each element the one of x at floor(i in / out).
inline Tensor resized_to_nearest(const Call& call) {
  const Tensor& x = call.tensor("x");
  const Shape shape = resolved_type(call).shape;
  const Shape strides = row_major_strides(x.shape());
  return rearranged(x, shape, [&](const Shape& index) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      at += index[i] * x.shape()[i] / shape[i] * strides[i];
    }
    return at;
  });
}

// A factor for the height or the width, whole or not.
constexpr InputDef scale_factor_input(std::string_view parameter) {
  return {.name = parameter,
          .dtypes = kInt32 | bit(DType::kF32),
          .max_rank = 0,
          .is_const = true,
          .domain = 'U',
          .otherwise = std::int64_t{1}};
}

// floor(extent * factor), multiplied in fp32 as the converter does.
// Source: coremltools 9.0, mil/ops/defs/iOS15/image_resizing.py.
inline std::int64_t scaled_extent(const Call& call, std::string_view parameter,
                                  std::int64_t extent) {
  if (extent == kUnknown) return kUnknown;
  const float scaled =
      std::floor(static_cast<float>(call.number(parameter)) * static_cast<float>(extent));
  if (!(scaled >= 0 && scaled < 0x1p48f)) {
    call.fail("parameter '" + std::string(parameter) + "' is " +
              std::to_string(call.number(parameter)));
  }
  return static_cast<std::int64_t>(scaled);
}

inline std::vector<Type> infer_scaled_image(const Call& call) {
  const Shape& x = call.shape("x");
  return infer_resized_image(call, scaled_extent(call, "scale_factor_height", x[x.size() - 2]),
                             scaled_extent(call, "scale_factor_width", x[x.size() - 1]));
}

// Pixels of one image plane, with what lies outside given by a rule.
struct Plane {
  std::span<const double> pixels = {};
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::string_view padding = "constant";  // border, reflection, symmetric
  double outside = 0;                     // for constant

  // The pixel's place inside along an axis; absent outside of a constant border.
  std::optional<std::int64_t> placed(std::int64_t at, std::int64_t extent) const {
    if (at >= 0 && at < extent) return at;
    if (padding == "constant") return std::nullopt;
    if (padding == "border" || extent == 1) return std::clamp<std::int64_t>(at, 0, extent - 1);
    const bool symmetric = padding == "symmetric";
    const std::int64_t period = symmetric ? 2 * extent : 2 * (extent - 1);
    const std::int64_t place = (at % period + period) % period;
    return place < extent ? place : (symmetric ? period - 1 : period) - place;
  }

  double pixel(std::int64_t row, std::int64_t column) const {
    const auto r = placed(row, height);
    const auto c = placed(column, width);
    return r && c ? pixels[static_cast<std::size_t>(*r * width + *c)] : outside;
  }

  // Coordinates are clamped to what integers hold exactly; NaN counts as far outside.
  static double tamed(double at) {
    constexpr double kFar = 0x1p40;
    return std::isnan(at) ? -kFar : std::clamp(at, -kFar, kFar);
  }

  // Mirrored places come before rounding, so that halves between two pixels are rounded there.
  // Source: coremltools 9.0, mil/ops/tests/iOS15/test_image_resizing.py (TestResample).
  double mirrored(double at, std::int64_t extent) const {
    const auto n = static_cast<double>(extent);
    const bool symmetric = padding == "symmetric";
    if ((!symmetric && padding != "reflection") || extent == 1) return at;
    const double shift = symmetric ? 0.5 : 0;
    const double period = symmetric ? 2 * n : 2 * (n - 1);
    double place = std::fmod(at + shift, period);
    if (place < 0) place += period;
    return std::clamp(std::min(place, period - place) - shift, 0.0, n - 1);
  }

  double nearest(double row, double column) const {
    row = mirrored(tamed(row), height);
    column = mirrored(tamed(column), width);
    return pixel(static_cast<std::int64_t>(std::nearbyint(row)),
                 static_cast<std::int64_t>(std::nearbyint(column)));
  }

  double bilinear(double row, double column) const {
    row = tamed(row);
    column = tamed(column);
    const auto top = static_cast<std::int64_t>(std::floor(row));
    const auto left = static_cast<std::int64_t>(std::floor(column));
    const double down = row - std::floor(row);
    const double right = column - std::floor(column);
    double sum = 0;
    for (const int i : {0, 1}) {
      for (const int j : {0, 1}) {
        const double weight = (i ? down : 1 - down) * (j ? right : 1 - right);
        if (weight != 0) sum += weight * pixel(top + i, left + j);
      }
    }
    return sum;
  }
};

// From [-1, 1] (or [0, 1], or pixels) to pixels along an axis.
inline double pixel_coordinate(std::string_view mode, bool align_corners, double at,
                               std::int64_t extent) {
  if (mode == "unnormalized") return at;
  const auto n = static_cast<double>(extent);
  const double part = mode == "normalized_minus_one_to_one" ? (at + 1) / 2 : at;
  return align_corners ? part * (n - 1) : part * n - 0.5;
}

}  // namespace anemone::mil::op
