#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anemone/engine/fuse.h"
#include "anemone/mil/program.h"

namespace anemone::engine {

// Rows of a state, counted along its first axis.
struct StateRows {
  const mil::Value* state = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// What may be done on a state's own memory instead of on a copy. A read is a snapshot; it may be a
// view of the state as long as nobody can tell: every use of it, and of views of it, comes before
// the rows that it shows change next.
struct StateUse {
  // Ops that act on a state's memory, or find that nothing is left to do: slice_update ops that
  // write their rows straight into it, because what they update is the state as it stands and what
  // they give is written back before anybody reads the state again; write_state ops whose data is
  // there already; the concat that only put together what is.
  std::unordered_map<const mil::Op*, const mil::Value*> in_place;
  // Computed values that a later write_state puts into these rows, alone or joined with others, and
  // that may be put there at once, because nobody looks at what the rows held any more.
  std::unordered_map<const mil::Value*, StateRows> placed;
  // Values that may lie in a state's memory: reads, views of them, what in-place updates give, and
  // placed values. A view of one that is not among them must be copied where it is made.
  std::unordered_set<const mil::Value*> aliases;
};

// `groups` come in running order. `viewed` gives what an op's outputs may be views of, or null.
StateUse analyse_states(const mil::Function& function, std::span<const Group> groups,
                        const mil::Value* (*viewed)(const mil::Op&));

}  // namespace anemone::engine
