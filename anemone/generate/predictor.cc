#include "anemone/generate/predictor.h"

namespace anemone::generate {
namespace {

const Port* find(const std::vector<Port>& ports, std::string_view name) {
  for (const Port& port : ports) {
    if (port.name == name) return &port;
  }
  return nullptr;
}

}  // namespace

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
