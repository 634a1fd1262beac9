#include "anemone/engine/reference.h"

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/mil/op.h"

namespace anemone::engine {

using mil::Op;
using mil::Value;

// One run of one function: what every value is.
class Reference::Frame {
 public:
  Frame(Reference& owner, const mil::Function& function) : owner_(owner), function_(function) {}

  Tensors run(const Tensors& inputs) {
    for (const auto& input : function_.inputs) {
      if (input->type.is_state()) {
        states_[input.get()] = input->name;
        continue;
      }
      const auto found = inputs.find(input->name);
      if (found == inputs.end()) {
        throw Error(Code::kBadInput,
                    "function '" + function_.name + "' lacks input '" + input->name + "'");
      }
      if (found->second.shape() != input->type.shape) {
        throw Error(Code::kBadInput, "input '" + input->name + "' has shape " +
                                         anemone::to_string(found->second.shape()) +
                                         "; declared is " + mil::to_string(input->type));
      }
      values_[input.get()] = convert(found->second, held_as(input->type.dtype));
    }
    run_block(function_.body);
    Tensors outputs;
    for (const Value* output : function_.body.outputs) outputs[output->name] = get(*output);
    return outputs;
  }

 private:
  DType held_as(DType declared) const {
    const bool widens = owner_.arithmetic_ == Arithmetic::kFloat32 && declared == DType::kF16;
    return widens ? DType::kF32 : declared;
  }

  const Tensor& get(const Value& value) {
    const auto found = values_.find(&value);
    if (found != values_.end()) return found->second;
    ANEMONE_CHECK(value.constant != nullptr) << "'" << value.name << "' has no value";
    return values_[&value] = value.constant->resident();
  }

  void run_block(const mil::Block& block) {
    for (const auto& op : block.ops) run_op(*op);
  }

  void run_op(const Op& op) {
    if (!op.outputs.empty() && op.output()->constant != nullptr) return;
    if (op.def->effect == mil::Effect::kReadsState) {
      values_[op.output()] = owner_.states_.at(states_.at(op.find_input("input")));
      return;
    }
    if (op.def->effect == mil::Effect::kWritesState) {
      owner_.states_[states_.at(op.find_input("input"))] = get(*op.find_input("data"));
      return;
    }
    if (op.def->eval == nullptr) {
      throw Error(Code::kUnsupported, "function '" + function_.name + "': op '" + op.name + "' (" +
                                          std::string(op.type()) + ") has no definition to run");
    }
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
      values_[op.outputs[i].get()] = convert(results[i], wanted);
    }
  }

  Reference& owner_;
  const mil::Function& function_;
  std::unordered_map<const Value*, Tensor> values_;
  std::unordered_map<const Value*, std::string> states_;
};

Reference::Reference(std::shared_ptr<const mil::Program> program, Arithmetic arithmetic)
    : program_(std::move(program)), arithmetic_(arithmetic) {
  for (const auto& function : program_->functions) {
    for (const auto& input : function->inputs) {
      if (!input->type.is_state() || states_.count(input->name) > 0) continue;
      const bool widens = arithmetic == Arithmetic::kFloat32 && input->type.dtype == DType::kF16;
      const std::vector<double> zeros(static_cast<std::size_t>(element_count(input->type.shape)));
      states_[input->name] =
          Tensor::from_doubles(widens ? DType::kF32 : input->type.dtype, input->type.shape, zeros);
    }
  }
}

Reference::~Reference() = default;

Reference::Tensors Reference::run(std::string_view function, const Tensors& inputs) {
  const mil::Function* found = program_->find_function(function);
  if (found == nullptr) {
    throw Error(Code::kNotFound, "no function '" + std::string(function) + "'");
  }
  return Frame(*this, *found).run(inputs);
}

const Tensor& Reference::state(std::string_view name) const {
  const auto found = states_.find(name);
  if (found == states_.end()) {
    throw Error(Code::kNotFound, "no state '" + std::string(name) + "'");
  }
  return found->second;
}

void Reference::set_state(std::string_view name, Tensor value) {
  const Tensor& old = state(name);
  if (value.shape() != old.shape()) {
    throw Error(Code::kBadInput, "state '" + std::string(name) + "' has shape " +
                                     anemone::to_string(old.shape()) + "; got " +
                                     anemone::to_string(value.shape()));
  }
  states_.find(name)->second = convert(value, old.dtype());
}

}  // namespace anemone::engine
