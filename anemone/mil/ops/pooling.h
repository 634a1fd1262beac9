#pragma once

#include "anemone/mil/ops/convolution.h"

// Pools: a file of theirs is a formula over what a window sees.
namespace anemone::mil::op {

inline constexpr InputDef kPoolX = {.name = "x", .dtypes = kFloats, .min_rank = 3};
inline constexpr InputDef kPoolKernel = {
    .name = "kernel_sizes", .dtypes = kInt32, .min_rank = 1, .max_rank = 1, .is_const = true};
inline constexpr InputDef kPoolStrides = {
    .name = "strides", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true};
inline constexpr InputDef kPoolPadType = {
    .name = "pad_type", .dtypes = kStrings, .max_rank = 0, .is_const = true};
inline constexpr InputDef kPoolPad = {
    .name = "pad", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true};
inline constexpr InputDef kPoolCeilMode = {
    .name = "ceil_mode", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false};
inline constexpr InputDef kPoolInputs[] = {kPoolX,       kPoolKernel, kPoolStrides,
                                           kPoolPadType, kPoolPad,    kPoolCeilMode};

// Source: coremltools 9.0, mil/ops/defs/iOS15/pool.py (which turns pad_type to lower case, and what
// ceil_mode excludes).
inline Windows pool_windows(const Call& call) {
  const Shape& x = call.shape("x");
  const std::size_t rank = x.size() - 2;
  std::string pad_type = call.text("pad_type");
  for (char& c : pad_type) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (std::find(std::begin(kPadTypes), std::end(kPadTypes), pad_type) == std::end(kPadTypes)) {
    one_of(call, "pad_type", kPadTypes);
  }
  if (pad_type == "same_lower" && call.opset() == Opset::kIos15) {
    call.fail("parameter 'pad_type' is 'same_lower', which exists from ios16 on");
  }
  const bool ceil_mode = call.boolean("ceil_mode");
  const Shape pad = per_axis(call, "pad", 2 * rank, 0, 0);
  if (ceil_mode && (rank > 2 || pad_type == "same")) {
    call.fail("has ceil_mode, which allows at most 2 spatial axes and no pad_type 'same'");
  }
  for (std::size_t i = 0; ceil_mode && i < rank; ++i) {
    if (pad[2 * i] != pad[2 * i + 1]) {
      call.fail("has ceil_mode, which wants the same padding before and behind an axis");
    }
  }
  return lay_windows(call, Shape(x.begin() + 2, x.end()),
                     per_axis(call, "kernel_sizes", rank, 1, 1), pad_type, ceil_mode);
}

inline std::vector<Type> infer_pool(const Call& call) {
  const Type& x = call.type("x");
  Shape shape = {x.shape[0], x.shape[1]};
  const Shape count = pool_windows(call).count;
  shape.insert(shape.end(), count.begin(), count.end());
  return {Type::tensor(x.dtype, shape)};
}

// What one window sees: the elements of x in it, and how many places it has in x and its padding
// (what hangs over behind the padding, as ceil_mode allows, is no place).
struct WindowView {
  std::span<const double> elements;
  std::int64_t places = 0;
};

template <typename Of>  // double of(const WindowView&)
std::vector<Tensor> pooled(const Call& call, Of of) {
  const Call known = resolved(call);
  const Type type = infer_pool(known).front();
  const Windows w = pool_windows(known);
  const Tensor& x = call.tensor("x");
  const Shape strides = row_major_strides(x.shape());
  const std::vector<double> values = x.to_doubles();
  std::vector<double> y;
  std::vector<double> elements;
  for_each_index(type.shape, [&](const Shape& at) {
    elements.clear();
    std::int64_t places = 0;
    for_each_index(w.sizes, [&](const Shape& k) {
      std::int64_t from = at[0] * strides[0] + at[1] * strides[1];
      bool in_x = true;
      for (std::size_t i = 0; i < k.size(); ++i) {
        const std::int64_t extent = x.shape()[i + 2];
        const std::int64_t p = at[i + 2] * w.strides[i] + k[i] - w.before[i];
        if (p >= extent + w.after[i]) return;
        in_x = in_x && p >= 0 && p < extent;
        from += p * strides[i + 2];
      }
      ++places;
      if (in_x) elements.push_back(values[static_cast<std::size_t>(from)]);
    });
    y.push_back(of(WindowView{elements, places}));
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace anemone::mil::op
