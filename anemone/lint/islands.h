#pragma once

#include <span>

#include "anemone/lint/lint.h"

namespace anemone::lint {

// islands() of one function.
FunctionIslands islands_of(const mil::Function& function, std::span<const Finding> findings);

}  // namespace anemone::lint
