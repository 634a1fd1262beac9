#pragma once

#include <cstdint>
#include <string_view>

#include "anemone/engine/kernel.h"

// What kernels do to a row of fp32 numbers, for those who do several things to it at a time. Chosen
// for the target when a plan is made; results have the same bits wherever rows are cut. A result
// may be written over the operand that it is made of.
namespace anemone::engine {

using UnaryFunction = void (*)(const float* x, float* y, std::int64_t n, float a, float b);
// A function with its two numbers; null where there is none.
struct UnaryChoice {
  UnaryFunction row = nullptr;
  float a = 0;
  float b = 0;
};
UnaryChoice choose_unary(const Lowering& l);
// Whether there is one for some ops of that type.
bool has_unary_row(std::string_view op);
// a x below zero.
UnaryFunction leaky_relu_row(bool rounds);
// Rounds to what binary16 can hold.
UnaryFunction rounding_row();

// Strides are 1, or 0 for one number.
using BinaryFunction = void (*)(const float* x, std::int64_t x_stride, const float* y,
                                std::int64_t y_stride, float* z, std::int64_t n);
// Null where there is none.
BinaryFunction choose_binary(std::string_view op, bool rounds);

// out = a where x compares to y, else b. Strides are 1, or 0 for one number.
struct SelectArguments {
  const float* x;
  const float* y;
  const float* a;
  const float* b;
  std::int64_t x_stride, y_stride, a_stride, b_stride;
};
using SelectFunction = void (*)(const SelectArguments& arguments, float* out, std::int64_t n);
// Null unless `comparison` is greater or greater_equal.
SelectFunction choose_select(std::string_view comparison);

struct ReduceArguments {
  const float* x;
  float* y;
  std::int64_t length;  // of what is reduced
  std::int64_t inner;   // from one element of it to the next
  float factor;         // what the result is multiplied by
};
using ReduceFunction = void (*)(const ReduceArguments& arguments, std::int64_t begin,
                                std::int64_t end, bool rounds);
// Null where there is none. `by_rows`: inner is 1.
ReduceFunction choose_reduce(std::string_view op, bool by_rows);
// What the result of `op` over `length` elements is multiplied by.
inline float reduce_factor(std::string_view op, std::int64_t length) {
  return op == "reduce_mean" ? 1.0f / static_cast<float>(length) : 1.0f;
}

}  // namespace anemone::engine
