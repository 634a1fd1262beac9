#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::pad {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 1, .domain = 'T'},
    {.name = "pad", .dtypes = kInt32, .min_rank = 1, .max_rank = 1},
    {.name = "mode",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("constant")},
    {.name = "constant_val",
     .dtypes = kFloats,
     .max_rank = 0,
     .is_const = true,
     .domain = 'T',
     .otherwise = 0.0},
};

constexpr std::string_view kModes[] = {"constant", "reflect", "replicate"};

// Elements put before (2i) and behind (2i + 1) each axis; `pad` covers the last axes.
Shape amounts(const Call& call, const Shape& x, const std::vector<std::int64_t>& given) {
  if (given.size() % 2 != 0 || given.size() > 2 * x.size()) {
    call.fail("parameter 'pad' has " + std::to_string(given.size()) +
              " values; expected two for each of at most " + std::to_string(x.size()) + " axes");
  }
  Shape all(2 * x.size() - given.size(), 0);
  all.insert(all.end(), given.begin(), given.end());
  const std::string mode = one_of(call, "mode", kModes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::int64_t extent = x[i / 2];
    if (all[i] < 0) call.fail("parameter 'pad' holds " + std::to_string(all[i]));
    if (all[i] == 0 || extent == kUnknown || mode == "constant") continue;
    // A mirror shows each element but the edge once.
    if (mode == "reflect" ? all[i] >= extent : extent == 0) {
      call.fail("pads axis " + std::to_string(i / 2) + " of " + std::to_string(extent) +
                " elements by " + std::to_string(all[i]) + " in mode " + mode);
    }
  }
  return all;
}

std::vector<Type> infer(const Call& call) {
  Type type = call.type("x");
  one_of(call, "mode", kModes);
  const Tensor* pad = call.find_tensor("pad");
  if (pad == nullptr) {
    require_shape(call, "pad", {2 * type.rank()});
    return {Type::tensor(type.dtype, Shape(type.shape.size(), kUnknown))};
  }
  const Shape all = amounts(call, type.shape, pad->to_ints());
  for (std::size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] != kUnknown) type.shape[i] += all[2 * i] + all[2 * i + 1];
  }
  return {type};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const Shape all = amounts(call, x.shape(), call.tensor("pad").to_ints());
  const std::string mode = call.text("mode");
  const double constant = call.number("constant_val");
  const std::vector<double> values = x.to_doubles();
  const Shape strides = row_major_strides(x.shape());
  std::vector<double> y;
  for_each_index(type.shape, [&](const Shape& index) {
    std::int64_t at = 0;
    bool inside = true;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::int64_t last = x.shape()[i] - 1;
      std::int64_t p = index[i] - all[2 * i];
      if (p < 0 || p > last) {
        if (mode == "reflect") {
          p = p < 0 ? -p : 2 * last - p;
        } else if (mode == "replicate") {
          p = p < 0 ? 0 : last;
        } else {
          inside = false;
        }
      }
      at += p * strides[i];
    }
    y.push_back(inside ? values[static_cast<std::size_t>(at)] : constant);
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::pad

ANEMONE_DEFINE_OP(pad) = {
    .name = "pad",
    .says =
        "x with elements put around it: constant_val, a mirror of x (reflect) or its edges "
        "(replicate); pad holds before and behind for each of the last axes",
    .inputs = op::pad::kInputs,
    .infer = op::pad::infer,
    .eval = op::pad::eval,
};

}  // namespace anemone::mil
