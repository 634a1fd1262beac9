#pragma once

#include "anemone/mil/ops/filling.h"

// Random tensors. Core ML's own generator is not published; what is promised here is the
// distribution, and the same values for the same seed on every machine.
namespace anemone::mil::op {

inline constexpr InputDef kRandomShape = {
    .name = "shape", .dtypes = kInt32, .min_rank = 1, .max_rank = 1};
inline constexpr InputDef kSeed = {.name = "seed",
                                   .dtypes = kInt32,
                                   .max_rank = 0,
                                   .is_const = true,
                                   .otherwise = std::int64_t{-1}};

constexpr InputDef distribution_input(std::string_view parameter, double otherwise) {
  return {.name = parameter,
          .dtypes = kFloats,
          .max_rank = 0,
          .is_const = true,
          .domain = 'T',
          .otherwise = otherwise};
}

inline DType random_dtype(const Call& call, std::span<const std::string_view> parameters) {
  for (const std::string_view parameter : parameters) {
    if (call.has(parameter)) return call.dtype(parameter);
  }
  return DType::kF32;
}

inline std::vector<Type> infer_random(const Call& call,
                                      std::span<const std::string_view> parameters) {
  const DType dtype = random_dtype(call, parameters);
  if (call.find_tensor("shape") == nullptr && call.shape("shape")[0] == kUnknown) {
    return {{.dtype = dtype, .has_rank = false}};
  }
  return {Type::tensor(dtype, spelled_shape(call, "shape"))};
}

// SplitMix64. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
class Random {
 public:
  explicit Random(const Call& call)
      : state_(static_cast<std::uint64_t>(call.integer("seed")) * 0x9e3779b97f4a7c15u) {}

  // In [0, 1), 53 bits.
  double uniform() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }

  // Mean 0, deviation 1, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::acos(-1.0) * uniform());
  }

 private:
  std::uint64_t state_;
};

template <typename Draw>  // double draw(Random&)
std::vector<Tensor> drawn(const Call& call, Draw draw) {
  const Type type = resolved_type(call);
  Random random(call);
  std::vector<double> y(static_cast<std::size_t>(element_count(type.shape)));
  for (double& value : y) value = draw(random);
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace anemone::mil::op
