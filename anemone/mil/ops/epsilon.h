#pragma once

#include "anemone/mil/ops/elementwise.h"

// Ops that add a small constant of their own so as not to divide by zero.
namespace anemone::mil::op {

constexpr InputDef epsilon_input(double otherwise) {
  return {.name = "epsilon",
          .dtypes = kFloats,
          .max_rank = 0,
          .is_const = true,
          .domain = 'T',
          .otherwise = otherwise,
          .ios17_domain = 'U'};
}

// Of any float, for the ops whose default coremltools writes in fp32 whatever stands beside it.
// Source: coremltools 9.0, mil/ops/defs/iOS15/normalization.py (default_inputs).
constexpr InputDef free_epsilon_input(double otherwise) {
  InputDef input = epsilon_input(otherwise);
  input.domain = input.ios17_domain = 0;
  return input;
}

// The constant as x's dtype holds it where it is left out: in fp16 the smallest ones are 0.
// Source: coremltools 9.0, mil/ops/defs/iOS15/elementwise_unary.py (default_inputs).
inline double epsilon(const Call& call) {
  const double value = call.number("epsilon");
  if (call.has("epsilon")) return value;
  return Tensor::scalar(call.tensor("x").dtype(), value).number(0);
}

// y = kY(x + epsilon).
template <double (*kY)(double)>
std::vector<Tensor> eval_with_epsilon(const Call& call) {
  const double small = epsilon(call);
  return {mapped(call.tensor("x"), [&](double x) { return kY(x + small); })};
}

}  // namespace anemone::mil::op
