#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "anemone/engine/kernel.h"
#include "anemone/engine/plan_report.h"
#include "anemone/engine/region.h"
#include "anemone/engine/state.h"
#include "anemone/engine/transfer.h"
#include "anemone/engine/view.h"

namespace anemone::engine {

// A run of memory that views point into.
struct Memory {
  enum class Kind : std::uint8_t { kArena, kConstant, kInput, kState };

  Kind kind = Kind::kArena;
  DType stored = DType::kF32;
  std::int64_t count = 0;
  std::size_t index = 0;            // of the function's input, or of the state's slot
  const std::byte* data = nullptr;  // of a constant
  // The steps that first write and last read it (-1: none yet). Of the arena, and of inputs, which
  // are converted to there: its place.
  int first = -1;
  int last = -1;
  std::size_t offset = 0;
  // A result that may be written over an operand, which ends with the step that writes it: then it
  // lies `over_bytes` into that memory. -1 once the arena is laid out, if it came to lie elsewhere.
  int over = -1;
  std::size_t over_bytes = 0;

  std::size_t size_bytes() const {
    return static_cast<std::size_t>(anemone::size_bytes(stored, static_cast<std::uint64_t>(count)));
  }
};

// An address that a run completes: bases[slot] + offset.
struct Operand {
  std::size_t slot = 0;
  std::uintptr_t offset = 0;
};

struct Step {
  std::unique_ptr<const Kernel> kernel;
  std::vector<View> views;        // what the operands are
  std::vector<Operand> operands;  // found once the arena is laid out
  std::size_t line = 0;           // of the plan's text
  std::vector<Overwrite> overwrites;
};

// One line of the plan's text: an op, or a copy that one asked for.
struct Line {
  std::string name;             // of the op's first output
  std::string type;             // of the op
  std::string how;              // "softmax", "eval", "view of x", "constant", "copy"
  std::string where;            // the output's view
  std::size_t bytes = 0;        // that it writes, and that it needs for itself
  std::string fused_with = {};  // the op at whose place this one runs
  std::string over = {};        // what the output is written over
  int memory = -1;              // what the output lies in, if that is new
};

struct InputPlan {
  std::string name;
  mil::Type type;
  DType stored = DType::kF32;
  std::int64_t count = 0;
  bool rounds = false;  // floats must become what binary16 holds
  int memory = -1;      // where a run converts it to
};

struct OutputPlan {
  std::string name;
  mil::Type type;
  View view;
  Operand operand;
  Transfer as_stored;  // to row-major elements of the view's storage
  Transfer as_f32;     // floats only
  Transfer as_f16;
};

// What compile() makes of a function: steps in order over memories that have their places. Runs
// borrow working memory from a pool that grows to as many as run at once.
class Plan {
 public:
  // Slots of the bases that operands count from.
  static constexpr std::size_t kArenaSlot = 0;
  static constexpr std::size_t kAbsoluteSlot = 1;  // constants: the base is 0
  static constexpr std::size_t kFirstInputSlot = 2;

  // Adds to `step_seconds`, which holds a number for each step, if there is one.
  void run(std::span<const Feed> feeds, std::byte* states, std::span<const Fetch> fetches,
           std::vector<double>* step_seconds = nullptr) const;
  std::string profile_text(const std::vector<double>& step_seconds) const;
  PlanReport report() const;

  std::shared_ptr<const mil::Program> program;
  const mil::Function* function = nullptr;
  std::shared_ptr<const StateLayout> states;
  std::shared_ptr<ThreadPool> pool;
  const StopFlag* stop = nullptr;
  bool uses_states = false;
  std::string target;

  std::vector<std::shared_ptr<const Tensor>> constants;  // what constant memories point into
  std::vector<Memory> memories;
  std::vector<Step> steps;
  std::vector<Line> lines;
  std::vector<InputPlan> inputs;
  std::vector<OutputPlan> outputs;
  std::size_t arena_bytes = 0;
  std::size_t live_bytes = 0;  // the largest live set
  std::size_t most_operands = 0;

 private:
  Region borrow() const;
  void give_back(Region region) const;
  std::vector<std::uintptr_t> place(std::span<const Feed> feeds, std::byte* states,
                                    std::byte* arena) const;
  void fetch(std::span<const Fetch> fetches, const std::vector<std::uintptr_t>& bases) const;

  mutable std::mutex idle_mutex_;
  mutable std::vector<Region> idle_;
};

// Finds a place in one arena for every memory of kind kArena and kInput that some step uses, so
// that no two that live at the same time overlap, but for results that lie exactly where an operand
// did. Gives the arena's size.
std::size_t lay_out_arena(std::vector<Memory>& memories);
// The most bytes of those memories that live at the same time, in whole cache lines: no arena can
// be smaller. In the step that writes it, a result that may lie over an operand counts for nothing.
std::size_t largest_live_set(const std::vector<Memory>& memories);

}  // namespace anemone::engine
