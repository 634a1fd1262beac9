#include "anemone/engine/reuse.h"

#include <algorithm>

namespace anemone::engine {
namespace {

constexpr std::size_t kAlignmentBytes = 64;

class Reuse {
 public:
  Reuse(const std::vector<Memory>& memories, const Step& step, int number)
      : memories_(memories), step_(step), number_(number) {}

  bool may(const Overwrite& way) const {
    const View& to = view(way.output);
    const View& from = view(way.operand);
    const Memory& made = memory(to);
    const Memory& spent = memory(from);
    // What the caller, the program or a state owns stays as it is.
    if (made.kind != Memory::Kind::kArena || spent.kind != Memory::Kind::kArena) return false;
    // The output begins here and is needed later; of the operand's memory, and of all that is a
    // view of it, nothing is.
    if (made.over >= 0 || made.first != number_ || made.last <= number_) return false;
    if (spent.last != number_) return false;
    const auto begin = static_cast<std::size_t>(from.offset_bytes());
    if (to.offset != 0 || begin % kAlignmentBytes != 0 || begin > spent.size_bytes() ||
        made.size_bytes() > spent.size_bytes() - begin) {
      return false;
    }
    if (!way.at_once && !meets_in_place(from, to)) return false;
    // The operand may be read by other ways as well: as another operand of the kernel's.
    for (std::size_t i = 0; i < step_.views.size(); ++i) {
      const View& other = step_.views[i];
      if (other.memory != from.memory || static_cast<int>(i) == way.operand) continue;
      const Overwrite* same = find(way.output, static_cast<int>(i));
      const bool is_apart = other.is_dense() && from.is_dense() && other.stored == from.stored &&
                            (other.offset + other.count() <= from.offset ||
                             from.offset + from.count() <= other.offset);
      if (is_apart && !way.at_once) continue;
      if (same == nullptr || same->at_once != way.at_once) return false;
      if (!way.at_once && (other.offset != from.offset || !meets_in_place(other, from)))
        return false;
    }
    return true;
  }

  // Elements at the same place in row-major order lie at the same address.
  static bool meets_in_place(const View& from, const View& to) {
    return from.is_dense() && to.is_dense() && from.count() == to.count() &&
           width_bits(from.stored) == width_bits(to.stored);
  }

 private:
  const View& view(int operand) const { return step_.views[static_cast<std::size_t>(operand)]; }
  const Memory& memory(const View& view) const {
    return memories_[static_cast<std::size_t>(view.memory)];
  }
  const Overwrite* find(int output, int operand) const {
    const auto found = std::find_if(
        step_.overwrites.begin(), step_.overwrites.end(),
        [&](const Overwrite& way) { return way.output == output && way.operand == operand; });
    return found == step_.overwrites.end() ? nullptr : &*found;
  }

  const std::vector<Memory>& memories_;
  const Step& step_;
  int number_;
};

}  // namespace

std::vector<Reused> reuse_operands(std::vector<Memory>& memories, const std::vector<Step>& steps) {
  std::vector<Reused> results;
  for (std::size_t number = 0; number < steps.size(); ++number) {
    const Step& step = steps[number];
    std::vector<int> taken;  // memories that outputs of this step lie in already
    for (const Overwrite& way : step.overwrites) {
      const View& from = step.views[static_cast<std::size_t>(way.operand)];
      const bool is_taken = std::find(taken.begin(), taken.end(), from.memory) != taken.end();
      if (is_taken || !Reuse(memories, step, static_cast<int>(number)).may(way)) continue;
      const int made = step.views[static_cast<std::size_t>(way.output)].memory;
      Memory& memory = memories[static_cast<std::size_t>(made)];
      memory.over = from.memory;
      memory.over_bytes = static_cast<std::size_t>(from.offset_bytes());
      taken.push_back(from.memory);
      results.push_back({static_cast<int>(number), made});
    }
  }
  return results;
}

}  // namespace anemone::engine
