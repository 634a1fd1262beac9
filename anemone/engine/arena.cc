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

// Memories whose distances are fixed: one, or an operand, the result over it, the result over that,
// and so on.
struct Block {
  struct Part {
    Memory* memory;
    std::size_t at;  // from the block's start
  };
  std::vector<Part> parts;
  std::size_t size_bytes = 0;
  int first = 0;
  int last = 0;
  int steps() const { return last - first + 1; }
  void add(Memory* memory, std::size_t at) {
    first = parts.empty() ? memory->first : std::min(first, memory->first);
    last = std::max(last, memory->last);
    size_bytes = std::max(size_bytes, at + aligned(memory->size_bytes()));
    parts.push_back({memory, at});
  }
};

// One search for places, over one list of memories.
class Layout {
 public:
  enum class Overlaps : std::uint8_t {
    kAll,   // every result that may lie over an operand does
    kSome,  // where that fits
    kNone,
  };
  Layout(std::vector<Memory>& memories, Overlaps overlaps)
      : memories_(memories), overlaps_(overlaps) {
    make_blocks();
  }

  using Before = bool (*)(const Block*, const Block*);
  // Each block in turn in the lowest place that those placed so far leave it. Gives the end.
  std::size_t place(Before before) {
    std::stable_sort(order_.begin(), order_.end(), before);
    placed_.clear();
    end_ = 0;
    for (Block* block : order_) {
      const std::size_t offset = place_of(*block);
      for (const Block::Part& part : block->parts) {
        part.memory->offset = offset + part.at;
        if (part.memory->count > 0) placed_.push_back(part.memory);
      }
      end_ = std::max(end_, offset + block->size_bytes);
    }
    return end_;
  }

 private:
  void make_blocks() {
    std::vector<std::size_t> block_of(memories_.size()), at_of(memories_.size());
    std::vector<bool> is_done(memories_.size());
    std::vector<std::size_t> chain;
    for (std::size_t i = 0; i < memories_.size(); ++i) {
      if (!is_placed(memories_[i])) continue;
      // What a memory lies over may come behind it in the list.
      for (std::size_t at = i; !is_done[at];) {
        chain.push_back(at);
        is_done[at] = true;
        if (overlaps_ != Overlaps::kAll || memories_[at].over < 0) break;
        at = static_cast<std::size_t>(memories_[at].over);
      }
      for (; !chain.empty(); chain.pop_back()) {
        const std::size_t one = chain.back();
        Memory& memory = memories_[one];
        if (overlaps_ == Overlaps::kAll && memory.over >= 0) {
          const auto over = static_cast<std::size_t>(memory.over);
          block_of[one] = block_of[over];
          at_of[one] = at_of[over] + memory.over_bytes;
        } else {
          block_of[one] = blocks_.size();
          blocks_.emplace_back();
        }
        blocks_[block_of[one]].add(&memory, at_of[one]);
      }
    }
    for (Block& block : blocks_) order_.push_back(&block);
  }

  const Memory* over(const Memory& memory) const {
    return memory.over < 0 ? nullptr : &memories_[static_cast<std::size_t>(memory.over)];
  }

  std::size_t place_of(const Block& block) const {
    const std::size_t lowest = lowest_of(block);
    if (overlaps_ != Overlaps::kSome) return lowest;
    const Memory& memory = *block.parts.front().memory;
    const std::size_t size = block.size_bytes;
    for (const Memory* other : placed_) {
      std::size_t offset = lowest;
      if (over(memory) == other) {
        offset = other->offset + memory.over_bytes;
      } else if (over(*other) == &memory && other->offset >= other->over_bytes) {
        offset = other->offset - other->over_bytes;
      } else {
        continue;
      }
      if (std::max(end_, offset + size) <= std::max(end_, lowest + size) && fits(memory, offset)) {
        return offset;
      }
    }
    return lowest;
  }

  // Whether nothing is in the way there but what the memory lies exactly over, or that over it.
  bool fits(const Memory& memory, std::size_t offset) const {
    const std::size_t end = offset + aligned(memory.size_bytes());
    return std::none_of(placed_.begin(), placed_.end(), [&](const Memory* other) {
      if (!live_together(*other, memory) || other->offset >= end ||
          other->offset + aligned(other->size_bytes()) <= offset) {
        return false;
      }
      const bool is_over = over(memory) == other && offset == other->offset + memory.over_bytes;
      const bool is_under = over(*other) == &memory && other->offset == offset + other->over_bytes;
      return !is_over && !is_under;
    });
  }

  std::size_t lowest_of(const Block& block) const {
    // Where the block cannot begin, since a part of it would meet something: [begin, end).
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    for (const Block::Part& part : block.parts) {
      const std::size_t size = aligned(part.memory->size_bytes());
      if (size == 0) continue;
      for (const Memory* other : placed_) {
        const std::size_t other_end = other->offset + aligned(other->size_bytes());
        if (other_end <= part.at || !live_together(*other, *part.memory)) continue;
        const std::size_t reach = part.at + size - 1;
        taken.emplace_back(other->offset > reach ? other->offset - reach : 0, other_end - part.at);
      }
    }
    std::sort(taken.begin(), taken.end());
    std::size_t offset = 0;
    for (const auto& [from, to] : taken) {
      if (from > offset) break;
      offset = std::max(offset, to);
    }
    return offset;
  }

  std::vector<Memory>& memories_;
  Overlaps overlaps_;
  std::vector<Block> blocks_;
  std::vector<Block*> order_;
  std::vector<const Memory*> placed_;
  std::size_t end_ = 0;
};

}  // namespace

std::size_t lay_out_arena(std::vector<Memory>& memories) {
  // Which order packs best depends on the program, and trying is cheap: the largest first is hard
  // to beat, long lives first where small values outlive many, by time where all are alike.
  constexpr Layout::Before kOrders[] = {
      [](const Block* a, const Block* b) { return a->size_bytes > b->size_bytes; },
      [](const Block* a, const Block* b) { return a->steps() > b->steps(); },
      [](const Block* a, const Block* b) {
        return static_cast<double>(a->size_bytes) * a->steps() >
               static_cast<double>(b->size_bytes) * b->steps();
      },
      [](const Block* a, const Block* b) { return a->first < b->first; },
  };
  // Results over operands are what takes least at any time, but they bind places to one another.
  using Overlaps = Layout::Overlaps;
  const bool has_overlaps = std::any_of(memories.begin(), memories.end(),
                                        [](const Memory& memory) { return memory.over >= 0; });
  const std::size_t least = largest_live_set(memories);
  std::vector<std::size_t> best;
  std::size_t best_end = 0;
  for (const Overlaps overlaps : {Overlaps::kAll, Overlaps::kSome, Overlaps::kNone}) {
    if (!has_overlaps && overlaps != Overlaps::kNone) continue;
    Layout layout(memories, overlaps);
    for (const Layout::Before before : kOrders) {
      if (!best.empty() && best_end <= least) break;
      const std::size_t end = layout.place(before);
      if (!best.empty() && end >= best_end) continue;
      best_end = end;
      best.clear();
      for (const Memory& memory : memories) best.push_back(memory.offset);
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i) memories[i].offset = best[i];
  for (Memory& memory : memories) {
    if (memory.over < 0) continue;
    const Memory& over = memories[static_cast<std::size_t>(memory.over)];
    if (memory.offset != over.offset + memory.over_bytes) memory.over = -1;
  }
  return best_end;
}

std::size_t largest_live_set(const std::vector<Memory>& memories) {
  // What comes and goes with each step.
  std::map<int, std::int64_t> changes;
  for (const Memory& memory : memories) {
    if (!is_placed(memory)) continue;
    const auto size = static_cast<std::int64_t>(aligned(memory.size_bytes()));
    changes[memory.first + (memory.over >= 0 ? 1 : 0)] += size;
    changes[memory.last + 1] -= size;
  }
  std::int64_t live = 0, most = 0;
  for (const auto& [step, change] : changes) {
    live += change;
    most = std::max(most, live);
  }
  return static_cast<std::size_t>(most);
}

}  // namespace anemone::engine
