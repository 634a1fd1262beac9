#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::local_response_norm {

// Of any float: coremltools writes the defaults in fp32 whatever x is.
// Source: coremltools 9.0, mil/ops/defs/iOS15/normalization.py (default_inputs).
constexpr InputDef constant(std::string_view parameter, double otherwise) {
  return {.name = parameter,
          .dtypes = kFloats,
          .max_rank = 0,
          .is_const = true,
          .otherwise = otherwise};
}

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3, .max_rank = 5, .domain = 'T'},
    {.name = "size", .dtypes = kInt32, .max_rank = 0, .is_const = true},
    constant("alpha", 1e-4),
    constant("beta", 0.75),
    constant("k", 1.0),
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  if (call.integer("size") < 1) {
    call.fail("parameter 'size' is " + std::to_string(call.integer("size")) +
              "; the least allowed is 1");
  }
  return {call.type("x")};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::int64_t size = call.integer("size");
  const std::vector<double> values = x.to_doubles();
  // Three extents are channels, height and width of one image; else the batch comes first.
  // Source: coremltools 9.0, what its test of [1, 3, 2] expects of Core ML to 1e-4: no neighbours.
  const std::size_t axis = x.rank() == 3 ? 0 : 1;
  const std::int64_t step = row_major_strides(x.shape())[axis];
  const std::int64_t channels = x.shape()[axis];
  std::vector<double> y(values.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t c = at / step % channels;
    // The window leans towards lower channels where its size is even.
    // Source: PyTorch 2.x, torch.nn.functional.local_response_norm.
    const std::int64_t first = std::max<std::int64_t>(0, c - size / 2);
    const std::int64_t last = std::min(channels - 1, c + (size - 1) / 2);
    double sum = 0;
    for (std::int64_t j = first; j <= last; ++j) {
      const double value = values[static_cast<std::size_t>(at + (j - c) * step)];
      sum += value * value;
    }
    y[i] = values[i] /
           std::pow(call.number("k") + call.number("alpha") / static_cast<double>(size) * sum,
                    call.number("beta"));
  }
  return {Tensor::from_doubles(x.dtype(), x.shape(), y)};
}

}  // namespace op::local_response_norm

ANEMONE_DEFINE_OP(local_response_norm) = {
    .name = "local_response_norm",
    .revised = op::local_response_norm::kRevised,
    .says =
        "y = x / (k + alpha / size * sum of x^2 over size channels around)^beta, channels along "
        "axis 1, or 0 of rank 3",
    .inputs = op::local_response_norm::kInputs,
    .infer = op::local_response_norm::infer,
    .eval = op::local_response_norm::eval,
};

}  // namespace anemone::mil
