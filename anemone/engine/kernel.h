#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/thread_pool.h"
#include "anemone/engine/view.h"
#include "anemone/mil/op.h"

// What a kernel is to the planner and to a run.
namespace anemone::engine {

// One call of a kernel: its operands where they lie this time, and who may help.
class Run {
 public:
  Run(std::span<std::byte* const> operands, ThreadPool* pool) : operands_(operands), pool_(pool) {}

  template <typename T>
  const T* in(int operand) const {
    return reinterpret_cast<const T*>(operands_[static_cast<std::size_t>(operand)]);
  }
  template <typename T>
  T* out(int operand) const {
    return reinterpret_cast<T*>(operands_[static_cast<std::size_t>(operand)]);
  }

  // Calls work(begin, end) on pieces of [0, count) of `grain` or so, here and on the pool's other
  // threads. Every index must give the same bits whichever piece it is in.
  template <typename Work>
  void share(std::int64_t count, std::int64_t grain, const Work& work) const {
    share_by_thread(count, grain,
                    [&work](std::int64_t begin, std::int64_t end, int) { work(begin, end); });
  }
  // The same with the number of the thread, from 0, for work that needs room of its own.
  template <typename Work>
  void share_by_thread(std::int64_t count, std::int64_t grain, const Work& work) const {
    if (pool_ == nullptr || count <= grain) {
      if (count > 0) work(std::int64_t{0}, count, 0);
      return;
    }
    pool_->parallel_for(count, grain, std::cref(work));
  }

 private:
  std::span<std::byte* const> operands_;
  ThreadPool* pool_;
};

// An output may lie in an operand's memory, once nobody needs what that holds. The planner decides
// (reuse.h); by saying so a kernel promises that the output's element at any place is written by
// who reads the operand's element at that place (both row-major), and not before it was read for
// the last time; or, if `at_once`, that nothing is written before all of the operand was read.
struct Overwrite {
  int output = -1;  // numbers of the step's operands
  int operand = -1;
  bool at_once = false;
};

// What a kernel may do to each element of its result before it is put down: what the op by itself
// would do, rounding included.
struct FinishStep {
  enum class Kind : std::uint8_t {
    kClamp,  // min(max(x, low), high)
    kSlope,  // x >= 0 ? x : x * slope, the slope a number or one for each channel
    kAdd,    // x + the element of the operand, row-major fp32 of the result's shape, at that place
  };
  Kind kind = Kind::kClamp;
  bool rounds = false;  // each result becomes what binary16 can hold
  bool by_channel = false;
  float low = 0, high = 0;
  int operand = -1;  // of the step
};

// One step of a plan. Immutable; several runs may be inside at once.
class Kernel {
 public:
  virtual ~Kernel() = default;
  // Throws Error only for what a call alone can show, such as an index out of bounds.
  virtual void run(const Run& run) const = 0;
  // Told of each run of elements of the (row-major) output as soon as it is there, each element
  // once, by the thread that made it.
  using Then = std::function<void(std::int64_t begin, std::int64_t count, int thread)>;
  // Runs as run() does and tells. False if this kernel cannot; then it has done nothing.
  virtual bool run_then(const Run&, const Then&) const { return false; }
  // Before any run: whether this kernel does these steps from now on to each element of its result,
  // whose axis 1 are channels. False: it stays what it was.
  virtual bool finish_with(std::span<const FinishStep>) { return false; }
  // What the plan's text says beside the kernel's name: a variant, a blocking. May be empty.
  virtual std::string note() const { return {}; }
};

class Planner;

// Zeros around an input of a step, which the kernel makes itself: that input is then `source` and
// not what the op is bound to.
struct Padding {
  const mil::Value* source = nullptr;
  Shape before, after;  // of each axis
};

// An op about to become a step: what its inputs are and where they lie, and the operands that the
// kernel asks for. Asking may add steps that copy.
class Lowering {
 public:
  Lowering(Planner& planner, const mil::Op& op, const mil::Call& call);

  const mil::Op& op() const { return op_; }
  const mil::Call& call() const { return call_; }

  bool has(std::string_view parameter) const;
  std::size_t count(std::string_view parameter) const;
  const mil::Value& value(std::string_view parameter, std::size_t i = 0) const;
  // Contents known before any call, or null.
  const Tensor* constant(std::string_view parameter, std::size_t i = 0) const;
  // Where an input lies now. Floats may be stored as kF16 (constants, states, large inputs);
  // whatever an op computes is stored as kF32.
  const View& view(std::string_view parameter, std::size_t i = 0) const;
  const View& view(const mil::Value& value) const;
  // The same for those who walk batches: axes in front of the last two may be more than the value
  // has, if the same elements are met again and again (fusions/repeat_kv.cc).
  View batches(const mil::Value& value) const;
  const mil::Type& output_type(std::size_t output = 0) const;
  // True if results must be rounded to binary16.
  bool rounds(std::size_t output = 0) const;
  bool is_float32() const;  // Arithmetic::kFloat32
  int threads() const;      // of the pool that runs will have

  // The state's memory if the op updates it in place (then write() is not for it), else null.
  const View* in_place() const { return in_place_ ? &*in_place_ : nullptr; }
  void set_in_place(View state) { in_place_ = std::move(state); }

  // The zeros around x that are not in any memory, or null. A kernel that cannot make them
  // declines.
  const Padding* padding() const { return padding_ ? &*padding_ : nullptr; }
  void set_padding(Padding padding) { padding_ = std::move(padding); }

  // Operands, numbered in the order in which they are asked for.
  int read(const View& view);
  // The input row-major, floats as kF32: as it lies, or copied first.
  int read_dense(std::string_view parameter, std::size_t i = 0);
  // The same as a view, without an operand yet.
  View dense(std::string_view parameter, std::size_t i = 0);
  View dense(const mil::Value& value);
  // The input with floats as kF32 under any strides whose innermost axis runs without gaps or
  // stands still, so that a loop over it is worth vectorizing.
  View runs(std::string_view parameter, std::size_t i = 0);
  // A row-major copy of a view, floats as kF32.
  View rearranged(const View& view);
  // New memory for an output: row-major, floats as kF32.
  int write(std::size_t output = 0);
  // The same; but it may come to lie where one of these operands does, as Overwrite says.
  int write_over(const std::vector<int>& operands, std::size_t output = 0);
  // Bytes that last as long as the step.
  int scratch(std::size_t bytes);

  std::span<const View> operands() const { return operands_; }
  std::span<const Overwrite> overwrites() const { return overwrites_; }

 private:
  const mil::Value* find(std::string_view parameter, std::size_t i) const;

  Planner& planner_;
  const mil::Op& op_;
  const mil::Call& call_;
  std::vector<View> operands_;
  std::vector<Overwrite> overwrites_;
  std::optional<View> in_place_;
  std::optional<Padding> padding_;
};

// A kernel of the catalogue. One file each in kernels/.
struct KernelDef {
  std::string_view name = {};
  std::span<const std::string_view> ops = {};  // of MIL, that it can run at least in part
  // Null if this call is not one that it takes; then nothing was asked of `lowering` that copies.
  std::unique_ptr<Kernel> (*plan)(Lowering& lowering) = nullptr;
};

// ANEMONE_DEFINE_KERNEL(softmax) = {.name = "softmax", ...}; once, at the end of the kernel's file.
#define ANEMONE_DEFINE_KERNEL(stem)     \
  extern const KernelDef kernel_##stem; \
  constinit const KernelDef kernel_##stem

std::span<const KernelDef* const> all_kernels();
// Those that take the op, in the catalogue's order.
std::span<const KernelDef* const> kernels_for(std::string_view op);

}  // namespace anemone::engine
