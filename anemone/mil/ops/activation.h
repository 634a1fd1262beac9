#pragma once

#include "anemone/mil/ops/elementwise.h"

// Activations with one or two constants of their own.
namespace anemone::mil::op {

constexpr InputDef activation_constant(std::string_view parameter) {
  return {.name = parameter,
          .dtypes = kFloats,
          .max_rank = 0,
          .is_const = true,
          .domain = 'T',
          .ios17_domain = 'U'};
}

inline constexpr InputDef kAlphaInputs[] = {{.name = "x", .dtypes = kFloats, .domain = 'T'},
                                            activation_constant("alpha")};
inline constexpr InputDef kAlphaBetaInputs[] = {{.name = "x", .dtypes = kFloats, .domain = 'T'},
                                                activation_constant("alpha"),
                                                activation_constant("beta")};
inline constexpr Opset kRevisedIn17[] = {Opset::kIos17};

template <double (*kY)(double x, double alpha)>
std::vector<Tensor> eval_alpha(const Call& call) {
  const double alpha = call.number("alpha");
  return {mapped(call.tensor("x"), [&](double x) { return kY(x, alpha); })};
}

template <double (*kY)(double x, double alpha, double beta)>
std::vector<Tensor> eval_alpha_beta(const Call& call) {
  const double alpha = call.number("alpha");
  const double beta = call.number("beta");
  return {mapped(call.tensor("x"), [&](double x) { return kY(x, alpha, beta); })};
}

// One constant for each channel, which is axis 1 of x.
constexpr InputDef channel_constant(std::string_view parameter) {
  return {.name = parameter,
          .dtypes = kFloats,
          .min_rank = 1,
          .max_rank = 1,
          .is_const = true,
          .domain = 'T',
          .ios17_domain = 'U'};
}

// y = f(x, channel) on every element of `x`.
template <typename F>
Tensor mapped_by_channel(const Tensor& x, F f) {
  std::vector<double> values = x.to_doubles();
  const auto step = static_cast<std::size_t>(row_major_strides(x.shape())[1]);
  const auto channels = static_cast<std::size_t>(std::max<std::int64_t>(x.shape()[1], 1));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = f(values[i], i / step % channels);
  }
  return Tensor::from_doubles(x.dtype(), x.shape(), values);
}

}  // namespace anemone::mil::op
