#include "anemone/report/weights.h"

#include "anemone/mil/cost.h"
#include "anemone/mil/text_elements.h"

namespace anemone::report {
namespace {

// The biggest constant that `value` is made from, through any constexpr_* ops; null without one.
const Tensor* largest_part(const mil::Value& value, int depth = 0) {
  if (value.is_constant()) return value.constant.get();
  const Tensor* largest = nullptr;
  if (value.producer == nullptr || depth > 8) return largest;
  for (const mil::Input& input : value.producer->inputs) {
    for (const mil::Value* part : input.values) {
      const Tensor* found = largest_part(*part, depth + 1);
      if (found != nullptr && (!largest || found->size_bytes() > largest->size_bytes())) {
        largest = found;
      }
    }
  }
  return largest;
}

// The constant that stands for the elements of what a constexpr_* op makes, not its scales or
// tables; else the biggest one. Source of the names: coremltools 9.0,
// ops/defs/ios16/constexpr_ops.py and ios18/compression.py.
const Tensor* main_part(const mil::Op& op) {
  for (const char* parameter : {"indices", "quantized_data", "nonzero_data", "data"}) {
    const mil::Value* value = op.find_input(parameter);
    const Tensor* found = value != nullptr ? largest_part(*value) : nullptr;
    if (found != nullptr) return found;
  }
  const Tensor* largest = nullptr;
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      const Tensor* found = largest_part(*value);
      if (found && (!largest || found->size_bytes() > largest->size_bytes())) largest = found;
    }
  }
  return largest;
}

bool is_expanded(const mil::Value& value) {
  return value.producer != nullptr && value.producer->type().starts_with("constexpr_");
}

// What `value` is made of: its bytes, or an op and the bytes of all that the op takes.
void add_bytes(const mil::Value& value, std::vector<const void*>& key, int depth = 0) {
  if (!is_expanded(value) || depth > 8) {
    const bool has_bytes = value.is_constant() && value.constant->bytes();
    key.push_back(has_bytes ? static_cast<const void*>(value.constant->bytes().get()) : &value);
    return;
  }
  key.push_back(value.producer->def);
  for (const mil::Input& input : value.producer->inputs) {
    for (const mil::Value* from : input.values) add_bytes(*from, key, depth + 1);
  }
}

}  // namespace

std::size_t WeightTable::use(const mil::Value& value) {
  const bool is_made = is_expanded(value);
  const Tensor* part = is_made ? main_part(*value.producer) : value.constant.get();
  Key key;
  add_bytes(value, key);
  const auto [at, is_new] = by_key_.emplace(std::move(key), all_.size());
  if (is_new) {
    all_.push_back({.value = &value,
                    .compression = is_made ? std::string(value.producer->type()) : "",
                    .stored_dtype = std::string(name(part ? part->dtype() : value.type.dtype)),
                    .stored_bytes = mil::stored_bytes(value),
                    .dense_bytes = mil::size_bytes(value.type)});
  }
  ++all_[at->second].uses;
  return at->second;
}

bool is_literal(const mil::Value& value) {
  return value.is_constant() && !is_expanded(value) && value.constant->count() <= kLiteralElements;
}

std::string literal_text(const Tensor& tensor) {
  const Tensor resident = tensor.resident();
  std::string text = tensor.rank() == 0 ? "" : "[";
  for (std::int64_t i = 0; i < resident.count(); ++i) {
    if (i > 0) text += ", ";
    mil::append_element(text, resident, i);
  }
  return tensor.rank() == 0 ? text : text + "]";
}

}  // namespace anemone::report
