#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "anemone/engine/kernel.h"
#include "anemone/mil/ops/convolution.h"

namespace anemone::engine {

// A convolution over three spatial axes (the outer ones of extent 1 where the op has fewer), in
// groups of `c` input and `m` output channels. Strides of x count elements.
struct ConvShape {
  std::int64_t batch = 1, groups = 1, m = 1, c = 1;
  std::int64_t in[3] = {1, 1, 1};
  std::int64_t out[3] = {1, 1, 1};
  std::int64_t kernel[3] = {1, 1, 1};
  std::int64_t stride[3] = {1, 1, 1};
  std::int64_t dilation[3] = {1, 1, 1};
  std::int64_t before[3] = {0, 0, 0};  // padding; of a transposed one, what is cut off in front
  std::int64_t x_batch = 0, x_channel = 0, x_axis[3] = {0, 0, 0};
  bool transposed = false;  // x's elements lie `stride` apart, and windows step by one
  bool rounds = false;

  std::int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
  std::int64_t depth() const { return c * taps(); }
  std::int64_t out_plane() const { return out[0] * out[1] * out[2]; }

  // "3x3 stride 2"
  std::string note() const {
    std::string text;
    for (int i = 0; i < 3; ++i) {
      if (i == 0 && kernel[0] == 1 && in[0] == 1) continue;
      text += (text.empty() ? "" : "x") + std::to_string(kernel[i]);
    }
    const std::int64_t step = std::max({stride[0], stride[1], stride[2]});
    if (step > 1) text += " stride " + std::to_string(step);
    const std::int64_t apart = std::max({dilation[0], dilation[1], dilation[2]});
    if (apart > 1) text += " dilated " + std::to_string(apart);
    return text;
  }
};

// The windows of `conv` or `conv_transpose`, without what says how x lies and how results are
// rounded.
inline ConvShape conv_shape(const Lowering& l) {
  const Shape& x = l.value("x").type.shape;
  const Shape& weight = l.value("weight").type.shape;
  const Shape& out = l.output_type().shape;
  const std::size_t rank = x.size() - 2;
  ConvShape s;
  s.transposed = l.op().type() == "conv_transpose";
  s.batch = x[0];
  s.groups = l.call().integer("groups");
  s.m = out[1] / s.groups;
  s.c = x[1] / s.groups;
  const Shape sizes(weight.begin() + 2, weight.end());
  const std::string pad_type = l.call().text("pad_type");
  mil::op::Windows w;
  if (s.transposed) {
    w.strides = l.call().find_integers("strides").value_or(Shape(rank, 1));
    w.dilations = l.call().find_integers("dilations").value_or(Shape(rank, 1));
    const Shape pad = l.call().find_integers("pad").value_or(Shape(2 * rank, 0));
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t full = (x[i + 2] - 1) * w.strides[i] + (sizes[i] - 1) * w.dilations[i] + 1;
      w.before.push_back(pad_type == "custom" ? pad[2 * i]
                         : pad_type == "same" ? std::max<std::int64_t>(0, full - out[i + 2]) / 2
                                              : 0);
    }
  } else {
    w = mil::op::lay_windows(l.call(), Shape(x.begin() + 2, x.end()), sizes, pad_type, false);
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = 3 - rank + i;
    s.in[at] = x[i + 2];
    s.out[at] = out[i + 2];
    s.kernel[at] = sizes[i];
    s.stride[at] = w.strides[i];
    s.dilation[at] = w.dilations[i];
    s.before[at] = w.before[i];
    if (l.padding() != nullptr) {
      s.in[at] -= l.padding()->before[i + 2] + l.padding()->after[i + 2];
      s.before[at] += l.padding()->before[i + 2];
    }
  }
  return s;
}

// What windows slide over, where it lies; and with its elements as kF32.
inline View convolved(const Lowering& l) {
  return l.padding() != nullptr ? l.view(*l.padding()->source) : l.view("x");
}
inline View convolved_dense(Lowering& l) {
  return l.padding() != nullptr ? l.dense(*l.padding()->source) : l.dense("x");
}

// Says how x lies, and drops last axes on which nothing happens, so that rows are long; gives how
// many.
inline int place_x(ConvShape& s, const View& x) {
  const std::size_t rank = x.shape.size() - 2;
  s.x_batch = x.strides[0];
  s.x_channel = x.strides[1];
  for (std::size_t i = 0; i < rank; ++i) s.x_axis[3 - rank + i] = x.strides[i + 2];
  int turns = 0;
  for (; turns < 2; ++turns) {
    if (s.in[2] != 1 || s.out[2] != 1 || s.kernel[2] != 1 || s.before[2] != 0) break;
    for (auto* axis : {s.in, s.out, s.kernel, s.stride, s.dilation, s.before, s.x_axis}) {
      axis[2] = axis[1];
      axis[1] = axis[0];
    }
    for (auto* axis : {s.in, s.out, s.kernel, s.stride, s.dilation}) axis[0] = 1;
    s.before[0] = 0;
    s.x_axis[0] = 0;
  }
  // Where windows are single elements, neighbouring axes that lie in one run are one.
  for (int axis = 1; axis >= 0; --axis) {
    const bool is_single = s.taps() == 1 && !s.transposed && s.stride[axis] == 1 &&
                           s.stride[2] == 1 && s.before[axis] == 0 && s.before[2] == 0 &&
                           s.in[axis] == s.out[axis] && s.in[2] == s.out[2];
    if (!is_single || (s.in[axis] != 1 && s.x_axis[axis] != s.in[2] * s.x_axis[2])) break;
    s.in[2] = s.out[2] = s.in[2] * s.in[axis];
    s.in[axis] = s.out[axis] = 1;
  }
  return turns;
}

}  // namespace anemone::engine
