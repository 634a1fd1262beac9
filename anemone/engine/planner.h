#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anemone/engine/effects.h"
#include "anemone/engine/fuse.h"
#include "anemone/engine/kernel.h"
#include "anemone/engine/plan.h"

namespace anemone::engine {

// Turns one function into a Plan, op by op. Used once.
class Planner {
 public:
  // States lie as `layout` says; null makes one of the program's own.
  Planner(std::shared_ptr<const mil::Program> program, const mil::Function& function,
          const Options& options, std::shared_ptr<const StateLayout> layout);
  std::unique_ptr<Plan> make();

  // ---- for Lowering, views and fusions ----

  const mil::Function& function() const { return function_; }
  bool is_float32() const { return options_.arithmetic == Arithmetic::kFloat32; }
  int threads() const { return options_.pool == nullptr ? 1 : options_.pool->threads(); }
  // True if what is computed for a value of this type must be rounded to binary16.
  bool rounds(const mil::Type& type) const;
  // What is known of a value before any call, or null. The planner keeps it, or the program: what
  // outlives both keeps shared_constant().
  const Tensor* constant(const mil::Value& value) const { return shared_constant(value).get(); }
  std::shared_ptr<const Tensor> shared_constant(const mil::Value& value) const;
  // Where a value lies.
  const View& view(const mil::Value& value);
  void set_view(const mil::Value& value, View view);
  // Likewise, perhaps with more axes in front than the value has (Lowering::batches).
  View batches(const mil::Value& value);
  // Row-major with floats as kF32, copied first if need be; from then on the value lies there.
  View dense(const mil::Value& value);
  // Likewise, but content with rows: the innermost axis without gaps or standing still.
  View runs(const mil::Value& value);
  // A row-major copy of a view: of a constant now, of anything else by a step of its own that the
  // plan's text calls `name`.
  View copied(const View& from, DType stored, const std::string& name);
  // New arena memory.
  View allocate(DType stored, const Shape& shape);
  void add_step(std::unique_ptr<const Kernel> kernel, std::vector<View> operands, std::size_t line,
                std::span<const Overwrite> overwrites = {});
  std::size_t add_line(const mil::Op& op, std::string how);
  Line& line(std::size_t i) { return plan_->lines[i]; }
  mil::Call call_of(const mil::Op& op) const;
  // Throws Error(kLimit) if a call may not take as much as the op's definition does.
  void check_definition(const mil::Op& op) const;
  // "function 'decode': op 'x' (softmax)"
  std::string where(const mil::Op& op) const;

 private:
  void declare_inputs();
  void fold_constants();
  void flush_constants();
  void add_hazards(const mil::Op& op);
  void find_needed();
  void order_steps();
  void lower(const Group& group);
  bool lower_attention(const Group& group);
  bool lower_rows(const Group& group);
  bool lower_core(const Group& group);
  bool lower_repetition(const Group& group);
  void add_fused_lines(const Group& group);
  std::unique_ptr<Kernel> choose_kernel(Lowering& lowering, std::string& how);
  void lower(const mil::Op& op);
  void lower_state_op(const mil::Op& op);
  void place_in_state(const mil::Value& value);
  bool lower_view(const mil::Op& op);
  void lower_by_kernel(const mil::Op& op);
  // What a step is made of beside its kernel.
  struct Operands {
    std::span<const View> views;
    std::span<const Overwrite> overwrites;
  };
  void add_kernel(const mil::Op& op, std::unique_ptr<const Kernel> kernel, std::string how,
                  const Operands& operands, std::size_t memories_before);
  void add_kernel(const mil::Op& op, std::unique_ptr<const Kernel> kernel, std::string how,
                  const Lowering& lowering, std::size_t memories_before);
  void lay_out();
  void require_memory(std::uint64_t bytes, const std::string& of) const;
  void check_memory() const;
  void finish();
  int add_memory(Memory memory);
  View state_view(const mil::Value& state) const;
  View constant_view(const mil::Value& value);
  Operand operand_of(const View& view) const;
  void touch(const View& view, int step);

  std::shared_ptr<const mil::Program> program_;
  const mil::Function& function_;
  const Options& options_;
  std::unique_ptr<Plan> plan_;
  std::unordered_map<const mil::Value*, std::shared_ptr<const Tensor>> folded_;
  std::unordered_set<const mil::Op*> needed_;
  std::vector<Group> groups_;  // in running order
  StateUse state_use_;
  std::unordered_map<const mil::Value*, View> views_;
  std::unordered_set<int> copies_;  // memories of copies, which have lines of their own
  // What reshapes would join but strides cannot say: copied when somebody asks for the view.
  std::unordered_map<const mil::Value*, View> unjoined_;
  std::unordered_map<const mil::Value*, int> state_memories_;
};

// What the outputs of `op` may be views of; null if it is no op that views.
const mil::Value* viewed(const mil::Op& op);
// The outputs of `op` as views of where its input lies; empty if they must be computed.
std::vector<View> views_of(Planner& planner, const mil::Op& op, const mil::Call& call);

// What slice_by_index or slice_by_size gives of an x that lies so; absent where only a call shows
// it.
std::optional<View> part_of(const mil::Op& op, const mil::Call& call, const View& x);

// Copies a view to another of the same shape.
std::unique_ptr<const Kernel> make_copy(const View& from, const View& to);
// Runs an op by its catalogue's `eval`; null if it has none.
std::unique_ptr<const Kernel> make_eval(Planner& planner, const mil::Op& op, const mil::Call& call,
                                        std::vector<View>& operands,
                                        std::vector<Overwrite>& overwrites);

}  // namespace anemone::engine
