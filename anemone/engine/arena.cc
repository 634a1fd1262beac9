#include <algorithm>
#include <map>

#include "anemone/engine/plan.h"

namespace anemone::engine {
namespace {

constexpr std::size_t kAlignmentBytes = 64;

std::size_t aligned(std::size_t size_bytes) {
  return (size_bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
}

bool is_placed(const Memory& memory) {
  return (memory.kind == Memory::Kind::kArena || memory.kind == Memory::Kind::kInput) &&
         memory.first >= 0;
}

bool live_together(const Memory& a, const Memory& b) {
  return a.first <= b.last && b.first <= a.last;
}

// Each memory in turn in the lowest gap that those placed so far leave it. Gives the end.
std::size_t place(const std::vector<Memory*>& order) {
  std::vector<const Memory*> placed;  // by offset
  std::size_t end = 0;
  for (Memory* memory : order) {
    const std::size_t needed = aligned(memory->size_bytes());
    std::size_t offset = 0;
    for (const Memory* other : placed) {
      if (!live_together(*other, *memory)) continue;
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

// Steps that a memory lives for.
int span_of(const Memory& memory) { return memory.last - memory.first + 1; }

}  // namespace

std::size_t lay_out_arena(std::vector<Memory>& memories) {
  std::vector<Memory*> order;
  for (Memory& memory : memories) {
    if (is_placed(memory)) order.push_back(&memory);
  }
  // Which order packs best depends on the program, and trying is cheap: the largest first is hard
  // to beat, long lives first where small values outlive many, by time where all are alike.
  using Before = bool (*)(const Memory*, const Memory*);
  constexpr Before kOrders[] = {
      [](const Memory* a, const Memory* b) { return a->size_bytes() > b->size_bytes(); },
      [](const Memory* a, const Memory* b) { return span_of(*a) > span_of(*b); },
      [](const Memory* a, const Memory* b) {
        return static_cast<double>(a->size_bytes()) * span_of(*a) >
               static_cast<double>(b->size_bytes()) * span_of(*b);
      },
      [](const Memory* a, const Memory* b) { return a->first < b->first; },
  };
  const std::size_t least = largest_live_set(memories);
  std::vector<std::size_t> best;
  std::size_t best_end = 0;
  for (const Before before : kOrders) {
    std::stable_sort(order.begin(), order.end(), before);
    const std::size_t end = place(order);
    if (best.empty() || end < best_end) {
      best_end = end;
      best.clear();
      for (const Memory& memory : memories) best.push_back(memory.offset);
    }
    if (best_end <= least) break;
  }
  for (std::size_t i = 0; i < best.size(); ++i) memories[i].offset = best[i];
  return best_end;
}

std::size_t largest_live_set(const std::vector<Memory>& memories) {
  // What comes and goes with each step.
  std::map<int, std::int64_t> changes;
  for (const Memory& memory : memories) {
    if (!is_placed(memory)) continue;
    changes[memory.first] += static_cast<std::int64_t>(memory.size_bytes());
    changes[memory.last + 1] -= static_cast<std::int64_t>(memory.size_bytes());
  }
  std::int64_t live = 0, most = 0;
  for (const auto& [step, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return static_cast<std::size_t>(most);
}

}  // namespace anemone::engine
