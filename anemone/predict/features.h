#pragma once

#include <string>

#include "anemone/predict/model.h"

// Between features and the tensors of a function.
namespace anemone::predict {

// Refuses names that are none of the interface's inputs: a slip is told before the input that is
// missing for it. Throws Error(kBadInput).
void check_names(const Values& inputs, const package::Interface& interface);
// The tensor that `value` is for an input. `declared` is the function's. Throws Error(kBadInput)
// with what was found and what is allowed.
Tensor to_tensor(const Value& value, const package::Feature& feature, const mil::Type& declared);
// What an optional input holds if it is not given. Throws Error(kBadInput) if it has no default.
Tensor default_tensor(const package::Feature& feature, const mil::Type& declared);

// The output feature that `tensor` is. `keeps_fp32`: fp16 features stay fp32.
Value to_value(const Tensor& tensor, const package::Feature& feature, bool keeps_fp32);

// What a pipeline says of a feature, for values that are handed on as they are: refuses another
// kind or, of a multi-array, shape. Throws Error(kBadInput) that begins with the feature's name.
void check_value(const Value& value, const package::Feature& feature);
// A model's output as the pipeline's feature of that name.
Value handed_out(const Value& value, const package::Feature& feature, bool keeps_fp32);

// "fp32 [1, 3, 1..64]", "an RGB image, 64 x 48"
std::string describe(const package::Feature& feature);

}  // namespace anemone::predict
