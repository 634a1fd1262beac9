#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/mil/type.h"
#include "anemone/tensor/tensor.h"

namespace anemone::mil {

struct OpDef;  // op.h
struct Op;
struct Block;
struct Function;

// One SSA value: a function or block input, an op's output, or a literal bound straight to a
// parameter. Owned by whatever defines it; everything else points to it.
struct Value {
  std::string name;  // unique in its function; empty for a literal
  Type type;
  Op* producer = nullptr;  // null for inputs and literals
  // The contents, where they are known before any call: outputs of `const`, literals, and what
  // constant folding found. Shared, so that two functions can hold one weight.
  std::shared_ptr<const Tensor> constant;

  bool is_constant() const { return constant != nullptr; }
};

// One parameter of an op with what is bound to it; variadic parameters (concat's values) bind
// several.
struct Input {
  std::string name;
  std::vector<Value*> values;
};

// One operation. Ordinary parameters are bound to values, constant or not. The older constexpr_*
// ops, whose parameters are attributes in the file, hold them here as literals all the same.
struct Op {
  const OpDef* def = nullptr;
  std::string name;  // the file's `name` attribute; unique in its function
  std::vector<Input> inputs;
  std::vector<std::unique_ptr<Value>> outputs;
  std::vector<std::unique_ptr<Block>> blocks;    // cond: 2; while_loop: 2
  std::vector<std::unique_ptr<Value>> literals;  // owned constants that some input is bound to

  std::string_view type() const;  // "softmax"
  // What is bound to the parameter; empty when nothing is.
  std::span<Value* const> find_inputs(std::string_view parameter) const;
  // The one value bound to it; null when nothing is.
  Value* find_input(std::string_view parameter) const;
  Value* output(std::size_t i = 0) const { return outputs[i].get(); }
};

// Ops in an order in which every value is defined before it is used. Nested blocks see outer
// values.
struct Block {
  std::vector<std::unique_ptr<Value>> inputs;  // nested blocks only
  std::vector<std::unique_ptr<Op>> ops;
  std::vector<Value*> outputs;
};

struct Function {
  std::string name;
  Opset opset = Opset::kIos18;
  std::vector<std::unique_ptr<Value>> inputs;  // tensors and states
  Block body;

  Value* find_input(std::string_view input) const;
};

struct Program {
  std::vector<std::unique_ptr<Function>> functions;  // in the order of their names
  std::map<std::string, std::string> build_info;     // the program attribute `buildInfo`

  Function* find_function(std::string_view function) const;
  // Adds an empty function. The name must be new.
  Function& add_function(std::string name, Opset opset);
};

// Calls `visit(op, depth)` for every op, nested ones after the op that holds them.
void for_each_op(const Block& block, const std::function<void(const Op&, int depth)>& visit);

// A copy with values and ops of its own; constants are shared.
std::unique_ptr<Function> clone(const Function& function);

// True if MIL takes `name` as an identifier: [A-Za-z_][A-Za-z0-9_@]*, no reserved word.
// Source: coremltools 9.0 mlmodel/format/MIL.proto and mil/passes/defs/preprocess.py.
bool is_identifier(std::string_view name);
// The nearest identifier: other characters become '_', a bad first one gets `prefix` ("var_").
std::string to_identifier(std::string_view name, std::string_view prefix = "var_");

}  // namespace anemone::mil
