#include "anemone/generate/predictor.h"

#include "anemone/generate/interface.h"

namespace anemone::generate {
namespace {

const Port* find(const std::vector<Port>& ports, std::string_view name) {
  for (const Port& port : ports) {
    if (port.name == name) return &port;
  }
  return nullptr;
}

}  // namespace

FunctionInterface interface_of(const mil::Function& function) {
  FunctionInterface found{.name = function.name};
  for (const auto& input : function.inputs) {
    if (input->type.is_state()) {
      found.states.push_back({input->name, input->type.wrapped()});
    } else {
      found.inputs.push_back({input->name, input->type});
    }
  }
  for (const mil::Value* output : function.body.outputs) {
    found.outputs.push_back({output->name, output->type});
  }
  return found;
}

const Port* FunctionInterface::find_input(std::string_view input) const {
  return find(inputs, input);
}

const Port* FunctionInterface::find_output(std::string_view output) const {
  return find(outputs, output);
}

const FunctionInterface* Predictor::find_function(std::string_view function) const {
  for (const FunctionInterface& one : functions()) {
    if (one.name == function) return &one;
  }
  return nullptr;
}

}  // namespace anemone::generate
