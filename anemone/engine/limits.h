#pragma once

#include <cstdint>
#include <string>

#include "anemone/engine/engine.h"

namespace anemone::engine {

// What this process may have at most: the machine's memory, or what a control group allows of it.
std::uint64_t memory_of_machine();

// Limits::memory_bytes, or what 0 stands for.
std::uint64_t memory_allowed(const Limits& limits);

// What running an op by its definition takes beside its operands: every number of those that are no
// constants, and of its results, as a double, and the results.
std::uint64_t definition_bytes(std::uint64_t operands, std::uint64_t results, int result_bits);

// Sums and products of stated sizes that stop at the largest number.
std::uint64_t added(std::uint64_t a, std::uint64_t b);
std::uint64_t multiplied(std::uint64_t a, std::uint64_t b);

}  // namespace anemone::engine
