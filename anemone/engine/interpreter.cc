#include "anemone/engine/interpreter.h"

#include <unordered_set>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/mil/op.h"

namespace anemone::engine {
namespace {

using mil::Block;
using mil::Op;
using mil::Value;

// A list while it is in use. Elements that were never written are absent.
struct List {
  std::vector<std::optional<Tensor>> elements;
  bool can_grow = true;
};

struct Datum {
  Tensor tensor;
  std::shared_ptr<const List> list;
};

// Ends with no more elements than memory for a stranger's program should be asked for.
constexpr std::int64_t kMaxListLength = 1 << 24;

// Every value that `op` and the blocks inside of it use.
void collect_uses(const Op& op, std::unordered_set<const Value*>& uses) {
  for (const mil::Input& input : op.inputs) uses.insert(input.values.begin(), input.values.end());
  for (const auto& block : op.blocks) {
    uses.insert(block->outputs.begin(), block->outputs.end());
    for (const auto& inner : block->ops) collect_uses(*inner, uses);
  }
}

using Spent = std::unordered_map<const Op*, std::vector<const Value*>>;

// Walks a block backwards: the first use seen is the last in time. Only values that the block's own
// ops give are dropped, since a loop needs outer ones again.
void find_spent(const Block& block, Spent& spent) {
  std::unordered_set<const Value*> needed(block.outputs.begin(), block.outputs.end());
  std::unordered_set<const Value*> own;
  for (const auto& op : block.ops) {
    for (const auto& output : op->outputs) own.insert(output.get());
  }
  for (std::size_t i = block.ops.size(); i-- > 0;) {
    const Op& op = *block.ops[i];
    std::unordered_set<const Value*> uses;
    collect_uses(op, uses);
    for (const auto& output : op.outputs) {
      if (needed.count(output.get()) == 0) spent[&op].push_back(output.get());
    }
    for (const Value* value : uses) {
      if (own.count(value) > 0 && needed.insert(value).second) spent[&op].push_back(value);
    }
    for (const auto& inner : op.blocks) find_spent(*inner, spent);
  }
}

}  // namespace

// One run: what every value is.
class Interpreter::Frame {
 public:
  Frame(const Interpreter& owner, const StateAccess& states, const Watch& watch)
      : owner_(owner), function_(owner.function_), states_(states), watch_(watch) {}

  Tensors run(const Tensors& inputs) {
    for (const auto& input : function_.inputs) {
      if (input->type.is_state()) continue;
      const auto found = inputs.find(input->name);
      if (found == inputs.end()) {
        throw Error(Code::kBadInput,
                    "function '" + function_.name + "' lacks input '" + input->name + "'");
      }
      const Tensor& given = found->second;
      if (!mil::agrees(input->type, mil::Type::tensor(input->type.dtype, given.shape()))) {
        throw Error(Code::kBadInput, "input '" + input->name + "' has shape " +
                                         anemone::to_string(given.shape()) + "; declared is " +
                                         mil::to_string(input->type));
      }
      values_[input.get()] = {convert(given, held_as(input->type.dtype)), nullptr};
    }
    run_block(function_.body);
    Tensors outputs;
    for (const Value* output : function_.body.outputs) {
      outputs[output->name] = convert(get(*output), held_as(output->type.dtype));
    }
    return outputs;
  }

 private:
  DType held_as(DType declared) const {
    const bool widens = owner_.arithmetic_ == Arithmetic::kFloat32 && declared == DType::kF16;
    return widens ? DType::kF32 : declared;
  }

  [[noreturn]] void fail(const Op& op, Code code, const std::string& why) const {
    throw Error(code, "function '" + function_.name + "': op '" + op.name + "' (" +
                          std::string(op.type()) + ") " + why);
  }

  const Datum& datum(const Value& value) {
    const auto found = values_.find(&value);
    if (found != values_.end()) return found->second;
    ANEMONE_CHECK(value.constant != nullptr) << "'" << value.name << "' has no value";
    return values_[&value] = {value.constant->resident(), nullptr};
  }
  const Tensor& get(const Value& value) { return datum(value).tensor; }

  void set(const Op& op, std::size_t i, Datum datum) {
    const Value& value = *op.outputs[i];
    if (watch_ && datum.list == nullptr) watch_(op, value, datum.tensor);
    values_[&value] = std::move(datum);
  }

  void run_block(const Block& block) {
    for (const auto& op : block.ops) {
      run_op(*op);
      const auto spent = owner_.spent_.find(op.get());
      if (spent == owner_.spent_.end()) continue;
      for (const Value* value : spent->second) values_.erase(value);
    }
  }

  void run_op(const Op& op) {
    if (!op.outputs.empty() && op.output()->constant != nullptr) return;
    if (op.def->effect == mil::Effect::kReadsState) {
      const Value& state = *op.find_input("input");
      return set(op, 0, {convert(states_.read(state.name), held_as(state.type.dtype)), nullptr});
    }
    if (op.def->effect == mil::Effect::kWritesState) {
      const Tensor& data = get(*op.find_input("data"));
      states_.write(op.find_input("input")->name, data);
      return;
    }
    if (op.type() == "cond") return run_cond(op);
    if (op.type() == "while_loop") return run_loop(op);
    if (op.type() == "make_list" || op.type().starts_with("list_")) return run_list_op(op);
    if (op.def->eval == nullptr) fail(op, Code::kUnsupported, "has no definition to run");
    run_eval(op);
  }

  // The shapes that only the call shows are checked as the declared ones were.
  void check(const Op& op) {
    mil::Call call(*op.def, function_.opset, op.name);
    for (const mil::Input& input : op.inputs) {
      std::vector<mil::Argument> arguments;
      for (const Value* value : input.values) {
        const Tensor& tensor = get(*value);
        arguments.push_back(
            {.type = mil::Type::tensor(value->type.dtype, tensor.shape()), .value = &tensor});
      }
      call.bind(input.name, std::move(arguments));
    }
    mil::checked_infer(call);
  }

  void run_eval(const Op& op) {
    check(op);
    mil::Call call(*op.def, function_.opset, op.name);
    for (const mil::Input& input : op.inputs) {
      std::vector<mil::Argument> arguments;
      for (const Value* value : input.values) {
        const Tensor& tensor = get(*value);
        arguments.push_back(
            {.type = mil::Type::tensor(tensor.dtype(), tensor.shape()), .value = &tensor});
      }
      call.bind(input.name, std::move(arguments));
    }
    std::vector<Tensor> results = op.def->eval(call);
    ANEMONE_CHECK(results.size() == op.outputs.size()) << op.type();
    const bool is_weight = op.type().starts_with("constexpr_");
    for (std::size_t i = 0; i < results.size(); ++i) {
      const DType declared = op.outputs[i]->type.dtype;
      if (op.type() == "cast" && declared != held_as(declared)) {
        // A cast to fp16 that is not meant to round.
        results[i] = convert(get(*op.find_input("x")), held_as(declared));
      }
      const DType wanted = is_weight ? declared : held_as(declared);
      set(op, i, {convert(results[i], wanted), nullptr});
    }
  }

  void give_block_outputs(const Op& op, const Block& block) {
    std::vector<Datum> given;
    for (const Value* output : block.outputs) given.push_back(datum(*output));
    for (std::size_t i = 0; i < op.outputs.size(); ++i) set(op, i, std::move(given[i]));
  }

  void run_cond(const Op& op) {
    const Tensor& pred = get(*op.find_input("pred"));
    if (pred.count() != 1) {
      fail(op, Code::kBadInput,
           "has a condition of shape " + anemone::to_string(pred.shape()) + ", not one bool");
    }
    const bool is_true = pred.integer(0) != 0;
    const Block& block = *op.blocks[is_true ? 0 : 1];
    run_block(block);
    give_block_outputs(op, block);
  }

  void run_loop(const Op& op) {
    std::vector<Datum> variables;
    for (const Value* value : op.find_inputs("loop_vars")) variables.push_back(datum(*value));
    const auto enter = [&](const Block& block) {
      for (std::size_t i = 0; i < variables.size(); ++i) {
        values_[block.inputs[i].get()] = variables[i];
      }
      run_block(block);
    };
    const Block& condition = *op.blocks[0];
    const Block& body = *op.blocks[1];
    while (true) {
      enter(condition);
      const Tensor& goes_on = get(*condition.outputs.front());
      if (goes_on.count() != 1) {
        fail(op, Code::kBadInput,
             "has a condition of shape " + anemone::to_string(goes_on.shape()) + ", not one bool");
      }
      if (goes_on.integer(0) == 0) break;
      enter(body);
      for (std::size_t i = 0; i < variables.size(); ++i) variables[i] = datum(*body.outputs[i]);
    }
    for (std::size_t i = 0; i < variables.size(); ++i) set(op, i, variables[i]);
  }

  // --- Lists ---

  std::size_t index_in(const Op& op, const List& list, std::int64_t index) {
    const auto length = static_cast<std::int64_t>(list.elements.size());
    if (index < -length || index >= length) {
      fail(op, Code::kBadInput,
           "asks for element " + std::to_string(index) + " of a list of " + std::to_string(length));
    }
    return static_cast<std::size_t>(index < 0 ? index + length : index);
  }

  // Zeros where nothing was written, of the shape that the others have if the list's type leaves it
  // open. Source: coremltools 9.0, whose tests read lists before they are full.
  Tensor element(const Op& op, const List& list, const mil::Type& type, std::size_t i) {
    if (list.elements[i]) return *list.elements[i];
    Shape shape = type.shape;
    for (const auto& other : list.elements) {
      if (!is_known(shape) && other) shape = other->shape();
    }
    if (!is_known(shape)) {
      fail(op, Code::kBadInput,
           "reads element " + std::to_string(i) + ", which nothing was written to");
    }
    const std::vector<double> zeros(static_cast<std::size_t>(element_count(shape)));
    return Tensor::from_doubles(held_as(type.dtype), shape, zeros);
  }

  static void put(List& list, std::size_t i, Tensor value) {
    if (i >= list.elements.size()) list.elements.resize(i + 1);
    list.elements[i] = std::move(value);
  }

  std::size_t place_in(const Op& op, const List& list, std::int64_t index) {
    const auto length = static_cast<std::int64_t>(list.elements.size());
    if (index >= length && list.can_grow && index < kMaxListLength) {
      return static_cast<std::size_t>(index);
    }
    return index_in(op, list, index);
  }

  Tensor gathered(const Op& op, const List& list, const mil::Type& type,
                  const std::vector<std::int64_t>& indices) {
    std::vector<std::byte> bytes;
    std::optional<Shape> shape;
    for (const std::int64_t index : indices) {
      const Tensor one = element(op, list, type, index_in(op, list, index));
      if (shape && *shape != one.shape()) {
        fail(op, Code::kBadInput,
             "gathers elements of shapes " + anemone::to_string(*shape) + " and " +
                 anemone::to_string(one.shape()));
      }
      shape = one.shape();
      bytes.insert(bytes.end(), one.data().begin(), one.data().end());
    }
    Shape whole = shape ? *shape : type.shape;
    if (!is_known(whole)) std::replace(whole.begin(), whole.end(), kUnknown, std::int64_t{0});
    whole.insert(whole.begin(), static_cast<std::int64_t>(indices.size()));
    return Tensor(held_as(type.dtype), whole, own_bytes(std::move(bytes)));
  }

  void run_list_op(const Op& op) {
    const std::string_view type = op.type();
    if (type == "make_list") {
      mil::Call call(*op.def, function_.opset, op.name);
      for (const std::string_view name : {"init_length", "dynamic_length"}) {
        if (const Value* value = op.find_input(name)) {
          call.bind(name, {{.type = value->type, .value = &get(*value)}});
        }
      }
      List list;
      list.can_grow = call.boolean("dynamic_length");
      const std::int64_t length = call.integer("init_length");
      if (length < 0 || length > kMaxListLength) {
        fail(op, Code::kLimit,
             "asks for " + std::to_string(length) + " elements; allowed: 0 to " +
                 std::to_string(kMaxListLength));
      }
      list.elements.resize(static_cast<std::size_t>(length));
      return set(op, 0, {{}, std::make_shared<const List>(std::move(list))});
    }
    const Value& ls = *op.find_input("ls");
    const std::shared_ptr<const List> list = datum(ls).list;
    ANEMONE_CHECK(list != nullptr) << ls.name;
    const DType held = held_as(ls.type.dtype);
    if (type == "list_length") {
      return set(
          op, 0,
          {Tensor::scalar(DType::kI32, static_cast<double>(list->elements.size())), nullptr});
    }
    if (type == "list_read") {
      const std::size_t i = index_in(op, *list, get(*op.find_input("index")).integer(0));
      return set(op, 0, {element(op, *list, ls.type, i), nullptr});
    }
    if (type == "list_gather") {
      return set(op, 0,
                 {gathered(op, *list, ls.type, get(*op.find_input("indices")).to_ints()), nullptr});
    }
    List changed = *list;
    const Tensor value = convert(get(*op.find_input("value")), held);
    if (type == "list_write") {
      const std::int64_t index = get(*op.find_input("index")).integer(0);
      put(changed, place_in(op, changed, index), value);
    } else {
      const std::vector<std::int64_t> indices = get(*op.find_input("indices")).to_ints();
      const Shape part(value.shape().begin() + 1, value.shape().end());
      const std::size_t width = indices.empty() ? 0 : value.size_bytes() / indices.size();
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const auto from = value.data().begin() + static_cast<std::ptrdiff_t>(i * width);
        std::vector<std::byte> bytes(from, from + static_cast<std::ptrdiff_t>(width));
        put(changed, place_in(op, changed, indices[i]), Tensor(held, part, own_bytes(bytes)));
      }
    }
    set(op, 0, {{}, std::make_shared<const List>(std::move(changed))});
  }

  const Interpreter& owner_;
  const mil::Function& function_;
  const StateAccess& states_;
  const Watch& watch_;
  std::unordered_map<const Value*, Datum> values_;
};

Interpreter::Interpreter(const mil::Function& function, Arithmetic arithmetic)
    : function_(function), arithmetic_(arithmetic) {
  find_spent(function.body, spent_);
}

Interpreter::~Interpreter() = default;

Tensors Interpreter::run(const Tensors& inputs, const StateAccess& states,
                         const Watch& watch) const {
  return Frame(*this, states, watch).run(inputs);
}

}  // namespace anemone::engine
