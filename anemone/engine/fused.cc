#include "anemone/base/check.h"
#include "anemone/engine/finish.h"
#include "anemone/engine/planner.h"
#include "anemone/engine/row_program.h"

// How groups of ops become steps.
namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

// Ops over rows, after a kernel whose result they change where it lies, or by themselves.
class FusedRows : public Kernel {
 public:
  // The program's operands begin at `first`.
  FusedRows(std::unique_ptr<const Kernel> core, RowProgram program, int first)
      : core_(std::move(core)), program_(std::move(program)), first_(first) {}

  void run(const Run& run) const override {
    if (core_ != nullptr) {
      // While a piece of the result is in the cache, if the core can say so.
      const auto work = [&](std::int64_t begin, std::int64_t count, int thread) {
        program_.run_part(run, first_, begin, count, thread);
      };
      if (program_.can_run_part() && core_->run_then(run, std::cref(work))) return;
      core_->run(run);
    }
    program_.run(run, first_);
  }

 private:
  std::unique_ptr<const Kernel> core_;
  RowProgram program_;
  int first_;
};

// The zeros that a `pad` would put around x.
Padding padding_of(const Op& pad, const Tensor& amounts) {
  const std::size_t rank = pad.output()->type.shape.size();
  Padding padding{.source = pad.find_input("x"), .before = Shape(rank, 0), .after = Shape(rank, 0)};
  const std::vector<std::int64_t> given = amounts.to_ints();
  const std::size_t skipped = rank - given.size() / 2;
  for (std::size_t i = 0; i < given.size() / 2; ++i) {
    padding.before[skipped + i] = given[2 * i];
    padding.after[skipped + i] = given[2 * i + 1];
  }
  return padding;
}

}  // namespace

void Planner::add_fused_lines(const Group& group) {
  const Op& last = *group.ops.back();
  for (const Op* op : group.ops) {
    if (op != &last) line(add_line(*op, "fused")).fused_with = last.name;
  }
}

// Ops over rows as one step.
bool Planner::lower_rows(const Group& group) {
  const Op& last = *group.ops.back();
  const mil::Call call = call_of(last);
  Lowering lowering(*this, last, call);
  const std::size_t memories_before = plan_->memories.size();
  auto program = plan_rows(lowering, *this, group.rows, nullptr);
  if (!program) return false;
  add_fused_lines(group);
  std::string how = std::string(group.fusion) + " of " + std::to_string(group.ops.size()) + " ops";
  add_kernel(last, std::make_unique<FusedRows>(nullptr, std::move(*program), 0), std::move(how),
             lowering, memories_before);
  return true;
}

// An op with a kernel, the zeros around its input and what is done to its result.
bool Planner::lower_core(const Group& group) {
  const Op& core = *group.core;
  const Op& last = *group.ops.back();
  const mil::Call call = call_of(core);
  Lowering lowering(*this, core, call);
  if (group.padding != nullptr) {
    lowering.set_padding(padding_of(*group.padding, *constant(*group.padding->find_input("pad"))));
  }
  const std::size_t memories_before = plan_->memories.size();
  std::string how;
  std::unique_ptr<Kernel> kernel = choose_kernel(lowering, how);
  if (kernel == nullptr) return false;
  if (group.padding != nullptr) how += " padded";
  const std::string whole =
      std::string(group.fusion) + " of " + std::to_string(group.ops.size()) + " ops, ";
  if (!group.rows.empty() && plan_finish(lowering, *this, *kernel, group.rows, *core.output())) {
    add_fused_lines(group);
    add_kernel(last, std::move(kernel), whole + how, lowering, memories_before);
    return true;
  }
  std::optional<RowProgram> program;
  const auto first = static_cast<int>(lowering.operands().size());
  if (!group.rows.empty()) program = plan_rows(lowering, *this, group.rows, core.output());
  if (!program) {
    // The core by itself, and then what follows.
    if (group.padding != nullptr) line(add_line(*group.padding, "fused")).fused_with = core.name;
    add_kernel(core, std::move(kernel), std::move(how), lowering, memories_before);
    for (const Op* op : group.rows) lower(*op);
    return true;
  }
  add_fused_lines(group);
  if (!kernel->note().empty()) how += " " + kernel->note();
  how = whole + how;
  add_kernel(last, std::make_unique<FusedRows>(std::move(kernel), std::move(*program), first),
             std::move(how), lowering, memories_before);
  return true;
}

// Each op a view as always, but the last: it waits for somebody who needs its elements in a row.
bool Planner::lower_repetition(const Group& group) {
  const Op& last = *group.ops.back();
  const Value& x = *last.find_input("x");
  for (const Op* op : group.ops) {
    if (op != &last) lower(*op);
  }
  const View from = view(x);
  const auto memory = static_cast<std::size_t>(from.memory);
  const bool must_copy = plan_->memories[memory].kind == Memory::Kind::kState &&
                         state_use_.aliases.count(last.output()) == 0;
  if (must_copy || reshaped(from, last.output()->type.shape)) {
    lower(last);
    return true;
  }
  unjoined_[last.output()] = from;
  line(add_line(last, "repetition of " + x.name)).where = to_string(from);
  return true;
}

}  // namespace anemone::engine
