#pragma once

#include <functional>
#include <vector>

#include "anemone/engine/fuse.h"

namespace anemone::engine {

// Ops that end in one of them and whose results, but for the last's, are used by none but them.
struct Cone {
  std::vector<const mil::Op*> rows;  // the last one first
  const mil::Op* core = nullptr;     // a product or convolution whose result the others change

  bool has(std::string_view type) const { return count(type) > 0; }
  int count(std::string_view type) const;
  int count_reductions() const;
};

// Which ops may join: those of the row programs (row_program.h). What gives one number a row or
// part of a row may be among them only if `by_rows`; products only if not.
struct ConeRules {
  bool by_rows = false;
  bool takes_core = false;
};

// The largest cone that ends in `last`, which is free. Empty if `last` itself may not be part.
Cone cone_of(const FusionGraph& graph, const mil::Op& last, const ConeRules& rules);

// An op that makes each element of its result from the elements at that place.
bool is_elementwise(const mil::Op& op);

// Calls `accepts` with the cone of each op that is free, the last op first, and makes groups of
// those that it accepts.
void find_cones(FusionGraph& graph, std::string_view name, const ConeRules& rules,
                const std::function<bool(const Cone&)>& accepts);

}  // namespace anemone::engine
