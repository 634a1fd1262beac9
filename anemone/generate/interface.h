#pragma once

#include "anemone/generate/predictor.h"

namespace anemone::generate {

// What a program's function takes and gives, as its types say.
FunctionInterface interface_of(const mil::Function& function);

}  // namespace anemone::generate
