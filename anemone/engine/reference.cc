#include "anemone/engine/reference.h"

#include "anemone/base/error.h"
#include "anemone/engine/interpreter.h"

namespace anemone::engine {

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
  const StateAccess access = {
      .read = [this](std::string_view name) { return state(name); },
      .write = [this](std::string_view name, Tensor value) { set_state(name, std::move(value)); }};
  return Interpreter(*found, arithmetic_).run(inputs, access);
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
