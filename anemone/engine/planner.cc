#include "anemone/engine/planner.h"

#include <algorithm>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/engine/fold.h"
#include "anemone/engine/strict.h"
#include "anemone/engine/target.h"

namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

// A result larger than this is computed in every call rather than kept.
constexpr std::int64_t kMaxFoldedElements = 1 << 24;
// An fp16 input of at least this many elements is read as the caller passed it, not widened first.
constexpr std::int64_t kLargeInput = 1 << 18;

bool is_state_op(const Op& op) {
  return op.def->effect == mil::Effect::kReadsState || op.def->effect == mil::Effect::kWritesState;
}

// What constants may hold; the rest stops before it reaches a kernel.
bool is_stored(DType dtype) {
  switch (dtype) {
    case DType::kF16:
    case DType::kF32:
    case DType::kBool:
    case DType::kI8:
    case DType::kU8:
    case DType::kI16:
    case DType::kU16:
    case DType::kI32:
      return true;
    default:
      return false;
  }
}

bool is_constexpr(const Op& op) { return op.type().starts_with("constexpr_"); }

}  // namespace

Planner::Planner(std::shared_ptr<const mil::Program> program, const mil::Function& function,
                 const Options& options, std::shared_ptr<const StateLayout> layout)
    : program_(std::move(program)),
      function_(function),
      options_(options),
      plan_(std::make_unique<Plan>()) {
  plan_->program = program_;
  plan_->function = &function_;
  plan_->states = layout != nullptr ? std::move(layout)
                                    : std::make_shared<const StateLayout>(*program_, function_,
                                                                          options.arithmetic);
  plan_->pool = options.pool;
  plan_->stop = options.stop;
  plan_->target = target_name();
}

std::unique_ptr<Plan> Planner::make() {
  declare_inputs();
  fold_constants();
  find_needed();
  order_steps();
  state_use_ = analyse_states(function_, groups_, viewed);
  for (const Group& group : groups_) lower(group);
  finish();
  return std::move(plan_);
}

bool Planner::rounds(const mil::Type& type) const {
  return type.dtype == DType::kF16 && !is_float32();
}

std::string Planner::where(const Op& op) const {
  return "function '" + function_.name + "': op '" + op.name + "' (" + std::string(op.type()) + ")";
}

void Planner::declare_inputs() {
  for (const auto& input : function_.inputs) {
    const std::string place = "function '" + function_.name + "': input '" + input->name + "'";
    Memory memory;
    memory.stored = stored_as(input->type, place);
    memory.count = element_count(input->type.shape);
    if (input->type.is_state()) {
      plan_->uses_states = true;
      memory.kind = Memory::Kind::kState;
      memory.index = *plan_->states->find(input->name);
      memory.stored = plan_->states->slots()[memory.index].stored;
      state_memories_[input.get()] = add_memory(memory);
      continue;
    }
    if (rounds(input->type) && memory.count >= kLargeInput) memory.stored = DType::kF16;
    memory.kind = Memory::Kind::kInput;
    memory.index = plan_->inputs.size();
    plan_->inputs.push_back({.name = input->name,
                             .type = input->type,
                             .stored = memory.stored,
                             .count = memory.count,
                             .rounds = rounds(input->type)});
    const DType stored = memory.stored;
    plan_->inputs.back().memory = add_memory(memory);
    views_[input.get()] = dense_view(plan_->inputs.back().memory, stored, input->type.shape);
  }
}

std::shared_ptr<const Tensor> Planner::shared_constant(const Value& value) const {
  const auto found = folded_.find(&value);
  return found != folded_.end() ? found->second : value.constant;
}

mil::Call Planner::call_of(const Op& op) const {
  mil::Call call(*op.def, function_.opset, op.name);
  for (const mil::Input& input : op.inputs) {
    std::vector<mil::Argument> arguments;
    for (const Value* value : input.values) {
      arguments.push_back({.type = value->type, .value = constant(*value)});
    }
    call.bind(input.name, std::move(arguments));
  }
  return call;
}

// Ops whose inputs are all known and that are worth keeping the result of.
void Planner::fold_constants() {
  const Known known = [this](const Value& value) { return constant(value); };
  if (options_.strictness.has(Hazard::kSubnormals)) flush_constants();
  for (const auto& op : function_.body.ops) {
    if (!is_foldable(*op) || constant(*op->output()) != nullptr) continue;
    bool is_known = true;
    for (const mil::Input& input : op->inputs) {
      for (const Value* value : input.values) is_known &= constant(*value) != nullptr;
    }
    for (const auto& output : op->outputs) {
      is_known &= output->type.is_tensor() && output->type.is_static() &&
                  (is_constexpr(*op) || element_count(output->type.shape) <= kMaxFoldedElements);
    }
    if (!is_known) continue;
    std::vector<Tensor> results = fold(*op, function_.opset, is_float32(), known);
    for (std::size_t i = 0; i < results.size(); ++i) {
      folded_[op->outputs[i].get()] = std::make_shared<const Tensor>(std::move(results[i]));
    }
  }
}

// Constants as a machine without subnormal numbers reads them.
void Planner::flush_constants() {
  const auto flush = [&](const Value& value) {
    if (value.constant == nullptr || value.constant->dtype() != DType::kF16) return;
    if (auto flushed = without_subnormals(*value.constant)) folded_[&value] = std::move(flushed);
  };
  for (const auto& op : function_.body.ops) {
    for (const mil::Input& input : op->inputs) {
      for (const Value* value : input.values) flush(*value);
    }
  }
}

// From the outputs and the effects backwards; everything else is left out.
void Planner::find_needed() {
  std::vector<const Op*> todo;
  const auto need = [&](const Value* value) {
    if (value->producer == nullptr || constant(*value) != nullptr) return;
    if (needed_.insert(value->producer).second) todo.push_back(value->producer);
  };
  for (const Value* output : function_.body.outputs) need(output);
  for (const auto& op : function_.body.ops) {
    if (op->def->effect == mil::Effect::kWritesState && needed_.insert(op.get()).second) {
      todo.push_back(op.get());
    }
  }
  while (!todo.empty()) {
    const Op* op = todo.back();
    todo.pop_back();
    for (const mil::Input& input : op->inputs) {
      for (const Value* value : input.values) need(value);
    }
  }
}

void Planner::order_steps() {
  std::vector<const Op*> ops;
  for (const auto& op : function_.body.ops) {
    if (needed_.count(op.get()) > 0) ops.push_back(op.get());
  }
  groups_ = group_ops(function_, ops, options_.fuse && !options_.strictness.any(),
                      [this](const Value& value) { return constant(value); });
}

void Planner::lower(const Group& group) {
  const bool is_fused = group.attention         ? lower_attention(group)
                        : group.is_repetition   ? lower_repetition(group)
                        : group.core != nullptr ? lower_core(group)
                        : !group.rows.empty()   ? lower_rows(group)
                                                : false;
  if (!is_fused) {
    for (const Op* op : group.ops) lower(*op);
  }
  for (const auto& output : group.ops.back()->outputs) place_in_state(*output);
}

// Puts a value where a later write_state would have put it, if it may go there now.
void Planner::place_in_state(const Value& value) {
  const auto found = state_use_.placed.find(&value);
  if (found == state_use_.placed.end()) return;
  const auto& [state, begin, end] = found->second;
  View to = state_view(*state);
  if (!to.shape.empty()) to = sliced(to, 0, begin, end - begin);
  View from = view(value);
  if (!Transfer::can(from.stored, to.stored)) from = dense(value);
  plan_->lines.push_back(
      {.name = value.name, .type = "", .how = "copy to state", .where = to_string(to), .bytes = 0});
  add_step(make_copy(from, to), {from, to}, plan_->lines.size() - 1);
  if (state_use_.aliases.count(&value) > 0) views_[&value] = to;
}

// Several ops as one step, unless the kernel declines.
bool Planner::lower_attention(const Group& group) {
  const Op& last = *group.ops.back();
  const mil::Call call = call_of(last);
  Lowering lowering(*this, last, call);
  const AttentionMatch& match = *group.attention;
  const float scale =
      match.scale == nullptr ? 1.0f : static_cast<float>(constant(*match.scale)->number(0));
  const bool is_rounded = rounds(last.output()->type);
  const std::size_t memories_before = plan_->memories.size();
  auto kernel =
      plan_attention(lowering, match, scale, {.between = is_rounded, .at_end = is_rounded});
  if (kernel == nullptr) return false;
  add_fused_lines(group);
  add_kernel(last, std::move(kernel), "attention", lowering, memories_before);
  return true;
}

void Planner::lower(const Op& op) {
  if (!op.blocks.empty()) {
    throw Error(Code::kUnsupported, where(op) + ": the engine does not run control flow");
  }
  if (is_state_op(op)) return lower_state_op(op);
  if (state_use_.in_place.count(&op) > 0 && op.type() == "concat") {
    add_line(op, "in place");
    return;
  }
  for (const auto& output : op.outputs) {
    stored_as(output->type, where(op) + ": output '" + output->name + "'");
  }
  if (lower_view(op)) return;
  lower_by_kernel(op);
}

View Planner::state_view(const Value& state) const {
  const int memory = state_memories_.at(&state);
  return dense_view(memory, plan_->memories[static_cast<std::size_t>(memory)].stored,
                    state.type.shape);
}

void Planner::lower_state_op(const Op& op) {
  const View state = state_view(*op.find_input("input"));
  if (op.def->effect == mil::Effect::kReadsState) {
    const Value& output = *op.output();
    const bool is_alias = state_use_.aliases.count(&output) > 0;
    const std::size_t at = add_line(op, is_alias ? "view of state" : "copy of state");
    views_[&output] = is_alias ? state : copied(state, state.stored, output.name);
    line(at).where = to_string(views_[&output]);
    return;
  }
  const Value& data = *op.find_input("data");
  if (state_use_.in_place.count(&op) > 0) {
    add_line(op, "in place");
    return;
  }
  View from = view(data);
  if (!Transfer::can(from.stored, state.stored)) from = dense(data);
  const std::size_t at = add_line(op, "copy to state");
  add_step(make_copy(from, state), {from, state}, at);
}

bool Planner::lower_view(const Op& op) {
  const Value* from = viewed(op);
  if (from == nullptr) return false;
  const mil::Call call = call_of(op);
  if (is_hazardous_move(op, call, options_.strictness)) return false;
  std::vector<View> views = views_of(*this, op, call);
  if (views.empty()) return false;
  const std::size_t at = add_line(op, "view of " + from->name);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Value& output = *op.outputs[i];
    const auto memory = static_cast<std::size_t>(views[i].memory);
    const bool must_copy = plan_->memories[memory].kind == Memory::Kind::kState &&
                           state_use_.aliases.count(&output) == 0;
    views_[&output] = must_copy ? copied(views[i], views[i].stored, output.name) : views[i];
    line(at).where += (i > 0 ? ", " : "") + to_string(views_[&output]);
  }
  return true;
}

// The first kernel that takes the op, or null; says which.
std::unique_ptr<Kernel> Planner::choose_kernel(Lowering& lowering, std::string& how) {
  for (const KernelDef* def : kernels_for(lowering.op().type())) {
    auto kernel = def->plan(lowering);
    if (kernel != nullptr) {
      how = def->name;
      return kernel;
    }
    ANEMONE_CHECK(lowering.operands().empty()) << def->name;
  }
  return nullptr;
}

void Planner::lower_by_kernel(const Op& op) {
  const mil::Call call = call_of(op);
  Lowering lowering(*this, op, call);
  const auto in_place = state_use_.in_place.find(&op);
  const bool is_in_place = in_place != state_use_.in_place.end();
  if (is_in_place) lowering.set_in_place(state_view(*in_place->second));
  const std::size_t memories_before = plan_->memories.size();
  std::unique_ptr<const Kernel> kernel;
  std::string how;
  if (options_.strictness.any() && !is_in_place) {
    kernel = plan_strict(lowering, options_.strictness);
    if (kernel != nullptr) how = "strict";
  }
  if (kernel == nullptr) kernel = choose_kernel(lowering, how);
  std::vector<View> operands(lowering.operands().begin(), lowering.operands().end());
  std::vector<Overwrite> overwrites(lowering.overwrites().begin(), lowering.overwrites().end());
  if (kernel == nullptr) {
    ANEMONE_CHECK(!is_in_place) << op.type();
    kernel = make_eval(*this, op, call, operands, overwrites);
    how = "eval";
    if (kernel == nullptr) {
      throw Error(Code::kUnsupported, where(op) + ": the engine cannot run this op");
    }
  }
  if (is_in_place) {
    // What it gives is the state as it is from now on.
    const Value& output = *op.output();
    views_[&output] = *lowering.in_place();
    add_kernel(op, std::move(kernel), std::move(how), {operands, overwrites}, memories_before);
    if (state_use_.aliases.count(&output) == 0) {
      views_[&output] = copied(*lowering.in_place(), lowering.in_place()->stored, output.name);
    }
    return;
  }
  add_kernel(op, std::move(kernel), std::move(how), {operands, overwrites}, memories_before);
  if (options_.strictness.hazards != 0) add_hazards(op);
}

// What the hazards do to what was just computed.
void Planner::add_hazards(const Op& op) {
  for (const auto& output : op.outputs) {
    if (!rounds(output->type)) continue;
    const View& at = view(*output);
    auto kernel = make_hazards(op, at, options_.strictness);
    if (kernel == nullptr || at.stored != DType::kF32 || !at.is_dense()) continue;
    add_step(std::move(kernel), {at}, plan_->lines.size() - 1);
  }
}

// A step for `op` with its line. The arena memories from `memories_before` on are its own.
void Planner::add_kernel(const Op& op, std::unique_ptr<const Kernel> kernel, std::string how,
                         const Operands& operands, std::size_t memories_before) {
  if (!kernel->note().empty()) how += " " + kernel->note();
  const std::size_t at = add_line(op, std::move(how));
  for (std::size_t i = memories_before; i < plan_->memories.size(); ++i) {
    // Copies that it asked for have lines of their own.
    if (plan_->memories[i].kind == Memory::Kind::kArena &&
        copies_.count(static_cast<int>(i)) == 0) {
      line(at).bytes += plan_->memories[i].size_bytes();
    }
  }
  for (std::size_t i = 0; i < op.outputs.size(); ++i) {
    const View& output = views_.at(op.outputs[i].get());
    line(at).where += (i > 0 ? ", " : "") + to_string(output);
    const auto memory = static_cast<std::size_t>(output.memory);
    if (i == 0 && memory >= memories_before &&
        plan_->memories[memory].kind == Memory::Kind::kArena) {
      line(at).memory = output.memory;
    }
  }
  add_step(std::move(kernel), {operands.views.begin(), operands.views.end()}, at,
           operands.overwrites);
}

void Planner::add_kernel(const Op& op, std::unique_ptr<const Kernel> kernel, std::string how,
                         const Lowering& lowering, std::size_t memories_before) {
  add_kernel(op, std::move(kernel), std::move(how), {lowering.operands(), lowering.overwrites()},
             memories_before);
}

const View& Planner::view(const Value& value) {
  const auto found = views_.find(&value);
  if (found != views_.end()) return found->second;
  const auto unjoined = unjoined_.find(&value);
  if (unjoined != unjoined_.end()) {
    const View& from = unjoined->second;
    return views_[&value] = *reshaped(
               copied(from, is_float(from.stored) ? DType::kF32 : from.stored, value.name),
               value.type.shape);
  }
  ANEMONE_CHECK(constant(value) != nullptr) << "'" << value.name << "' lies nowhere";
  return views_[&value] = constant_view(value);
}

View Planner::batches(const Value& value) {
  const auto unjoined = unjoined_.find(&value);
  return unjoined != unjoined_.end() && views_.count(&value) == 0 ? unjoined->second : view(value);
}

void Planner::set_view(const Value& value, View view) { views_[&value] = std::move(view); }

View Planner::constant_view(const Value& value) {
  const auto tensor = std::make_shared<const Tensor>(constant(value)->resident());
  if (!is_stored(tensor->dtype())) {
    throw Error(Code::kUnsupported, "function '" + function_.name + "': constant '" + value.name +
                                        "' is " + mil::to_string(value.type) +
                                        "; the engine cannot compute with it");
  }
  Memory memory;
  memory.kind = Memory::Kind::kConstant;
  memory.stored = tensor->dtype();
  memory.count = tensor->count();
  memory.data = tensor->data().data();
  plan_->constants.push_back(tensor);
  return dense_view(add_memory(memory), tensor->dtype(), tensor->shape());
}

View Planner::dense(const Value& value) {
  const View at = view(value);
  const DType wanted = at.stored == DType::kF16 ? DType::kF32 : at.stored;
  if (at.stored == wanted && at.is_dense()) return at;
  return views_[&value] = copied(at, wanted, value.name);
}

View Planner::runs(const Value& value) {
  const View at = view(value);
  if (at.stored != DType::kF16) {
    for (std::size_t i = at.shape.size(); i-- > 0;) {
      if (at.shape[i] == 1) continue;
      if (at.strides[i] == 1 || at.strides[i] == 0) return at;
      break;
    }
  }
  return dense(value);
}

View Planner::allocate(DType stored, const Shape& shape) {
  Memory memory;
  memory.stored = stored;
  memory.count = element_count(shape);
  return dense_view(add_memory(memory), stored, shape);
}

View Planner::copied(const View& from, DType stored, const std::string& name) {
  const Memory& source = plan_->memories[static_cast<std::size_t>(from.memory)];
  if (source.kind == Memory::Kind::kConstant) {
    // Copied once and for all.
    Memory memory;
    memory.kind = Memory::Kind::kConstant;
    memory.stored = stored;
    memory.count = from.count();
    std::vector<std::byte> bytes(memory.size_bytes());
    Transfer(from, dense_view(-1, stored, from.shape))
        .run(source.data + from.offset_bytes(), bytes.data());
    auto tensor = std::make_shared<const Tensor>(stored, from.shape, own_bytes(std::move(bytes)));
    memory.data = tensor->data().data();
    plan_->constants.push_back(std::move(tensor));
    return dense_view(add_memory(memory), stored, from.shape);
  }
  const View to = allocate(stored, from.shape);
  const std::size_t at = plan_->lines.size();
  plan_->lines.push_back(
      {.name = name,
       .type = "",
       .how = "copy from " + std::string(anemone::name(from.stored)) + " " + to_string(from),
       .where = to_string(to),
       .bytes = plan_->memories.back().size_bytes(),
       .fused_with = {},
       .memory = to.memory});
  copies_.insert(to.memory);
  add_step(make_copy(from, to), {from, to}, at);
  return to;
}

int Planner::add_memory(Memory memory) {
  plan_->memories.push_back(memory);
  return static_cast<int>(plan_->memories.size()) - 1;
}

std::size_t Planner::add_line(const Op& op, std::string how) {
  plan_->lines.push_back(
      {.name = op.name, .type = std::string(op.type()), .how = std::move(how), .where = ""});
  return plan_->lines.size() - 1;
}

void Planner::touch(const View& view, int step) {
  Memory& memory = plan_->memories[static_cast<std::size_t>(view.memory)];
  if (memory.first < 0) memory.first = step;
  memory.last = std::max(memory.last, step);
}

void Planner::add_step(std::unique_ptr<const Kernel> kernel, std::vector<View> operands,
                       std::size_t at, std::span<const Overwrite> overwrites) {
  const int number = static_cast<int>(plan_->steps.size());
  for (const View& operand : operands) touch(operand, number);
  plan_->most_operands = std::max(plan_->most_operands, operands.size());
  plan_->steps.push_back({.kernel = std::move(kernel),
                          .views = std::move(operands),
                          .operands = {},
                          .line = at,
                          .overwrites = {overwrites.begin(), overwrites.end()}});
}

}  // namespace anemone::engine
