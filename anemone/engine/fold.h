#pragma once

#include <functional>
#include <vector>

#include "anemone/mil/program.h"
#include "anemone/tensor/tensor.h"

namespace anemone::engine {

// What is known of a value before any call, or null.
using Known = std::function<const Tensor*(const mil::Value&)>;

// True if `op` is one whose outputs follow from its inputs alone and can be computed by its
// definition.
bool is_foldable(const mil::Op& op);

// The outputs of a foldable op whose inputs are all known, in the declared dtypes. With
// `is_float32`, what is computed from fp16 constants is fp32 (the constants themselves are not).
std::vector<Tensor> fold(const mil::Op& op, mil::Opset opset, bool is_float32, const Known& known);

}  // namespace anemone::engine
