#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anemone/engine/fuse.h"
#include "anemone/mil/program.h"

namespace anemone::engine {

// What may be done on a state's own memory instead of on a copy. A read is a snapshot; it may be a
// view of the state as long as nobody can tell: every use of it, and of views of it, comes before
// the state's memory changes next.
struct StateUse {
  // slice_update ops that write their rows straight into the state, because what they update is the
  // state as it stands and what they give is written back before anybody reads the state again; and
  // write_state ops that find their data already there. With the state they act on.
  std::unordered_map<const mil::Op*, const mil::Value*> in_place;
  // Values that may lie in a state's memory: reads, views of them, and what in-place updates give.
  // A view of one that is not among them must be copied where it is made.
  std::unordered_set<const mil::Value*> aliases;
};

// `groups` come in running order. `viewed` gives what an op's outputs may be views of, or null.
StateUse analyse_states(const mil::Function& function, std::span<const Group> groups,
                        const mil::Value* (*viewed)(const mil::Op&));

}  // namespace anemone::engine
