#include "anemone/mil/verify.h"

#include <unordered_set>

#include "anemone/base/error.h"
#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string op_words(const Op& op) {
  return "op " + in_quotes(op.name) + " (" + std::string(op.def == nullptr ? "?" : op.type()) + ")";
}

bool is_const(const Op& op) { return op.type() == "const"; }

// True if a constant is what its value's type says: a static tensor, or a list's elements one after
// another.
bool holds(const Type& type, const Tensor& tensor) {
  if (type.kind == Type::Kind::kList) {
    Shape shape = type.shape;
    shape.insert(shape.begin(), type.length);
    return tensor.rank() > 0 && agrees(Type::tensor(type.dtype, std::move(shape)),
                                       Type::tensor(tensor.dtype(), tensor.shape()));
  }
  return type == Type::tensor(tensor.dtype(), tensor.shape());
}

// What each state holds, as far as the order of effects tells: a number that each write changes.
class StateOrder {
 public:
  // The state that `op` reads or writes, else null.
  static const Value* state_of(const Op& op) {
    const bool is_effect =
        op.def->effect == Effect::kReadsState || op.def->effect == Effect::kWritesState;
    const Value* state = is_effect ? op.find_input("input") : nullptr;
    return state != nullptr && state->type.is_state() ? state : nullptr;
  }

  void read(const Op& op) {
    if (const Value* state = state_of(op)) contents_[op.output()] = {state, now_[state]};
  }

  void write(const Op& op) {
    const Value* state = state_of(op);
    if (state == nullptr) return;
    now_[state] = ++last_;
    // What was written is what the state now holds.
    if (const Value* data = op.find_input("data")) contents_[data] = {state, last_};
  }

  void touch(const Value* state) { now_[state] = ++last_; }

  // The state whose earlier contents `value` is; null if it is none or still up to date.
  const Value* find_stale(const Value* value) const {
    const auto found = contents_.find(value);
    if (found == contents_.end()) return nullptr;
    const auto now = now_.find(found->second.state);
    const std::uint64_t version = now == now_.end() ? 0 : now->second;
    return version == found->second.version ? nullptr : found->second.state;
  }
  bool is_content(const Value* value) const { return contents_.contains(value); }

  using Versions = std::unordered_map<const Value*, std::uint64_t>;
  const Versions& versions() const { return now_; }
  void return_to(Versions versions) { now_ = std::move(versions); }

 private:
  struct Content {
    const Value* state;
    std::uint64_t version;
  };
  std::unordered_map<const Value*, Content> contents_;
  Versions now_;
  std::uint64_t last_ = 0;
};

class FunctionVerifier {
 public:
  FunctionVerifier(const Function& function, std::vector<Defect>& defects)
      : function_(function), defects_(defects) {}

  void verify() {
    const std::string place = here();
    if (!is_identifier(function_.name)) report(place, "its name is no identifier");
    for (const auto& input : function_.inputs) {
      define(*input, place);
      if (!input->type.is_tensor() && !input->type.is_state()) {
        report(place, "input " + in_quotes(input->name) + " is " + to_string(input->type) +
                          "; inputs are tensors and states");
      }
      if (input->type.is_state()) {
        states_.insert(input.get());
        if (!input->type.is_static()) {
          report(place, "state " + in_quotes(input->name) + " is " + to_string(input->type) +
                            "; states have a fixed shape");
        }
      }
    }
    if (!function_.body.inputs.empty()) report(place, "its own block has inputs");
    check_block(function_.body, place);
    std::unordered_set<const Value*> outputs;
    for (const Value* output : function_.body.outputs) {
      if (output != nullptr && !outputs.insert(output).second) {
        report(place, "gives " + in_quotes(output->name) + " back twice");
      }
    }
  }

 private:
  std::string here() const { return "function " + in_quotes(function_.name); }
  std::string place_of(const Op& op) const { return here() + ", " + op_words(op); }

  void report(const std::string& where, const std::string& what) {
    defects_.push_back({where, what});
  }

  void define(const Value& value, const std::string& place) {
    if (!is_identifier(value.name)) {
      report(place, "the name " + in_quotes(value.name) +
                        " is no identifier ([A-Za-z_][A-Za-z0-9_@]*, no reserved word)");
    } else if (!value_names_.insert(value.name).second) {
      report(place, "two values are called " + in_quotes(value.name));
    }
    visible_.insert(&value);
    scope_.push_back(&value);
  }

  void check_block(const Block& block, const std::string& place) {
    const std::size_t outer = scope_.size();
    for (const auto& input : block.inputs) {
      define(*input, place);
      if (input->type.is_state()) {
        report(place, "block input " + in_quotes(input->name) + " is a state");
      }
    }
    for (const auto& op : block.ops) {
      if (op->def == nullptr) {
        report(place_of(*op), "is of no known type");
      } else {
        check_op(*op);
      }
      for (const auto& output : op->outputs) define(*output, place_of(*op));
    }
    for (const Value* output : block.outputs) {
      if (output == nullptr || !visible_.contains(output)) {
        report(place, "gives back " + (output == nullptr ? "nothing" : in_quotes(output->name)) +
                          ", which no op before its end defines");
      } else if (output->type.is_state()) {
        report(place, "gives back the state " + in_quotes(output->name));
      }
    }
    for (; scope_.size() > outer; scope_.pop_back()) visible_.erase(scope_.back());
  }

  void check_op(const Op& op) {
    const std::string place = place_of(op);
    if (op.name.empty()) {
      report(place, "has no name");
    } else if (!op_names_.insert(op.name).second) {
      report(place, "two ops are called " + in_quotes(op.name));
    }
    for (const auto& output : op.outputs) {
      if (output->producer != &op) {
        report(place, "output " + in_quotes(output->name) + " has another op as its producer");
      }
      if (output->constant != nullptr && !holds(output->type, *output->constant)) {
        report(place,
               "output " + in_quotes(output->name) + " is declared as " + to_string(output->type) +
                   ", but holds " +
                   to_string(Type::tensor(output->constant->dtype(), output->constant->shape())));
      }
    }
    if (is_const(op)) return check_const(op, place);

    const bool inputs_are_sound = check_inputs(op, place);
    if (inputs_are_sound) check_order(op, place);
    const bool blocks_are_sound = check_blocks(op, place);
    if (inputs_are_sound && blocks_are_sound) check_types(op, place);
    if (inputs_are_sound && op.def->effect == Effect::kReadsState && op.outputs.size() == 1) {
      order_.read(op);
    } else if (inputs_are_sound && op.def->effect == Effect::kWritesState) {
      order_.write(op);
    }
  }

  void check_const(const Op& op, const std::string& place) {
    if (!op.inputs.empty() || !op.blocks.empty()) report(place, "a const takes nothing");
    if (op.outputs.size() != 1 || op.outputs.front()->constant == nullptr) {
      report(place, "a const has one output, which holds its value");
    }
  }

  // Every value is defined above, or a literal that is the op's own.
  bool check_inputs(const Op& op, const std::string& place) {
    const std::size_t before = defects_.size();
    std::unordered_set<const Value*> literals;
    for (const auto& literal : op.literals) {
      literals.insert(literal.get());
      if (literal->constant == nullptr || !holds(literal->type, *literal->constant)) {
        report(place, "a literal of type " + to_string(literal->type) + " does not hold its value");
      }
    }
    for (const Input& input : op.inputs) {
      for (const Value* value : input.values) {
        if (value == nullptr) {
          report(place, "parameter " + in_quotes(input.name) + " is bound to nothing");
        } else if (!visible_.contains(value) && !literals.contains(value)) {
          report(place, "parameter " + in_quotes(input.name) + " takes " + in_quotes(value->name) +
                            ", which is not defined before it or not in its block");
        } else if (value->type.is_state()) {
          check_state_use(op, input.name, *value, place);
        }
      }
    }
    return defects_.size() == before;
  }

  void check_state_use(const Op& op, const std::string& parameter, const Value& value,
                       const std::string& place) {
    if (StateOrder::state_of(op) != &value || parameter != "input") {
      report(place, "parameter " + in_quotes(parameter) + " takes the state " +
                        in_quotes(value.name) + "; states are only read and written");
    } else if (!states_.contains(&value)) {
      report(place, in_quotes(value.name) + " is a state, but no input of the function");
    }
  }

  // A slice_update starts from what the state holds when it runs, and its result is written before
  // anything else is: else an update would be lost.
  // Source: coremltools 9.0, whose pass remove_redundant_ops merged two reads across a write.
  void check_order(const Op& op, const std::string& place) {
    if (op.type() == "slice_update") {
      if (const Value* x = op.find_input("x"); x != nullptr) check_fresh(*x, place);
    } else if (op.def->effect == Effect::kWritesState) {
      const Value* data = op.find_input("data");
      bool is_update = false;
      while (data != nullptr && data->producer != nullptr &&
             data->producer->type() == "slice_update") {
        if (order_.is_content(data)) break;
        data = data->producer->find_input("x");
        is_update = true;
      }
      if (is_update && data != nullptr) check_fresh(*data, place);
    }
  }

  void check_fresh(const Value& value, const std::string& place) {
    const Value* state = order_.find_stale(&value);
    if (state == nullptr) return;
    report(place, "starts from " + in_quotes(value.name) + ", but state " + in_quotes(state->name) +
                      " was written since; it must take the read_state after that write");
  }

  bool check_blocks(const Op& op, const std::string& place) {
    const std::size_t before = defects_.size();
    if (static_cast<int>(op.blocks.size()) != op.def->blocks) {
      report(place, "has " + std::to_string(op.blocks.size()) + " blocks; it needs " +
                        std::to_string(op.def->blocks));
    }
    if (op.blocks.empty()) return defects_.size() == before;

    const bool repeats = op.type() != "cond";  // while_loop's blocks run any number of times
    if (repeats) {
      // What an earlier round wrote, a later one must read again.
      for (const auto& block : op.blocks) {
        for_each_op(*block, [&](const Op& inner, int) {
          if (inner.def == nullptr || inner.def->effect != Effect::kWritesState) return;
          if (const Value* state = StateOrder::state_of(inner)) order_.touch(state);
        });
      }
    }
    const StateOrder::Versions entry = order_.versions();
    std::unordered_set<const Value*> written;
    for (const auto& block : op.blocks) {
      if (!repeats) order_.return_to(entry);
      check_block(*block, place);
      if (repeats) check_loop_variables(op, *block, place);
      for (const auto& [state, version] : order_.versions()) {
        const auto then = entry.find(state);
        if (version != (then == entry.end() ? 0 : then->second)) written.insert(state);
      }
    }
    for (const Value* state : written) order_.touch(state);
    return defects_.size() == before;
  }

  void check_loop_variables(const Op& op, const Block& block, const std::string& place) {
    const auto variables = op.find_inputs("loop_vars");
    if (block.inputs.size() != variables.size()) {
      report(place, "a block takes " + std::to_string(block.inputs.size()) +
                        " values, but there are " + std::to_string(variables.size()) +
                        " loop variables");
      return;
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const Value& input = *block.inputs[i];
      if (variables[i] != nullptr && !agrees(input.type, variables[i]->type)) {
        report(place, "block input " + in_quotes(input.name) + " is " + to_string(input.type) +
                          ", but the loop variable is " + to_string(variables[i]->type));
      }
    }
  }

  void check_types(const Op& op, const std::string& place) {
    std::vector<Type> types;
    try {
      types = checked_infer(call_of(op, function_.opset));
    } catch (const Error& error) {
      std::string what = error.what();
      const std::string prefix = op_words(op) + ": ";
      if (what.starts_with(prefix)) what.erase(0, prefix.size());
      report(place, what);
      return;
    }
    if (types.size() != op.outputs.size()) {
      report(place, "declares " + std::to_string(op.outputs.size()) + " outputs; it has " +
                        std::to_string(types.size()));
      return;
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
      const Value& output = *op.outputs[i];
      if (agrees(output.type, types[i])) continue;
      report(place, "output " + in_quotes(output.name) + " is declared as " +
                        to_string(output.type) + ", but is " + to_string(types[i]));
    }
    if (op.def->effect != Effect::kWritesState) return;
    const Value* state = StateOrder::state_of(op);
    const Value* data = op.find_input("data");
    if (state != nullptr && data != nullptr && !agrees(state->type.wrapped(), data->type)) {
      report(place, "writes " + to_string(data->type) + " into state " + in_quotes(state->name) +
                        ", which holds " + to_string(state->type.wrapped()));
    }
  }

  const Function& function_;
  std::vector<Defect>& defects_;
  std::unordered_set<std::string_view> value_names_;
  std::unordered_set<std::string_view> op_names_;
  std::unordered_set<const Value*> visible_;
  std::vector<const Value*> scope_;
  std::unordered_set<const Value*> states_;
  StateOrder order_;
};

}  // namespace

std::vector<Defect> verify(const Program& program) {
  std::vector<Defect> defects;
  std::unordered_set<std::string_view> names;
  for (const auto& function : program.functions) {
    if (!names.insert(function->name).second) {
      defects.push_back({"the program", "two functions are called " + in_quotes(function->name)});
    }
    FunctionVerifier(*function, defects).verify();
  }
  if (program.functions.empty()) defects.push_back({"the program", "has no functions"});
  return defects;
}

void require_sound(const Program& program, std::string_view what) {
  const std::vector<Defect> defects = verify(program);
  if (defects.empty()) return;
  std::string message =
      std::string(what) + ": " + defects.front().where + ": " + defects.front().what;
  if (defects.size() > 1) {
    message += " (and " + std::to_string(defects.size() - 1) + " more)";
  }
  throw Error(Code::kBadInput, message);
}

}  // namespace anemone::mil
