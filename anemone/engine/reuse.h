#pragma once

#include <vector>

#include "anemone/engine/plan.h"

namespace anemone::engine {

// Finds results that may lie where operands of the same step do (Memory::over): the step's kernel
// may write over them (Overwrite), nobody needs what they hold afterwards, and no element of theirs
// is read at another time than the kernel speaks of. Memories must have their first and last steps,
// but no places yet. Gives those results, each with the number of its step.
struct Reused {
  int step = -1;
  int memory = -1;
};
std::vector<Reused> reuse_operands(std::vector<Memory>& memories, const std::vector<Step>& steps);

}  // namespace anemone::engine
