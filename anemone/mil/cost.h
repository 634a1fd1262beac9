#pragma once

#include <cstdint>

#include "anemone/mil/program.h"

namespace anemone::mil {

// What one run of an op moves and computes, from its types alone. An extent that only a call fixes
// counts as 1, so the figures of a flexible function are lower bounds.
struct Cost {
  std::uint64_t read_bytes = 0;     // run-time inputs, as far as the op looks at them
  std::uint64_t written_bytes = 0;  // outputs; 0 where an op only renames what is there
  // Constants that are neither int32 nor bool, as the file stores them: compressed ones are small.
  std::uint64_t weight_bytes = 0;
  std::uint64_t flops = 0;  // a multiplication and an addition are two
  bool is_exact = true;     // false if some extent is unknown

  std::uint64_t bytes() const { return read_bytes + written_bytes + weight_bytes; }
  Cost& operator+=(const Cost& other);
};

// Nested blocks count once, with the op that holds them.
Cost cost_of(const Op& op);

// Bytes of a value of this type; unknown extents count as 1, strings and lists as nothing.
std::uint64_t size_bytes(const Type& type);

// Bytes that a constant takes in the file: of a `const` its tensor's, of a constexpr_* op's output
// those of everything that it is made from; 0 for what only a call fixes.
std::uint64_t stored_bytes(const Value& value);

// True of constants, and of what constexpr_* ops make of constants when a program is loaded.
bool is_fixed(const Value& value);

}  // namespace anemone::mil
