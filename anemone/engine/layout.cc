#include "anemone/base/error.h"
#include "anemone/engine/limits.h"
#include "anemone/engine/planner.h"
#include "anemone/engine/reuse.h"

// The end of planning: where memories lie, whether a call may take so much, where operands are.
namespace anemone::engine {

using mil::Op;
using mil::Value;

Operand Planner::operand_of(const View& view) const {
  const Memory& memory = plan_->memories[static_cast<std::size_t>(view.memory)];
  const auto offset = static_cast<std::uintptr_t>(view.offset_bytes());
  switch (memory.kind) {
    case Memory::Kind::kArena:
      return {Plan::kArenaSlot, memory.offset + offset};
    case Memory::Kind::kConstant:
      return {Plan::kAbsoluteSlot, reinterpret_cast<std::uintptr_t>(memory.data) + offset};
    case Memory::Kind::kInput:
      return {Plan::kFirstInputSlot + memory.index, offset};
    case Memory::Kind::kState:
      return {Plan::kFirstInputSlot + plan_->inputs.size(),
              plan_->states->slots()[memory.index].offset + offset};
  }
  return {};
}

// Where everything lies, results over operands where that saves room, and what the plan's text says
// of it.
void Planner::lay_out() {
  std::vector<Reused> reused;
  if (options_.in_place) reused = reuse_operands(plan_->memories, plan_->steps);
  plan_->live_bytes = largest_live_set(plan_->memories);
  plan_->arena_bytes = lay_out_arena(plan_->memories);
  std::unordered_map<int, std::string> names;  // of what lies in a memory
  for (const Line& one : plan_->lines) {
    if (one.memory >= 0) names.emplace(one.memory, one.name);
  }
  for (const auto& [step, result] : reused) {
    const Memory& memory = plan_->memories[static_cast<std::size_t>(result)];
    if (memory.over < 0) continue;
    line(plan_->steps[static_cast<std::size_t>(step)].line).over = names[memory.over];
  }
}

void Planner::require_memory(std::uint64_t bytes, const std::string& of) const {
  const std::uint64_t allowed = memory_allowed(options_.limits);
  if (bytes <= allowed) return;
  throw Error(Code::kLimit, of + " asks for " + std::to_string(bytes) +
                                " bytes of memory; allowed: " + std::to_string(allowed));
}

void Planner::check_definition(const Op& op) const {
  std::uint64_t operands = 0, results = 0;
  for (const mil::Input& input : op.inputs) {
    for (const Value* value : input.values) {
      if (constant(*value) != nullptr) continue;  // no larger than the program's own file made it
      operands = added(operands, static_cast<std::uint64_t>(element_count(value->type.shape)));
    }
  }
  for (const auto& output : op.outputs) {
    results = added(results, static_cast<std::uint64_t>(element_count(output->type.shape)));
  }
  require_memory(definition_bytes(operands, results, 32), where(op));
}

// The op to name is the one that asks for most.
void Planner::check_memory() const {
  const std::string function = "function '" + function_.name + "'";
  std::string largest = function;
  std::size_t most = 0;
  for (const Line& one : plan_->lines) {
    if (one.bytes <= most) continue;
    most = one.bytes;
    largest =
        function + ": op '" + one.name + "'" + (one.type.empty() ? "" : " (" + one.type + ")");
  }
  require_memory(most, largest);
  require_memory(plan_->arena_bytes, largest + " with what is in use beside it");
  for (const Value* output : function_.body.outputs) {
    // A view of little may be an output of much.
    const auto count = static_cast<std::uint64_t>(element_count(output->type.shape));
    require_memory(multiplied(count, sizeof(float)), function + ": output '" + output->name + "'");
  }
}

void Planner::finish() {
  const int end = static_cast<int>(plan_->steps.size());
  std::vector<View> views;
  for (const Value* output : function_.body.outputs) {
    stored_as(output->type, "function '" + function_.name + "': output '" + output->name + "'");
    views.push_back(view(*output));
    touch(views.back(), end);
  }
  for (const InputPlan& input : plan_->inputs) {
    // Inputs are converted before the first step, whether anything needs them or not.
    Memory& memory = plan_->memories[static_cast<std::size_t>(input.memory)];
    memory.first = 0;
    memory.last = std::max(memory.last, 0);
  }
  lay_out();
  check_memory();
  for (Step& step : plan_->steps) {
    for (const View& operand : step.views) step.operands.push_back(operand_of(operand));
  }
  for (std::size_t i = 0; i < views.size(); ++i) {
    const Value& value = *function_.body.outputs[i];
    OutputPlan output;
    output.name = value.name;
    output.type = value.type;
    output.view = views[i];
    output.operand = operand_of(views[i]);
    const View& from = output.view;
    output.as_stored = Transfer(from, dense_view(-1, from.stored, from.shape));
    if (is_float(from.stored)) {
      output.as_f32 = Transfer(from, dense_view(-1, DType::kF32, from.shape));
      output.as_f16 = Transfer(from, dense_view(-1, DType::kF16, from.shape));
    }
    plan_->outputs.push_back(std::move(output));
  }
}

}  // namespace anemone::engine
