#pragma once

#include <memory>

#include "anemone/engine/kernel.h"
#include "anemone/engine/strictness.h"

namespace anemone::engine {

// The op by slow loops that sum as `strictness` says; null if it is none whose sums are inside, or
// of a form that is left to the ordinary kernels.
std::unique_ptr<Kernel> plan_strict(Lowering& lowering, const Strictness& strictness);

// What the hazards do to the results of `op`, in place on row-major floats; null if nothing.
std::unique_ptr<Kernel> make_hazards(const mil::Op& op, const View& output,
                                     const Strictness& strictness);

// True for an op that moves elements and that a hazard makes dangerous: it must not be a view.
bool is_hazardous_move(const mil::Op& op, const mil::Call& call, const Strictness& strictness);

// The constant with subnormal numbers made zero; null if it holds none.
std::shared_ptr<const Tensor> without_subnormals(const Tensor& constant);

}  // namespace anemone::engine
