#include "anemone/engine/specialise.h"

#include <algorithm>

#include "anemone/engine/fold.h"
#include "anemone/mil/op.h"

namespace anemone::engine {
namespace {

// Sizes and axes are small; weights are left to the plan.
constexpr std::int64_t kMaxElements = 4096;

bool is_known_and_small(const mil::Op& op) {
  if (!is_foldable(op) || op.type().starts_with("constexpr_")) return false;
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (!value->is_constant() || value->constant->count() > kMaxElements) return false;
    }
  }
  return std::all_of(op.outputs.begin(), op.outputs.end(), [](const auto& output) {
    return output->type.is_tensor() && output->type.is_static() &&
           element_count(output->type.shape) <= kMaxElements;
  });
}

// The declared type with the shape that inference finds, as far as it finds one.
mil::Type refined(const mil::Type& declared, const mil::Type& inferred) {
  if (declared.kind != inferred.kind || !declared.is_tensor() || !inferred.has_rank) {
    return declared.is_tensor() ? declared : inferred;
  }
  mil::Type type = declared;
  type.has_rank = true;
  type.shape = inferred.shape;
  if (declared.has_rank && declared.rank() == inferred.rank()) {
    for (std::size_t i = 0; i < type.shape.size(); ++i) {
      if (type.shape[i] == kUnknown) type.shape[i] = declared.shape[i];
    }
  }
  return type;
}

}  // namespace

std::unique_ptr<mil::Function> specialise(const mil::Function& function, const Shapes& shapes,
                                          Arithmetic arithmetic) {
  auto made = mil::clone(function);
  for (auto& input : made->inputs) {
    const auto found = shapes.find(input->name);
    if (found == shapes.end() || !input->type.is_tensor()) continue;
    input->type = mil::Type::tensor(input->type.dtype, found->second);
  }
  const Known known = [](const mil::Value& value) { return value.constant.get(); };
  for (auto& op : made->body.ops) {
    if (op->outputs.empty() || op->output()->is_constant() || !op->blocks.empty()) continue;
    const std::vector<mil::Type> types = mil::checked_infer(mil::call_of(*op, made->opset));
    for (std::size_t i = 0; i < op->outputs.size() && i < types.size(); ++i) {
      op->outputs[i]->type = refined(op->outputs[i]->type, types[i]);
    }
    if (op->type() == "shape" && op->find_input("x")->type.is_static()) {
      const Shape& shape = op->find_input("x")->type.shape;
      op->output()->constant = std::make_shared<const Tensor>(Tensor::from_ints(
          op->output()->type.dtype, {static_cast<std::int64_t>(shape.size())}, shape));
    } else if (is_known_and_small(*op)) {
      std::vector<Tensor> results =
          fold(*op, made->opset, arithmetic == Arithmetic::kFloat32, known);
      for (std::size_t i = 0; i < results.size(); ++i) {
        op->outputs[i]->constant = std::make_shared<const Tensor>(std::move(results[i]));
      }
    }
  }
  return made;
}

bool is_static(const mil::Function& function) {
  const auto is_plain = [](const mil::Value& value) {
    return (value.type.is_tensor() || value.type.is_state()) && value.type.is_static();
  };
  for (const auto& input : function.inputs) {
    if (!is_plain(*input)) return false;
  }
  for (const auto& op : function.body.ops) {
    if (!op->blocks.empty()) return false;
    for (const auto& output : op->outputs) {
      if (!output->is_constant() && !is_plain(*output)) return false;
    }
  }
  return true;
}

}  // namespace anemone::engine
