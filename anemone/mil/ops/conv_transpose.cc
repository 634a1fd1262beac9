#include "anemone/mil/ops/convolution.h"

namespace anemone::mil {
namespace op::conv_transpose {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
    {.name = "weight", .dtypes = kFloats, .min_rank = 3, .domain = 'T', .ios17_domain = 'U'},
    {.name = "bias",
     .dtypes = kFloats,
     .min_rank = 1,
     .max_rank = 1,
     .is_optional = true,
     .domain = 'T',
     .ios17_domain = 'U'},
    {.name = "pad", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "output_shape",
     .dtypes = kInt32,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true},
    {.name = "pad_type",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("valid")},
    {.name = "strides", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "dilations", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "groups",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
};
constexpr Opset kRevised[] = {Opset::kIos17};

struct Layout {
  Shape strides, dilations;
  Shape cut;    // elements taken off in front of each spatial axis
  Shape shape;  // of the output
};

// Source: coremltools 9.0, mil/ops/defs/iOS15/conv.py.
Layout layout(const Call& call) {
  const Shape& x = call.shape("x");
  const Shape& weight = call.shape("weight");
  if (weight.size() != x.size() || !is_known(weight)) {
    call.fail("parameter 'weight' has shape " + anemone::to_string(weight) +
              "; expected known extents and the rank of x, " + std::to_string(x.size()));
  }
  const std::int64_t groups = call.integer("groups");
  if (groups < 1 || weight[0] % groups != 0) {
    call.fail("parameter 'groups' is " + std::to_string(groups) + ", which does not divide the " +
              std::to_string(weight[0]) + " input channels");
  }
  if (!may_equal(x[1], weight[0])) {
    call.fail("parameter 'x' has " + std::to_string(x[1]) + " channels; expected " +
              std::to_string(weight[0]));
  }
  const std::int64_t channels = times(call, weight[1], groups);
  if (call.has("bias")) require_shape(call, "bias", {channels});
  constexpr std::string_view kAllowed[] = {"valid", "custom", "same"};
  const std::string pad_type = one_of(call, "pad_type", kAllowed);
  const std::size_t rank = x.size() - 2;
  Layout l;
  l.strides = per_axis(call, "strides", rank, 1, 1);
  l.dilations = per_axis(call, "dilations", rank, 1, 1);
  const Shape pad =
      pad_type == "custom" ? per_axis(call, "pad", 2 * rank, 0, 0) : Shape(2 * rank, 0);
  l.shape = {x[0], channels};
  const auto wanted = call.find_integers("output_shape");
  if (wanted &&
      (wanted->size() != x.size() || !may_equal((*wanted)[0], x[0]) || (*wanted)[1] != channels)) {
    call.fail("parameter 'output_shape' is " + anemone::to_string(*wanted) + "; expected " +
              anemone::to_string(l.shape) + " and " + std::to_string(rank) + " spatial extents");
  }
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t n = x[i + 2];
    if (weight[i + 2] < 1) {
      call.fail("parameter 'weight' has shape " + anemone::to_string(weight));
    }
    const std::int64_t reach = times(call, weight[i + 2] - 1, l.dilations[i]) + 1;
    std::int64_t extent = kUnknown;
    std::int64_t cut = pad[2 * i];
    if (n != kUnknown) {
      const std::int64_t full = n == 0 ? 0 : times(call, n - 1, l.strides[i]) + reach;
      extent =
          pad_type == "same" ? times(call, n, l.strides[i]) : full - pad[2 * i] - pad[2 * i + 1];
      if (wanted) extent = (*wanted)[i + 2];
      if (extent < 1) {
        call.fail("spatial axis " + std::to_string(i) + " of the output would have " +
                  std::to_string(extent) + " elements");
      }
      if (pad_type == "same") cut = std::max<std::int64_t>(0, full - extent) / 2;
    }
    l.cut.push_back(cut);
    l.shape.push_back(extent);
  }
  return l;
}

std::vector<Type> infer(const Call& call) {
  return {Type::tensor(call.dtype("x"), layout(call).shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Call known = resolved(call);
  const Type type = infer(known).front();
  const Layout l = layout(known);
  const Shape& x_shape = known.shape("x");
  const Shape& weight_shape = known.shape("weight");
  const std::vector<double> x = call.tensor("x").to_doubles();
  const std::vector<double> weight = call.tensor("weight").to_doubles();
  const Tensor* bias = call.find_tensor("bias");
  const std::vector<double> offset = bias ? bias->to_doubles() : std::vector<double>{};
  const std::int64_t group = x_shape[1] / call.integer("groups");  // input channels in one
  const Shape y_strides = row_major_strides(type.shape);
  const Shape weight_strides = row_major_strides(weight_shape);
  std::vector<double> y(static_cast<std::size_t>(element_count(type.shape)));
  for (std::size_t i = 0; bias != nullptr && i < y.size(); ++i) {
    y[i] = offset[i / static_cast<std::size_t>(y_strides[1]) % offset.size()];
  }
  const Shape kernel(weight_shape.begin() + 2, weight_shape.end());
  std::size_t from = 0;
  for_each_index(x_shape, [&](const Shape& at) {
    const double value = x[from++];
    for_each_index(kernel, [&](const Shape& k) {
      std::int64_t to = at[0] * y_strides[0] + at[1] / group * weight_shape[1] * y_strides[1];
      std::int64_t tap = at[1] * weight_strides[0];
      for (std::size_t i = 0; i < k.size(); ++i) {
        const std::int64_t p = at[i + 2] * l.strides[i] + k[i] * l.dilations[i] - l.cut[i];
        if (p < 0 || p >= type.shape[i + 2]) return;
        to += p * y_strides[i + 2];
        tap += k[i] * weight_strides[i + 2];
      }
      for (std::int64_t c = 0; c < weight_shape[1]; ++c) {
        y[static_cast<std::size_t>(to + c * y_strides[1])] +=
            value * weight[static_cast<std::size_t>(tap + c * weight_strides[1])];
      }
    });
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::conv_transpose

ANEMONE_DEFINE_OP(conv_transpose) = {
    .name = "conv_transpose",
    .revised = op::conv_transpose::kRevised,
    .says =
        "y[n, o, p strides + k dilations - pad] sums weight[c, o, k] x[n, c, p], c in o's "
        "group; plus bias[o]",
    .inputs = op::conv_transpose::kInputs,
    .infer = op::conv_transpose::infer,
    .eval = op::conv_transpose::eval,
};

}  // namespace anemone::mil
