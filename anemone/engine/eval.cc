#include "anemone/base/error.h"
#include "anemone/engine/planner.h"

// The way out for ops without a kernel: the catalogue's own slow and exact definition.
namespace anemone::engine {
namespace {

struct Place {
  std::string_view parameter;
  std::size_t index = 0;
  int operand = -1;
  mil::Type type;  // of the tensor to be made
};

Tensor tensor_at(const mil::Type& type, DType stored, const std::byte* at) {
  const auto count = static_cast<std::size_t>(element_count(type.shape));
  if (type.dtype == DType::kF16 && stored == DType::kF32) {
    return Tensor::from_floats(DType::kF16, type.shape,
                               {reinterpret_cast<const float*>(at), count});
  }
  const auto bytes = static_cast<std::size_t>(size_bytes(type.dtype, count));
  return Tensor(type.dtype, type.shape, own_bytes(std::vector<std::byte>(at, at + bytes)));
}

class Eval : public Kernel {
 public:
  Eval(const mil::Op& op, mil::Opset opset, std::string where)
      : op_(op), opset_(opset), where_(std::move(where)) {}

  void run(const Run& run) const override {
    mil::Call call(*op_.def, opset_, op_.name);
    std::vector<Tensor> made;
    made.reserve(places_.size());
    auto place = places_.begin();
    for (const auto& [parameter, arguments] : fixed_) {
      std::vector<mil::Argument> bound = arguments;
      for (; place != places_.end() && place->parameter == parameter; ++place) {
        made.push_back(tensor_at(place->type, stored_[static_cast<std::size_t>(place->operand)],
                                 run.in<std::byte>(place->operand)));
        bound[place->index] = {.type = place->type, .value = &made.back()};
      }
      call.bind(parameter, std::move(bound));
    }
    const std::vector<Tensor> results = op_.def->eval(call);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto& [operand, type] = outputs_[i];
      if (results[i].shape() != type.shape) {
        throw Error(Code::kBadInput, where_ + ": gives shape " +
                                         anemone::to_string(results[i].shape()) + "; declared is " +
                                         anemone::to_string(type.shape));
      }
      put(results[i], type, run.out<std::byte>(operand));
    }
  }

  std::vector<std::pair<std::string_view, std::vector<mil::Argument>>> fixed_;
  std::vector<std::shared_ptr<const Tensor>> kept_;  // the values in fixed_
  std::vector<Place> places_;                        // in the order of fixed_
  std::vector<DType> stored_;                        // of the operands
  std::vector<std::pair<int, mil::Type>> outputs_;

 private:
  // Floats are stored as float; in fp32 arithmetic `result` is fp32 even where fp16 is declared.
  static void put(const Tensor& result, const mil::Type& type, std::byte* to) {
    if (is_float(type.dtype)) {
      const std::vector<float> values = result.to_floats();
      std::copy(values.begin(), values.end(), reinterpret_cast<float*>(to));
    } else {
      const Tensor converted = convert(result, type.dtype);
      std::copy(converted.data().begin(), converted.data().end(), to);
    }
  }

  const mil::Op& op_;
  mil::Opset opset_;
  std::string where_;
};

}  // namespace

std::unique_ptr<const Kernel> make_eval(Planner& planner, const mil::Op& op, const mil::Call& call,
                                        std::vector<View>& operands,
                                        std::vector<Overwrite>& overwrites) {
  if (op.def->eval == nullptr || op.def->effect == mil::Effect::kReadsState ||
      op.def->effect == mil::Effect::kWritesState) {
    return nullptr;
  }
  planner.check_definition(op);
  auto eval = std::make_unique<Eval>(op, planner.function().opset, planner.where(op));
  const auto add = [&](const View& view) {
    operands.push_back(view);
    eval->stored_.push_back(view.stored);
    return static_cast<int>(operands.size()) - 1;
  };
  for (const mil::Input& input : op.inputs) {
    const auto arguments = call.arguments(input.name);
    eval->fixed_.emplace_back(op.def->find_input(input.name)->name,
                              std::vector<mil::Argument>(arguments.begin(), arguments.end()));
    for (std::size_t i = 0; i < input.values.size(); ++i) {
      const mil::Value& value = *input.values[i];
      if (auto known = planner.shared_constant(value)) {
        eval->kept_.push_back(std::move(known));
        continue;
      }
      mil::Type type = value.type;
      if (type.dtype == DType::kF16 && planner.is_float32()) type.dtype = DType::kF32;
      eval->places_.push_back({eval->fixed_.back().first, i, add(planner.dense(value)), type});
    }
  }
  for (const auto& output : op.outputs) {
    const View view =
        planner.allocate(stored_as(output->type, planner.where(op)), output->type.shape);
    planner.set_view(*output, view);
    eval->outputs_.emplace_back(add(view), output->type);
    // All operands become tensors before the first result is written.
    for (const Place& place : eval->places_) {
      overwrites.push_back(
          {.output = eval->outputs_.back().first, .operand = place.operand, .at_once = true});
    }
  }
  return eval;
}

}  // namespace anemone::engine
