#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "anemone/mil/op.h"
#include "anemone/mil/program.h"

namespace anemone::mil {

// Appends ops to a function, inferring every type as it goes. Names are made unique by a suffix.
// Throws Error(kBadInput) where an op cannot take what it is given.
class Builder {
 public:
  // What a parameter is bound to: one value, several, or something to make a `const` of.
  struct Binding {
    Binding(Value* value) : values{value} {}                                     // NOLINT
    Binding(std::vector<Value*> many) : values(std::move(many)) {}               // NOLINT
    Binding(Tensor tensor) : constant(std::move(tensor)) {}                      // NOLINT
    Binding(bool value) : constant(Tensor::scalar_bool(value)) {}                // NOLINT
    Binding(int value) : constant(Tensor::scalar(DType::kI32, value)) {}         // NOLINT
    Binding(const char* value) : constant(Tensor::scalar_string(value)) {}       // NOLINT
    Binding(std::vector<std::int64_t> value) : constant(Tensor::ints(value)) {}  // NOLINT

    std::vector<Value*> values;
    std::optional<Tensor> constant;
  };
  using Bindings = std::vector<std::pair<std::string_view, Binding>>;

  explicit Builder(Function& function);

  Function& function() { return *function_; }

  Value* input(std::string name, Type type);
  // A `const` op. Equal small constants (at most 64 bytes) and the same shared tensor are made
  // once.
  Value* constant(std::string_view name, Tensor tensor);
  Value* constant(std::string_view name, std::shared_ptr<const Tensor> tensor);
  // Appends an op and gives its first output; the output bears the op's name.
  Value* add(std::string_view type, std::string_view name, Bindings bindings);
  // The same for ops with other than one output: `outputs` names them.
  Op* add_op(std::string_view type, std::string_view name, Bindings bindings,
             std::vector<std::string> outputs);
  // The values that the function gives back, under their own names.
  void set_outputs(std::vector<Value*> outputs);
  // Renames a value (an output, before set_outputs). The name must be free.
  void rename(Value* value, std::string name);

 private:
  std::string unique(std::string_view wanted);

  Function* function_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, Value*> small_constants_;
  std::unordered_map<const Tensor*, Value*> shared_constants_;
};

}  // namespace anemone::mil
