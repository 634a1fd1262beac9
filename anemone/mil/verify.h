#pragma once

#include <string>
#include <vector>

#include "anemone/mil/program.h"

namespace anemone::mil {

// Something a program does that MIL does not allow. `where` names function and op.
struct Defect {
  std::string where;
  std::string what;
};

// Checks a whole program: names (identifiers, unique), every use after its definition, every type
// inferred again and compared with the declared one, nested blocks, and the order of state effects:
// each slice_update on a state's contents takes the read_state that follows the last write_state.
// Finds everything it can rather than stopping at the first. An empty result means sound.
std::vector<Defect> verify(const Program& program);
// Throws Error(kBadInput) that begins with `what` and names the first defect and how many more.
void require_sound(const Program& program, std::string_view what);

}  // namespace anemone::mil
