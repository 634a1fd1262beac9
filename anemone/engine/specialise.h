#pragma once

#include <map>
#include <memory>
#include <string>

#include "anemone/engine/engine.h"

namespace anemone::engine {

// Shapes of inputs by name.
using Shapes = std::map<std::string, Shape, std::less<>>;

// A copy of `function` for inputs of these shapes: every type inferred anew, and what follows from
// shapes and constants alone (sizes, axes, paddings) computed. Inputs that are not named keep their
// type. Types that only a call shows stay as they were declared. Throws Error(kBadInput) naming the
// op that cannot take what it is given.
std::unique_ptr<mil::Function> specialise(const mil::Function& function, const Shapes& shapes,
                                          Arithmetic arithmetic);

// True if every value of the function is a tensor whose shape is known, so that a plan can be made.
bool is_static(const mil::Function& function);

}  // namespace anemone::engine
