#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "anemone/base/json.h"

namespace anemone::engine {

// What a plan will do and what memory it takes, for people and for scripts.
struct PlanReport {
  struct Line {
    std::string name;        // of the op's first output, or of what is copied
    std::string op;          // its type; empty for a copy that some op needs
    std::string how;         // the kernel and its variant, "eval", "view of x", "fused"
    std::string fused_with;  // the op at whose place this one runs; empty for most
    std::string where;       // shapes, and how views lie
    std::string over;        // the value in whose place the output lies; empty for most
    std::size_t bytes = 0;   // working memory that it writes
    std::optional<std::size_t> offset = std::nullopt;  // of the output in the arena
  };

  std::string function;
  std::string why_interpreted;  // if there is no plan: then nothing below is said
  std::string target;           // the instruction set
  std::vector<Line> lines = {};
  std::size_t steps = 0;
  std::size_t in_place = 0;     // steps whose output lies in an operand's place
  std::size_t arena_bytes = 0;  // working memory of one call
  // The most of it that must exist at the same time: an output that may lie over an operand counts
  // for nothing beside it.
  std::size_t live_bytes = 0;
  std::size_t weight_bytes = 0;  // constants that steps read
  std::size_t state_bytes = 0;   // of all states

  // arena_bytes over live_bytes; 1 if nothing is live.
  double arena_ratio() const;
  // One line an op, then what the plan takes as a whole.
  std::string text() const;
  OrderedJson json() const;
};

}  // namespace anemone::engine
