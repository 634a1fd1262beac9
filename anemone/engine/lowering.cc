#include "anemone/base/check.h"
#include "anemone/engine/planner.h"

namespace anemone::engine {

Lowering::Lowering(Planner& planner, const mil::Op& op, const mil::Call& call)
    : planner_(planner), op_(op), call_(call) {}

const mil::Value* Lowering::find(std::string_view parameter, std::size_t i) const {
  const auto values = op_.find_inputs(parameter);
  return i < values.size() ? values[i] : nullptr;
}

bool Lowering::has(std::string_view parameter) const { return find(parameter, 0) != nullptr; }

std::size_t Lowering::count(std::string_view parameter) const {
  return op_.find_inputs(parameter).size();
}

const mil::Value& Lowering::value(std::string_view parameter, std::size_t i) const {
  const mil::Value* found = find(parameter, i);
  ANEMONE_CHECK(found != nullptr) << op_.type() << " has no " << parameter;
  return *found;
}

const Tensor* Lowering::constant(std::string_view parameter, std::size_t i) const {
  const mil::Value* found = find(parameter, i);
  return found == nullptr ? nullptr : planner_.constant(*found);
}

const View& Lowering::view(std::string_view parameter, std::size_t i) const {
  return planner_.view(value(parameter, i));
}

const mil::Type& Lowering::output_type(std::size_t output) const {
  return op_.outputs[output]->type;
}

bool Lowering::rounds(std::size_t output) const { return planner_.rounds(output_type(output)); }

bool Lowering::is_float32() const { return planner_.is_float32(); }

int Lowering::read(const View& view) {
  operands_.push_back(view);
  return static_cast<int>(operands_.size()) - 1;
}

const View& Lowering::view(const mil::Value& value) const { return planner_.view(value); }

View Lowering::batches(const mil::Value& value) const { return planner_.batches(value); }

View Lowering::dense(const mil::Value& value) { return planner_.dense(value); }

int Lowering::threads() const { return planner_.threads(); }

View Lowering::dense(std::string_view parameter, std::size_t i) {
  return planner_.dense(value(parameter, i));
}

View Lowering::runs(std::string_view parameter, std::size_t i) {
  return planner_.runs(value(parameter, i));
}

View Lowering::rearranged(const View& view) {
  return planner_.copied(view, is_float(view.stored) ? DType::kF32 : view.stored, op_.name);
}

int Lowering::read_dense(std::string_view parameter, std::size_t i) {
  return read(dense(parameter, i));
}

int Lowering::write(std::size_t output) {
  const mil::Value& value = *op_.outputs[output];
  const View view = planner_.allocate(stored_as(value.type, planner_.where(op_)), value.type.shape);
  planner_.set_view(value, view);
  return read(view);
}

int Lowering::write_over(const std::vector<int>& operands, std::size_t output) {
  const int to = write(output);
  for (const int operand : operands) overwrites_.push_back({.output = to, .operand = operand});
  return to;
}

int Lowering::scratch(std::size_t bytes) {
  return read(planner_.allocate(DType::kU8, {static_cast<std::int64_t>(bytes)}));
}

}  // namespace anemone::engine
