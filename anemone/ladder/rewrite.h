#pragma once

#include <string_view>

#include "anemone/mil/program.h"

// One program as another that computes the same, for pairs of experiments that differ in types
// alone.
namespace anemone::ladder {

// Every fp16 tensor typed fp32. States stay fp16, as they must (apple/coremltools docs, "Stateful
// Models"), with casts beside them. Integers stay what they are.
mil::Program in_fp32(const mil::Program& program);

// The matrices of conv and linear as int8 with one scale for each output, through an op of the
// given type: constexpr_affine_dequantize or constexpr_blockwise_shift_scale.
mil::Program with_int8_weights(const mil::Program& program, std::string_view constexpr_op);

}  // namespace anemone::ladder
