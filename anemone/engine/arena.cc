#include <algorithm>

#include "anemone/engine/plan.h"

namespace anemone::engine {
namespace {

constexpr std::size_t kAlignmentBytes = 64;

std::size_t aligned(std::size_t size_bytes) {
  return (size_bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

}  // namespace

std::size_t lay_out_arena(std::vector<Memory>& memories) {
  std::vector<Memory*> todo;
  for (Memory& memory : memories) {
    if (memory.kind == Memory::Kind::kArena && memory.first >= 0) todo.push_back(&memory);
  }
  // The largest first, each in the lowest gap that those placed so far leave it: a known good
  // heuristic, and small values end up close together.
  std::stable_sort(todo.begin(), todo.end(), [](const Memory* a, const Memory* b) {
    return a->size_bytes() > b->size_bytes();
  });
  std::vector<const Memory*> placed;  // by offset
  std::size_t end = 0;
  for (Memory* memory : todo) {
    const std::size_t needed = aligned(memory->size_bytes());
    std::size_t offset = 0;
    for (const Memory* other : placed) {
      if (other->last < memory->first || memory->last < other->first) continue;
      if (other->offset >= offset + needed) break;
      offset = std::max(offset, other->offset + aligned(other->size_bytes()));
    }
    memory->offset = offset;
    end = std::max(end, offset + needed);
    const auto at =
        std::upper_bound(placed.begin(), placed.end(), memory,
                         [](const Memory* a, const Memory* b) { return a->offset < b->offset; });
    placed.insert(at, memory);
  }
  return end;
}

}  // namespace anemone::engine
