#pragma once

#include "anemone/mil/ops/elements.h"

// The elementwise families: a file of theirs is a formula and a line of words.
namespace anemone::mil::op {

inline constexpr InputDef kFloatX[] = {{.name = "x", .dtypes = kFloats}};
inline constexpr InputDef kNumberX[] = {{.name = "x", .dtypes = kNumbers}};

inline std::vector<Type> infer_like_x(const Call& call) { return {call.type("x")}; }

// y = f(x) on every element of `x`, in double, rounded once.
template <typename F>
Tensor mapped(const Tensor& x, F f) {
  std::vector<double> values = x.to_doubles();
  for (double& value : values) value = f(value);
  return Tensor::from_doubles(x.dtype(), x.shape(), values);
}

template <double (*kY)(double)>
std::vector<Tensor> eval_unary(const Call& call) {
  return {mapped(call.tensor("x"), kY)};
}

// Two operands of one dtype.
inline constexpr InputDef kNumbersXY[] = {{.name = "x", .dtypes = kNumbers, .domain = 'T'},
                                          {.name = "y", .dtypes = kNumbers, .domain = 'T'}};
inline constexpr InputDef kBoolsXY[] = {{.name = "x", .dtypes = kBools},
                                        {.name = "y", .dtypes = kBools}};

// The shape that two parameters broadcast to.
inline Shape broadcast_shape(const Call& call, std::string_view a, std::string_view b) {
  const auto shape = broadcast(call.shape(a), call.shape(b));
  if (!shape) {
    call.fail("parameters '" + std::string(a) + "' and '" + std::string(b) + "' have shapes " +
              anemone::to_string(call.shape(a)) + " and " + anemone::to_string(call.shape(b)) +
              ", which do not broadcast");
  }
  return *shape;
}

inline std::vector<Type> infer_binary(const Call& call) {
  const Type& x = call.type("x");
  const Type& y = call.type("y");
  const DType dtype = promoted(x.dtype, y.dtype);
  if (!x.has_rank || !y.has_rank) return {{.dtype = dtype, .has_rank = false}};
  return {Type::tensor(dtype, broadcast_shape(call, "x", "y"))};
}

inline std::vector<Type> infer_comparison(const Call& call) {
  std::vector<Type> types = infer_binary(call);
  types.front().dtype = DType::kBool;
  return types;
}

// Calls visit(i, j) with the element numbers of `a` and `b` for every element of `shape`, to which
// both broadcast.
template <typename Visit>
void for_each_pair(const Shape& a, const Shape& b, const Shape& shape, Visit visit) {
  const Shape a_strides = stretched_strides(a, shape);
  const Shape b_strides = stretched_strides(b, shape);
  for_each_index(shape, [&](const Shape& index) {
    visit(static_cast<std::size_t>(dot(index, a_strides)),
          static_cast<std::size_t>(dot(index, b_strides)));
  });
}

// The dtype's value that agrees with `value` in the low bits, as two's complement arithmetic wraps.
inline std::int64_t wrapped(DType dtype, std::int64_t value) {
  switch (dtype) {
    case DType::kI8:
      return static_cast<std::int8_t>(value);
    case DType::kU8:
      return static_cast<std::uint8_t>(value);
    case DType::kI16:
      return static_cast<std::int16_t>(value);
    case DType::kU16:
      return static_cast<std::uint16_t>(value);
    default:
      return static_cast<std::int32_t>(value);
  }
}

// Floats through kFloat in double; integers through kInt exactly, wrapped to the dtype.
template <double (*kFloat)(double, double),
          std::int64_t (*kInt)(const Call&, std::int64_t, std::int64_t)>
std::vector<Tensor> eval_binary(const Call& call) {
  const Tensor& x = call.tensor("x");
  const Tensor& y = call.tensor("y");
  const Type type = resolved_type(call);
  if (is_float(type.dtype)) {
    const std::vector<double> a = x.to_doubles();
    const std::vector<double> b = y.to_doubles();
    std::vector<double> z;
    for_each_pair(x.shape(), y.shape(), type.shape,
                  [&](std::size_t i, std::size_t j) { z.push_back(kFloat(a[i], b[j])); });
    return {Tensor::from_doubles(type.dtype, type.shape, z)};
  }
  const std::vector<std::int64_t> a = x.to_ints();
  const std::vector<std::int64_t> b = y.to_ints();
  std::vector<std::int64_t> z;
  for_each_pair(x.shape(), y.shape(), type.shape, [&](std::size_t i, std::size_t j) {
    z.push_back(wrapped(type.dtype, kInt(call, a[i], b[j])));
  });
  return {Tensor::from_ints(type.dtype, type.shape, z)};
}

// Bools from two numbers (or bools, which count as 0 and 1).
template <bool (*kTest)(double, double)>
std::vector<Tensor> eval_comparison(const Call& call) {
  const Tensor& x = call.tensor("x");
  const Tensor& y = call.tensor("y");
  const Type type = resolved_type(call);
  const std::vector<double> a = x.to_doubles();
  const std::vector<double> b = y.to_doubles();
  std::vector<double> z;
  for_each_pair(x.shape(), y.shape(), type.shape,
                [&](std::size_t i, std::size_t j) { z.push_back(kTest(a[i], b[j]) ? 1 : 0); });
  return {Tensor::from_doubles(DType::kBool, type.shape, z)};
}

}  // namespace anemone::mil::op
