#include "anemone/engine/interpreter.h"

#include <unordered_set>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/engine/limits.h"
#include "anemone/mil/op.h"

namespace anemone::engine {
namespace {

using mil::Block;
using mil::Op;
using mil::Value;

// A list while it is in use. Elements that were never written are absent.
struct List {
  std::vector<std::shared_ptr<const Tensor>> elements;
  bool can_grow = true;
  std::uint64_t bytes = 0;  // of what was written
  std::uint64_t size_bytes() const { return bytes + elements.size() * sizeof(elements[0]); }
};

struct Datum {
  Tensor tensor;
  std::shared_ptr<List> list;    // changed only by who is alone with it
  std::uint64_t held_bytes = 0;  // of the run's memory
};

// Ends with no more elements than memory for a stranger's program should be asked for.
constexpr std::int64_t kMaxListLength = 1 << 22;

// Every value that `op` and the blocks inside of it use.
void collect_uses(const Op& op, std::unordered_set<const Value*>& uses) {
  for (const mil::Input& input : op.inputs) uses.insert(input.values.begin(), input.values.end());
  for (const auto& block : op.blocks) {
    uses.insert(block->outputs.begin(), block->outputs.end());
    for (const auto& inner : block->ops) collect_uses(*inner, uses);
  }
}

using Spent = std::unordered_map<const Op*, std::vector<const Value*>>;

// Walks a block backwards: the first use seen is the last in time. Only the block's own values are
// dropped, since a loop needs outer ones again.
void find_spent(const Block& block, Spent& spent) {
  std::unordered_set<const Value*> needed(block.outputs.begin(), block.outputs.end());
  std::unordered_set<const Value*> own;
  for (const auto& input : block.inputs) own.insert(input.get());
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

// What ops of blocks inside of `block` give, and which block that is.
void find_inner(const Block& block, std::unordered_map<const Value*, const Block*>& inner) {
  for (const auto& op : block.ops) {
    for (const auto& nested : op->blocks) {
      for (const auto& one : nested->ops) {
        for (const auto& output : one->outputs) inner[output.get()] = nested.get();
      }
      find_inner(*nested, inner);
    }
  }
}

}  // namespace

// One run: what every value is.
class Interpreter::Frame {
 public:
  Frame(const Interpreter& owner, const StateAccess& states, const Watch& watch)
      : owner_(owner),
        function_(owner.function_),
        states_(states),
        watch_(watch),
        allowed_bytes_(memory_allowed(owner.limits_)) {}

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
      values_[input.get()].tensor = convert(given, held_as(input->type.dtype));
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
    Datum& made = values_[&value];
    made.tensor = value.constant->resident();
    return made;
  }
  const Tensor& get(const Value& value) { return datum(value).tensor; }

  void set(const Op& op, std::size_t i, Datum datum) {
    const Value& value = *op.outputs[i];
    if (watch_ && datum.list == nullptr) watch_(op, value, datum.tensor);
    hold(value, std::move(datum));
  }
  void hold(const Value& value, Datum datum) {
    datum.held_bytes = datum.list != nullptr ? datum.list->size_bytes() : datum.tensor.size_bytes();
    Datum& held = values_[&value];
    held_bytes_ += datum.held_bytes - held.held_bytes;
    held = std::move(datum);
  }
  void set(const Op& op, std::size_t i, Tensor tensor) {
    Datum datum;
    datum.tensor = std::move(tensor);
    set(op, i, std::move(datum));
  }
  void set(const Op& op, std::size_t i, std::shared_ptr<List> list) {
    Datum datum;
    datum.list = std::move(list);
    set(op, i, std::move(datum));
  }

  void drop(const Value* value) {
    const auto found = values_.find(value);
    if (found == values_.end()) return;
    held_bytes_ -= found->second.held_bytes;
    values_.erase(found);
  }
  // What a nested block's own ops gave, once that has ended. Its outputs may be outer values, too.
  void drop_inner(const Block& block) {
    for (const Value* output : block.outputs) {
      const auto found = owner_.inner_.find(output);
      if (found != owner_.inner_.end() && found->second == &block) drop(output);
    }
  }

  // Refuses what would take more than a call may, before it does.
  void require_memory(const Op& op, std::uint64_t bytes, const std::string& what) const {
    if (bytes <= allowed_bytes_ && held_bytes_ <= allowed_bytes_ - bytes) return;
    fail(op, Code::kLimit,
         "asks for " + std::to_string(bytes) + " bytes" + what +
             (held_bytes_ > 0 ? ", beside " + std::to_string(held_bytes_) + " in use" : "") +
             "; allowed: " + std::to_string(allowed_bytes_));
  }

  void run_block(const Block& block) {
    for (const auto& op : block.ops) {
      if (owner_.stop_ != nullptr) owner_.stop_->throw_if_set();
      run_op(*op);
      for (const Value* value : spent_by(*op)) drop(value);
    }
  }

  std::span<const Value* const> spent_by(const Op& op) const {
    const auto spent = owner_.spent_.find(&op);
    if (spent == owner_.spent_.end()) return {};
    return spent->second;
  }

  void run_op(const Op& op) {
    if (!op.outputs.empty() && op.output()->constant != nullptr) return;
    if (op.def->effect == mil::Effect::kReadsState) {
      const Value& state = *op.find_input("input");
      return set(op, 0, convert(states_.read(state.name), held_as(state.type.dtype)));
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

  // The shapes that only the call shows are checked as the declared ones were, and what they take.
  void check(const Op& op) {
    std::uint64_t numbers = 0;
    mil::Call call(*op.def, function_.opset, op.name);
    for (const mil::Input& input : op.inputs) {
      std::vector<mil::Argument> arguments;
      for (const Value* value : input.values) {
        const Tensor& tensor = get(*value);
        arguments.push_back(
            {.type = mil::Type::tensor(value->type.dtype, tensor.shape()), .value = &tensor});
        // Constants are no larger than the program's own file made them.
        if (value->constant == nullptr) {
          numbers = added(numbers, static_cast<std::uint64_t>(tensor.count()));
        }
      }
      call.bind(input.name, std::move(arguments));
    }
    std::uint64_t bytes = 0;
    std::string what;
    for (const mil::Type& type : mil::checked_infer(call)) {
      if (!type.is_tensor() || !type.is_static() || type.dtype == DType::kString) continue;
      const auto count = static_cast<std::uint64_t>(element_count(type.shape));
      bytes = added(bytes, definition_bytes(numbers, count, width_bits(type.dtype)));
      what += (what.empty() ? " to compute " : ", ") + mil::to_string(type);
    }
    require_memory(op, bytes, what);
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
      set(op, i, convert(results[i], wanted));
    }
  }

  void give_block_outputs(const Op& op, const Block& block) {
    std::vector<Datum> given;
    for (const Value* output : block.outputs) given.push_back(datum(*output));
    drop_inner(block);
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
    const Block& condition = *op.blocks[0];
    const Block& body = *op.blocks[1];
    const auto enter = [&](const Block& block, bool is_last_use) {
      for (std::size_t i = 0; i < variables.size(); ++i) {
        hold(*block.inputs[i], is_last_use ? std::move(variables[i]) : variables[i]);
      }
      run_block(block);
    };
    while (true) {
      enter(condition, false);
      const Tensor goes_on = get(*condition.outputs.front());
      if (goes_on.count() != 1) {
        fail(op, Code::kBadInput,
             "has a condition of shape " + anemone::to_string(goes_on.shape()) + ", not one bool");
      }
      // A variable that is still somewhere else could not be changed where it is.
      for (const auto& input : condition.inputs) drop(input.get());
      drop_inner(condition);
      if (goes_on.integer(0) == 0) break;
      if (++iterations_ > owner_.limits_.loop_iterations) {
        fail(op, Code::kLimit,
             "wants to go on after " + std::to_string(owner_.limits_.loop_iterations) +
                 " iterations, which is what all loops of a call together are allowed");
      }
      enter(body, true);
      for (std::size_t i = 0; i < variables.size(); ++i) variables[i] = datum(*body.outputs[i]);
      for (const auto& input : body.inputs) drop(input.get());
      drop_inner(body);
    }
    for (std::size_t i = 0; i < variables.size(); ++i) set(op, i, std::move(variables[i]));
  }

  // --- Lists ---

  static std::int64_t length_of(const List& list) {
    return static_cast<std::int64_t>(list.elements.size());
  }

  std::size_t index_in(const Op& op, std::int64_t length, std::int64_t index) {
    if (index < -length || index >= length) {
      fail(op, Code::kBadInput,
           "asks for element " + std::to_string(index) + " of a list of " + std::to_string(length));
    }
    return static_cast<std::size_t>(index < 0 ? index + length : index);
  }

  // Zeros where nothing was written, of the shape that the others have if the list's type leaves it
  // open. Source: coremltools 9.0, whose tests read lists before they are full.
  Tensor element(const Op& op, const List& list, const mil::Type& type, std::size_t i) {
    if (list.elements[i] != nullptr) return *list.elements[i];
    Shape shape = type.shape;
    for (const auto& other : list.elements) {
      if (!is_known(shape) && other) shape = other->shape();
    }
    if (!is_known(shape)) {
      fail(op, Code::kBadInput,
           "reads element " + std::to_string(i) + ", which nothing was written to");
    }
    const auto count = static_cast<std::uint64_t>(element_count(shape));
    require_memory(op, definition_bytes(0, count, width_bits(type.dtype)), " for an element");
    const std::vector<double> zeros(static_cast<std::size_t>(count));
    return Tensor::from_doubles(held_as(type.dtype), shape, zeros);
  }

  static void put(List& list, std::size_t i, Tensor value) {
    if (i >= list.elements.size()) list.elements.resize(i + 1);
    list.bytes += value.size_bytes();
    if (list.elements[i] != nullptr) list.bytes -= list.elements[i]->size_bytes();
    list.elements[i] = std::make_shared<const Tensor>(std::move(value));
  }

  // The list that the op changes: itself, where nobody needs it as it is, or a copy.
  std::shared_ptr<List> changeable(const Op& op, const Value& ls) {
    const auto spent = spent_by(op);
    const bool is_spent = std::find(spent.begin(), spent.end(), &ls) != spent.end();
    std::shared_ptr<List> list = datum(ls).list;
    ANEMONE_CHECK(list != nullptr) << ls.name;
    if (is_spent) drop(&ls);
    if (list.use_count() == 1) return list;
    require_memory(op, list->elements.size() * sizeof(list->elements[0]),
                   " for a copy of the list");
    return std::make_shared<List>(*list);
  }

  // `length` is what the list has by then.
  std::size_t place_in(const Op& op, std::int64_t length, bool can_grow, std::int64_t index) {
    if (index >= length && can_grow) {
      if (index < kMaxListLength) return static_cast<std::size_t>(index);
      fail(op, Code::kLimit,
           "asks for element " + std::to_string(index) + " of a list; allowed: up to " +
               std::to_string(kMaxListLength) + " elements");
    }
    return index_in(op, length, index);
  }

  Tensor gathered(const Op& op, const List& list, const mil::Type& type,
                  const std::vector<std::int64_t>& indices) {
    std::vector<std::byte> bytes;
    std::optional<Shape> shape;
    const std::int64_t length = length_of(list);
    if (!indices.empty()) {
      const Tensor first = element(op, list, type, index_in(op, length, indices.front()));
      require_memory(op, multiplied(indices.size(), first.size_bytes()), " to gather elements");
    }
    for (const std::int64_t index : indices) {
      const Tensor one = element(op, list, type, index_in(op, length, index));
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
      require_memory(op, static_cast<std::uint64_t>(length) * sizeof(list.elements[0]), "");
      list.elements.resize(static_cast<std::size_t>(length));
      return set(op, 0, std::make_shared<List>(std::move(list)));
    }
    const Value& ls = *op.find_input("ls");
    if (type == "list_write" || type == "list_scatter") return change_list(op, ls);
    const std::shared_ptr<const List> list = datum(ls).list;
    ANEMONE_CHECK(list != nullptr) << ls.name;
    if (type == "list_length") {
      return set(op, 0, Tensor::scalar(DType::kI32, static_cast<double>(list->elements.size())));
    }
    if (type == "list_read") {
      const std::size_t i = index_in(op, length_of(*list), get(*op.find_input("index")).integer(0));
      return set(op, 0, element(op, *list, ls.type, i));
    }
    set(op, 0, gathered(op, *list, ls.type, get(*op.find_input("indices")).to_ints()));
  }

  void change_list(const Op& op, const Value& ls) {
    const Tensor value = convert(get(*op.find_input("value")), held_as(ls.type.dtype));
    const bool is_one = op.type() == "list_write";
    const std::vector<std::int64_t> indices =
        get(*op.find_input(is_one ? "index" : "indices")).to_ints();
    std::vector<std::size_t> places;
    std::int64_t length = length_of(*datum(ls).list);
    for (const std::int64_t index : indices) {
      places.push_back(place_in(op, length, datum(ls).list->can_grow, index));
      length = std::max(length, static_cast<std::int64_t>(places.back()) + 1);
    }
    const auto more = static_cast<std::uint64_t>(length) - datum(ls).list->elements.size();
    require_memory(op, added(more * sizeof(Tensor*) * 2, value.size_bytes()), " for the list");
    const std::shared_ptr<List> changed = changeable(op, ls);
    if (is_one) {
      put(*changed, places.front(), value);
      return set(op, 0, changed);
    }
    const Shape part(value.shape().begin() + 1, value.shape().end());
    const std::size_t width = places.empty() ? 0 : value.size_bytes() / places.size();
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto from = value.data().begin() + static_cast<std::ptrdiff_t>(i * width);
      std::vector<std::byte> bytes(from, from + static_cast<std::ptrdiff_t>(width));
      put(*changed, places[i], Tensor(value.dtype(), part, own_bytes(std::move(bytes))));
    }
    set(op, 0, changed);
  }

  const Interpreter& owner_;
  const mil::Function& function_;
  const StateAccess& states_;
  const Watch& watch_;
  std::uint64_t allowed_bytes_;
  std::uint64_t held_bytes_ = 0;  // by what ops gave
  std::int64_t iterations_ = 0;   // of all loops
  std::unordered_map<const Value*, Datum> values_;
};

Interpreter::Interpreter(const mil::Function& function, Arithmetic arithmetic, const Limits& limits,
                         const StopFlag* stop)
    : function_(function), arithmetic_(arithmetic), limits_(limits), stop_(stop) {
  find_spent(function.body, spent_);
  find_inner(function.body, inner_);
}

Interpreter::~Interpreter() = default;

Tensors Interpreter::run(const Tensors& inputs, const StateAccess& states,
                         const Watch& watch) const {
  return Frame(*this, states, watch).run(inputs);
}

}  // namespace anemone::engine
