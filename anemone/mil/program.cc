#include "anemone/mil/program.h"

#include <algorithm>

#include "anemone/base/check.h"
#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

constexpr std::string_view kReserved[] = {"any",   "bool",  "program", "func",   "tensor", "list",
                                          "dict",  "tuple", "true",    "false",  "string", "bf16",
                                          "fp16",  "fp32",  "fp64",    "int8",   "int16",  "int32",
                                          "int64", "uint8", "uint16",  "uint32", "uint64", "state"};

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

using Renamed = std::unordered_map<const Value*, Value*>;

std::unique_ptr<Value> copy_value(const Value& from, Op* producer, Renamed& renamed) {
  auto value = std::make_unique<Value>(from);
  value->producer = producer;
  renamed[&from] = value.get();
  return value;
}

Value* translated(const Value* from, const Renamed& renamed) {
  const auto found = renamed.find(from);
  ANEMONE_CHECK(found != renamed.end())
      << "value '" << from->name << "' is used before it is defined";
  return found->second;
}

void copy_block(const Block& from, Block& to, Renamed& renamed) {
  for (const auto& input : from.inputs) to.inputs.push_back(copy_value(*input, nullptr, renamed));
  for (const auto& op : from.ops) {
    auto copy = std::make_unique<Op>();
    copy->def = op->def;
    copy->name = op->name;
    for (const auto& literal : op->literals) {
      copy->literals.push_back(copy_value(*literal, nullptr, renamed));
    }
    for (const Input& input : op->inputs) {
      Input& bound = copy->inputs.emplace_back();
      bound.name = input.name;
      for (const Value* value : input.values) bound.values.push_back(translated(value, renamed));
    }
    for (const auto& block : op->blocks) {
      copy->blocks.push_back(std::make_unique<Block>());
      copy_block(*block, *copy->blocks.back(), renamed);
    }
    for (const auto& output : op->outputs) {
      copy->outputs.push_back(copy_value(*output, copy.get(), renamed));
    }
    to.ops.push_back(std::move(copy));
  }
  for (const Value* output : from.outputs) to.outputs.push_back(translated(output, renamed));
}

void visit_block(const Block& block, const std::function<void(const Op&, int)>& visit, int depth) {
  for (const auto& op : block.ops) {
    visit(*op, depth);
    for (const auto& nested : op->blocks) visit_block(*nested, visit, depth + 1);
  }
}

}  // namespace

std::string_view Op::type() const { return def->name; }

std::span<Value* const> Op::find_inputs(std::string_view parameter) const {
  for (const Input& input : inputs) {
    if (input.name == parameter) return input.values;
  }
  return {};
}

Value* Op::find_input(std::string_view parameter) const {
  const auto values = find_inputs(parameter);
  return values.empty() ? nullptr : values.front();
}

Value* Function::find_input(std::string_view input) const {
  for (const auto& value : inputs) {
    if (value->name == input) return value.get();
  }
  return nullptr;
}

Function* Program::find_function(std::string_view function) const {
  for (const auto& candidate : functions) {
    if (candidate->name == function) return candidate.get();
  }
  return nullptr;
}

Function& Program::add_function(std::string name, Opset opset) {
  ANEMONE_CHECK(find_function(name) == nullptr) << name;
  auto function = std::make_unique<Function>();
  function->name = std::move(name);
  function->opset = opset;
  const auto at =
      std::upper_bound(functions.begin(), functions.end(), function->name,
                       [](const std::string& key, const auto& other) { return key < other->name; });
  return **functions.insert(at, std::move(function));
}

void for_each_op(const Block& block, const std::function<void(const Op&, int depth)>& visit) {
  visit_block(block, visit, 0);
}

std::unique_ptr<Function> clone(const Function& function) {
  auto copy = std::make_unique<Function>();
  copy->name = function.name;
  copy->opset = function.opset;
  Renamed renamed;
  for (const auto& input : function.inputs) {
    copy->inputs.push_back(copy_value(*input, nullptr, renamed));
  }
  copy_block(function.body, copy->body, renamed);
  return copy;
}

bool is_identifier(std::string_view name) {
  if (name.empty() || !is_letter(name.front())) return false;
  if (std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved)) {
    return false;
  }
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || is_digit(c) || c == '@'; });
}

std::string to_identifier(std::string_view name, std::string_view prefix) {
  std::string clean(name);
  for (char& c : clean) {
    if (!is_letter(c) && !is_digit(c)) c = '_';
  }
  if (clean.empty() || !is_letter(clean.front())) clean = std::string(prefix) + clean;
  if (!is_identifier(clean)) clean += "_workaround";
  return clean;
}

}  // namespace anemone::mil
