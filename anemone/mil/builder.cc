#include "anemone/mil/builder.h"

#include "anemone/base/check.h"

namespace anemone::mil {
namespace {

constexpr std::size_t kSmallBytes = 64;

// Dtype, shape and contents as one key.
std::string key_of(const Tensor& tensor) {
  std::string key(name(tensor.dtype()));
  key += anemone::to_string(tensor.shape());
  for (const std::string& text : tensor.strings()) key += text + '\0';
  key += as_text(tensor.data());
  return key;
}

}  // namespace

Builder::Builder(Function& function) : function_(&function) {
  for (const auto& input : function.inputs) names_.insert(input->name);
  for_each_op(function.body, [&](const Op& op, int) {
    names_.insert(op.name);
    for (const auto& output : op.outputs) names_.insert(output->name);
  });
}

std::string Builder::unique(std::string_view wanted) {
  const std::string base = to_identifier(wanted, "op_");
  std::string name = base;
  for (int i = 0; !names_.insert(name).second; ++i) name = base + "_" + std::to_string(i);
  return name;
}

Value* Builder::input(std::string name, Type type) {
  ANEMONE_CHECK(is_identifier(name)) << name;
  ANEMONE_CHECK(names_.insert(name).second) << name;
  auto value = std::make_unique<Value>();
  value->name = std::move(name);
  value->type = std::move(type);
  return function_->inputs.emplace_back(std::move(value)).get();
}

Value* Builder::constant(std::string_view name, Tensor tensor) {
  if (tensor.is_resident() && tensor.size_bytes() <= kSmallBytes) {
    Value*& known = small_constants_[key_of(tensor)];
    if (known == nullptr) known = constant(name, std::make_shared<const Tensor>(std::move(tensor)));
    return known;
  }
  return constant(name, std::make_shared<const Tensor>(std::move(tensor)));
}

Value* Builder::constant(std::string_view name, std::shared_ptr<const Tensor> tensor) {
  Value*& known = shared_constants_[tensor.get()];
  if (known != nullptr) return known;
  auto op = std::make_unique<Op>();
  op->def = find_op("const");
  ANEMONE_CHECK(op->def != nullptr);
  op->name = unique(name);
  auto value = std::make_unique<Value>();
  value->name = op->name;
  value->type = Type::tensor(tensor->dtype(), tensor->shape());
  value->producer = op.get();
  value->constant = std::move(tensor);
  known = op->outputs.emplace_back(std::move(value)).get();
  function_->body.ops.push_back(std::move(op));
  return known;
}

Value* Builder::add(std::string_view type, std::string_view name, Bindings bindings) {
  Op* op = add_op(type, name, std::move(bindings), {std::string(name)});
  return op->output();
}

Op* Builder::add_op(std::string_view type, std::string_view name, Bindings bindings,
                    std::vector<std::string> outputs) {
  auto op = std::make_unique<Op>();
  op->def = find_op(type);
  ANEMONE_CHECK(op->def != nullptr) << "no op '" << type << "'";
  op->name = unique(name);
  for (auto& [parameter, binding] : bindings) {
    Input& input = op->inputs.emplace_back();
    input.name = parameter;
    if (binding.constant) {
      input.values = {
          constant(op->name + "_" + std::string(parameter), std::move(*binding.constant))};
    } else {
      input.values = std::move(binding.values);
    }
    for (const Value* value : input.values)
      ANEMONE_CHECK(value != nullptr) << name << "." << parameter;
  }
  std::vector<Type> types = checked_infer(call_of(*op, function_->opset));
  ANEMONE_CHECK(types.size() == outputs.size()) << type << " gives " << types.size() << " outputs";
  for (std::size_t i = 0; i < types.size(); ++i) {
    auto value = std::make_unique<Value>();
    value->name = outputs.size() == 1 ? op->name : unique(outputs[i]);
    value->type = std::move(types[i]);
    value->producer = op.get();
    op->outputs.push_back(std::move(value));
  }
  return function_->body.ops.emplace_back(std::move(op)).get();
}

void Builder::set_outputs(std::vector<Value*> outputs) {
  function_->body.outputs = std::move(outputs);
}

void Builder::rename(Value* value, std::string name) {
  ANEMONE_CHECK(is_identifier(name)) << name;
  ANEMONE_CHECK(names_.insert(name).second) << name;
  value->name = std::move(name);
}

}  // namespace anemone::mil
