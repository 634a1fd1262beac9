#pragma once

#include "anemone/mil/ops/epsilon.h"

// Norms whose parameters are one number for each channel, which is axis 1 of x.
namespace anemone::mil::op {

constexpr InputDef norm_parameter(std::string_view parameter, bool is_optional) {
  return {.name = parameter,
          .dtypes = kFloats,
          .min_rank = 1,
          .max_rank = 1,
          .is_const = true,
          .is_optional = is_optional,
          .domain = 'T',
          .ios17_domain = 'U'};
}

inline void require_channels(const Call& call, std::span<const std::string_view> parameters) {
  for (const std::string_view parameter : parameters) {
    if (call.has(parameter)) require_shape(call, parameter, {call.shape("x")[1]});
  }
}

// The parameter's numbers; empty when it is not bound.
inline std::vector<double> find_numbers(const Call& call, std::string_view parameter) {
  const Tensor* value = call.find_tensor(parameter);
  return value != nullptr ? value->to_doubles() : std::vector<double>{};
}

}  // namespace anemone::mil::op
