#include "anemone/engine/limits.h"

#include <unistd.h>

#include <fstream>
#include <limits>

namespace anemone::engine {
namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

// The number that a control group's file begins with; kMost where there is none ("max").
// Source: Linux, Documentation/admin-guide/cgroup-v2.rst (memory.max), cgroup-v1/memory.rst.
std::uint64_t limit_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t bytes = 0;
  return file >> bytes ? bytes : kMost;
}

std::uint64_t find_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  std::uint64_t bytes = kMost;
  if (pages > 0 && page > 0) {
    bytes = multiplied(static_cast<std::uint64_t>(pages), static_cast<std::uint64_t>(page));
  }
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    bytes = std::min(bytes, limit_in(path));
  }
  return bytes;
}

}  // namespace

std::uint64_t memory_of_machine() {
  static const std::uint64_t bytes = find_memory();
  return bytes;
}

std::uint64_t memory_allowed(const Limits& limits) {
  return limits.memory_bytes > 0 ? limits.memory_bytes : memory_of_machine();
}

std::uint64_t added(std::uint64_t a, std::uint64_t b) { return a > kMost - b ? kMost : a + b; }

std::uint64_t multiplied(std::uint64_t a, std::uint64_t b) {
  return b > 0 && a > kMost / b ? kMost : a * b;
}

std::uint64_t definition_bytes(std::uint64_t operands, std::uint64_t results, int result_bits) {
  const std::uint64_t numbers = multiplied(added(operands, results), sizeof(double));
  return added(numbers, multiplied(results, static_cast<std::uint64_t>(result_bits + 7) / 8));
}

}  // namespace anemone::engine
