#include <algorithm>
#include <unordered_set>

#include "anemone/lint/check.h"
#include "anemone/lint/pattern.h"

namespace anemone::lint {

namespace {

// Ops of a block in order, nested ones after the op that holds them. One that gives nothing and
// writes no state does nothing; left out, every op has an output but write_state.
void gather_ops(const mil::Block& block, std::vector<const mil::Op*>& ops) {
  for (const auto& op : block.ops) {
    if (!op->outputs.empty() || op->type() == "write_state") ops.push_back(op.get());
    for (const auto& nested : op->blocks) gather_ops(*nested, ops);
  }
}

bool is_static_op(const mil::Op& op) {
  return op.type() == "const" || op.type().starts_with("constexpr_");
}

void add_block_outputs(const mil::Block& block,
                       std::unordered_map<const mil::Value*, std::vector<Use>>& uses) {
  for (const auto& op : block.ops) {
    for (const auto& nested : op->blocks) {
      for (const mil::Value* value : nested->outputs) uses[value].push_back({op.get(), "block"});
      add_block_outputs(*nested, uses);
    }
  }
}

}  // namespace

FunctionView::FunctionView(const mil::Function& function, const Subject& subject,
                           const Options& options)
    : function_(&function),
      opset_(function.opset),
      target_(options.target.value_or(function.opset)) {
  gather_ops(function.body, ops_);
  costs_.reserve(ops_.size());
  uses_.reserve(ops_.size() * 2);
  for (const mil::Op* op : ops_) {
    for (const mil::Input& input : op->inputs) {
      for (const mil::Value* value : input.values) uses_[value].push_back({op, input.name});
    }
    if (is_static_op(*op)) continue;
    run_ops_.push_back(op);
    costs_.emplace(op, mil::cost_of(*op));
  }
  add_block_outputs(function.body, uses_);
  for (const auto& op : function.body.ops) {
    cost_ += cost(*op);
  }
  for (const auto& input : function.inputs) {
    bool is_described = false;
    for (const FlexibleInput& flexible : subject.flexible) {
      if (flexible.function != function.name || flexible.input != input->name) continue;
      flexible_.push_back(flexible);
      is_described = true;
    }
    if (!is_described && input->type.is_tensor() && !input->type.is_static()) {
      flexible_.push_back({.function = function.name, .input = input->name});
    }
  }
  for (const mil::Op* op : run_ops_) {
    const std::int64_t rows = product_rows(*op);
    rows_ = rows == kUnknown || rows_ == kUnknown ? kUnknown : std::max(rows_, rows);
  }
  count_floats();
  find_state_positions();
}

const std::vector<Use>& FunctionView::uses(const mil::Value& value) const {
  static const std::vector<Use> kNone;
  const auto found = uses_.find(&value);
  return found == uses_.end() ? kNone : found->second;
}

bool FunctionView::is_output(const mil::Value& value) const {
  const auto& outputs = function_->body.outputs;
  return std::find(outputs.begin(), outputs.end(), &value) != outputs.end();
}

const mil::Cost& FunctionView::cost(const mil::Op& op) const {
  static const mil::Cost kFree;
  const auto found = costs_.find(&op);
  return found == costs_.end() ? kFree : found->second;
}

std::vector<const mil::Value*> FunctionView::states() const {
  std::vector<const mil::Value*> states;
  for (const auto& input : function_->inputs) {
    if (input->type.is_state()) states.push_back(input.get());
  }
  return states;
}

bool FunctionView::has_flexible(FlexibleInput::Kind kind) const {
  return std::any_of(flexible_.begin(), flexible_.end(),
                     [&](const FlexibleInput& input) { return input.kind == kind; });
}

bool FunctionView::is_state_position(const mil::Op& op) const {
  return is_state_position_.count(&op) != 0;
}

void FunctionView::count_floats() {
  std::uint64_t half_moves = 0, fp32_moves = 0;
  for (const mil::Op* op : run_ops_) {
    if (!is_float_op(*op) || op->type() == "read_state" || is_boundary_cast(*this, *op)) continue;
    const bool is_half = op->output()->type.dtype == DType::kF16;
    const bool is_fp32 = op->output()->type.dtype == DType::kF32;
    if (cost(*op).flops > 0) {
      half_ops_ += is_half;
      fp32_ops_ += is_fp32;
    } else {
      half_moves += is_half;
      fp32_moves += is_fp32;
    }
  }
  if (half_ops_ + fp32_ops_ > 0) return;
  half_ops_ = half_moves;
  fp32_ops_ = fp32_moves;
}

void FunctionView::find_state_positions() {
  for (auto at = run_ops_.rbegin(); at != run_ops_.rend(); ++at) {
    const mil::Op* op = *at;
    if (op->outputs.size() != 1 || !is_int(op->output()->type.dtype)) continue;
    const auto& used = uses(*op->output());
    const bool is_position =
        !used.empty() && !is_output(*op->output()) &&
        std::all_of(used.begin(), used.end(), [&](const Use& use) {
          if (is_state_position(*use.op)) return true;
          return use.op->type() == "slice_update" &&
                 (use.parameter == "begin" || use.parameter == "end") &&
                 is_type(find_maker(use.op->find_input("x")), {"read_state", "slice_update"});
        });
    if (is_position) is_state_position_.emplace(op, true);
  }
}

ProgramView::ProgramView(const Subject& of, const Options& with) : subject(&of), options(with) {
  std::unordered_set<const void*> seen, counted;  // by their bytes
  std::uint64_t stored = 0;
  for (const auto& function : of.program->functions) {
    functions.emplace_back(*function, of, with);
    cost += functions.back().cost();
    for (const mil::Op* op : functions.back().ops()) {
      for (const mil::Input& input : op->inputs) {
        for (const mil::Value* value : input.values) {
          if (!value->is_constant()) continue;
          const void* bytes = value->constant->bytes().get();
          if (bytes != nullptr && !seen.insert(bytes).second) continue;
          stored += mil::stored_bytes(*value);
        }
      }
      // A weight's elements, compressed or not: of what products and gathers take.
      if (op->type() == "const" || op->type().starts_with("constexpr_")) continue;
      const mil::Value* weight = find_weight(*op);
      if (weight == nullptr) continue;
      const void* key = weight;
      if (weight->is_constant()) {
        key = weight->constant->bytes().get();
      } else if (weight->producer != nullptr && !weight->producer->inputs.empty() &&
                 !weight->producer->inputs.front().values.empty()) {
        const mil::Value* data = weight->producer->inputs.front().values.front();
        if (data->is_constant()) key = data->constant->bytes().get();
      }
      if (counted.insert(key).second) {
        weight_count += static_cast<std::uint64_t>(elements(*weight));
      }
    }
  }
  weight_bytes = of.weight_bytes != 0 ? of.weight_bytes : stored;
}

}  // namespace anemone::lint
