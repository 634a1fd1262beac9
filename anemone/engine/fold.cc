#include "anemone/engine/fold.h"

#include "anemone/base/check.h"
#include "anemone/mil/op.h"

namespace anemone::engine {

bool is_foldable(const mil::Op& op) {
  return op.def->eval != nullptr && op.def->effect == mil::Effect::kNone && op.blocks.empty() &&
         !op.outputs.empty();
}

std::vector<Tensor> fold(const mil::Op& op, mil::Opset opset, bool is_float32, const Known& known) {
  mil::Call call(*op.def, opset, op.name);
  const bool is_weight = op.type().starts_with("constexpr_");
  std::vector<Tensor> widened;  // keeps what the call points to
  std::size_t count = 0;
  for (const mil::Input& input : op.inputs) count += input.values.size();
  widened.reserve(count);
  for (const mil::Input& input : op.inputs) {
    std::vector<mil::Argument> arguments;
    for (const mil::Value* value : input.values) {
      const Tensor* tensor = known(*value);
      ANEMONE_CHECK(tensor != nullptr) << value->name;
      if (is_float32 && tensor->dtype() == DType::kF16 && !is_weight) {
        tensor = &widened.emplace_back(convert(*tensor, DType::kF32));
      }
      arguments.push_back(
          {.type = mil::Type::tensor(tensor->dtype(), tensor->shape()), .value = tensor});
    }
    call.bind(input.name, std::move(arguments));
  }
  std::vector<Tensor> results = op.def->eval(call);
  ANEMONE_CHECK(results.size() == op.outputs.size()) << op.type();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const DType declared = op.outputs[i]->type.dtype;
    const bool is_wide = is_float32 && declared == DType::kF16 && !is_weight;
    results[i] = convert(results[i], is_wide ? DType::kF32 : declared);
  }
  return results;
}

}  // namespace anemone::engine
