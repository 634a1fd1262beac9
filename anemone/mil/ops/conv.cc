#include "anemone/mil/ops/convolution.h"

namespace anemone::mil {
namespace op::conv {

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
    {.name = "strides", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "pad_type",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("valid")},
    {.name = "pad", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "dilations", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
    {.name = "groups",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
};
constexpr Opset kRevised[] = {Opset::kIos17};

Windows windows(const Call& call) {
  const std::string pad_type = one_of(call, "pad_type", kPadTypes);
  if (pad_type == "same_lower" && call.opset() == Opset::kIos15) {
    call.fail("parameter 'pad_type' is 'same_lower', which exists from ios16 on");
  }
  const Shape& x = call.shape("x");
  const Shape& weight = call.shape("weight");
  return lay_windows(call, Shape(x.begin() + 2, x.end()), Shape(weight.begin() + 2, weight.end()),
                     pad_type, false);
}

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const Shape& weight = call.shape("weight");
  if (weight.size() != x.shape.size() || !is_known(weight)) {
    call.fail("parameter 'weight' has shape " + anemone::to_string(weight) +
              "; expected known extents and the rank of x, " + std::to_string(x.rank()));
  }
  const std::int64_t groups = call.integer("groups");
  if (groups < 1 || weight[0] % groups != 0) {
    call.fail("parameter 'groups' is " + std::to_string(groups) + ", which does not divide the " +
              std::to_string(weight[0]) + " output channels");
  }
  if (x.shape[1] != kUnknown && (x.shape[1] % groups != 0 || x.shape[1] / groups != weight[1])) {
    call.fail("parameter 'x' has " + std::to_string(x.shape[1]) + " channels; expected " +
              std::to_string(groups) + " groups of " + std::to_string(weight[1]));
  }
  if (call.has("bias")) require_shape(call, "bias", {weight[0]});
  Shape shape = {x.shape[0], weight[0]};
  const Shape count = windows(call).count;
  shape.insert(shape.end(), count.begin(), count.end());
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Call known = resolved(call);
  const Type type = infer(known).front();
  const Windows w = windows(known);
  const Shape& x_shape = known.shape("x");
  const Shape& weight_shape = known.shape("weight");
  const Shape x_strides = row_major_strides(x_shape);
  const Shape weight_strides = row_major_strides(weight_shape);
  const std::vector<double> x = call.tensor("x").to_doubles();
  const std::vector<double> weight = call.tensor("weight").to_doubles();
  const Tensor* bias = call.find_tensor("bias");
  const std::vector<double> offset = bias ? bias->to_doubles() : std::vector<double>{};
  const std::int64_t group = weight_shape[0] / call.integer("groups");  // output channels in one
  std::vector<double> y;
  for_each_index(type.shape, [&](const Shape& at) {
    double sum = bias ? offset[static_cast<std::size_t>(at[1])] : 0;
    for_each_index(w.sizes, [&](const Shape& k) {
      std::int64_t from = at[0] * x_strides[0] + at[1] / group * weight_shape[1] * x_strides[1];
      std::int64_t tap = at[1] * weight_strides[0];
      for (std::size_t i = 0; i < k.size(); ++i) {
        const std::int64_t p = at[i + 2] * w.strides[i] + k[i] * w.dilations[i] - w.before[i];
        if (p < 0 || p >= x_shape[i + 2]) return;
        from += p * x_strides[i + 2];
        tap += k[i] * weight_strides[i + 2];
      }
      for (std::int64_t c = 0; c < weight_shape[1]; ++c) {
        sum += x[static_cast<std::size_t>(from + c * x_strides[1])] *
               weight[static_cast<std::size_t>(tap + c * weight_strides[1])];
      }
    });
    y.push_back(sum);
  });
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::conv

ANEMONE_DEFINE_OP(conv) = {
    .name = "conv",
    .revised = op::conv::kRevised,
    .says =
        "y[n, o, p] = bias[o] + sum over c, k of weight[o, c, k] x[n, c, p strides + k "
        "dilations - pad], c in o's group",
    .inputs = op::conv::kInputs,
    .infer = op::conv::infer,
    .eval = op::conv::eval,
};

}  // namespace anemone::mil
