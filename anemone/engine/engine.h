#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/base/thread_pool.h"
#include "anemone/engine/plan_report.h"
#include "anemone/engine/strictness.h"
#include "anemone/mil/program.h"

namespace anemone::engine {

// What holds the values of a value typed fp16.
enum class Arithmetic : std::uint8_t {
  kFloat16,  // every op's result is rounded to the type the program declares; sums are in fp32
  kFloat32,  // activations, states and boundaries stay fp32; only stored weights are fp16
};

// What a stranger's program may take. Beyond it a call ends with Error(kLimit) that names the op.
struct Limits {
  // Working memory of one call: a plan's arena, or all values that an interpreted function holds at
  // one time. 0 stands for the memory that this process may have (memory_of_machine()).
  std::uint64_t memory_bytes = 0;
  // Iterations of all while loops of one call together.
  std::int64_t loop_iterations = 1'000'000;
};

struct Options {
  Arithmetic arithmetic = Arithmetic::kFloat16;
  std::shared_ptr<ThreadPool> pool = nullptr;  // null: the calling thread alone
  // False runs every op by itself: for tests and for finding faults. The results have the same bits
  // (docs/engine.md).
  bool fuse = true;
  // False gives every result memory of its own, likewise.
  bool in_place = true;
  Strictness strictness = {};  // anything in it goes with kFloat16 alone, and fuses nothing
  Limits limits = {};
  // Looked at between ops; once it is set, calls end with Error(kInterrupted). May be null; must
  // outlive what is compiled.
  const StopFlag* stop = nullptr;
};

// An input: `count` elements of `dtype` at `data`, converted to the type that the program declares.
// Must stay as it is until run() returns.
struct Feed {
  std::string_view name;
  DType dtype = DType::kF32;  // kF32, kF16, kI32, kBool or the declared type
  const void* data = nullptr;
  std::int64_t count = 0;
  // For Predictors: needed where only a call fixes an extent; must outlive the call. An
  // Executable's shapes are all fixed.
  std::span<const std::int64_t> shape = {};
};

// An output: where to put it, and as what.
struct Fetch {
  std::string_view name;
  DType dtype = DType::kF32;  // kF32, kF16, kI32, kBool or the declared type
  void* data = nullptr;
  std::int64_t count = 0;
};

class Plan;
class StateLayout;
class Executable;

// The contents of every state of a program, zero at first: one per stream of tokens. Works with
// every Executable of a program with the same states and the same arithmetic, so that `decode`
// continues what `prefill` began. Calls on one State take turns.
class State {
 public:
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::vector<std::string> names() const;
  // All states back to zero.
  void reset();
  // Row-major. Throws Error(kNotFound) if there is no such state.
  std::vector<float> read(std::string_view name) const;
  // Rounds to the storage type. Throws Error(kBadInput) unless `values` has the state's count.
  void write(std::string_view name, std::span<const float> values);
  // The same for states of any dtype, in the dtype that they are stored in (states typed fp16 are
  // fp32 in kFloat32). write_tensor() throws Error(kBadInput) for another shape.
  Tensor read_tensor(std::string_view name) const;
  void write_tensor(std::string_view name, const Tensor& value);
  // Bytes that all states take together.
  std::size_t size_bytes() const;

 private:
  friend class Executable;
  friend class Callable;
  explicit State(std::shared_ptr<const StateLayout> layout);
  struct Contents;
  std::unique_ptr<Contents> contents_;
};

// One function of a program, with a plan made once. Immutable: several threads may run it at the
// same time, each with a State of its own. Keeps the program (and so its weights) alive.
class Executable {
 public:
  // The program must be sound (mil/verify.h).
  // Throws Error(kNotFound) if the program has no such function and Error(kUnsupported) naming the
  // op that cannot be run (control flow, lists, shapes that only a call fixes).
  static std::shared_ptr<const Executable> compile(std::shared_ptr<const mil::Program> program,
                                                   std::string_view function,
                                                   const Options& options = {});
  ~Executable();

  // All states of the whole program, at zero. Never null, even if the program has none.
  std::unique_ptr<State> make_state() const;

  // Computes the function once. `state` may be null only if the function has no states. Results do
  // not depend on the number of threads. Throws Error(kBadInput) naming the input that is missing,
  // unknown, given twice or of the wrong count, the output that is unknown, or the op whose
  // run-time index is out of bounds (then states may be half written).
  void run(std::span<const Feed> feeds, State* state, std::span<const Fetch> fetches) const;

  // Runs `runs` times as run() does and says where the time went: a line for each kind of step, the
  // most expensive first, with its share, mean seconds a run and number of steps.
  std::string profile(std::span<const Feed> feeds, State* state, std::span<const Fetch> fetches,
                      int runs) const;

  const mil::Function& function() const;
  // One line an op: what runs it (a kernel, `eval`, nothing), what it views or is fused with,
  // bytes; then what the plan takes as a whole.
  PlanReport plan_report() const;
  std::string plan_text() const { return plan_report().text(); }
  // Working memory of one run, apart from states and weights.
  std::size_t arena_bytes() const;

 private:
  friend class Callable;
  // With states as `layout` has them; null for those of `program`.
  static std::shared_ptr<const Executable> compile(std::shared_ptr<const mil::Program> program,
                                                   std::string_view function,
                                                   const Options& options,
                                                   std::shared_ptr<const StateLayout> layout);
  explicit Executable(std::unique_ptr<const Plan> plan);
  std::byte* checked_memory(State* state) const;
  std::unique_ptr<const Plan> plan_;
};

}  // namespace anemone::engine
