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

bool is_expanded(const mil::Value& value) {
  return value.producer != nullptr && value.producer->type().starts_with("constexpr_");
}

}  // namespace

std::size_t WeightTable::use(const mil::Value& value) {
  const Tensor* part = is_expanded(value) ? nullptr : value.constant.get();
  std::string compression;
  if (part == nullptr && value.producer != nullptr) {
    compression = value.producer->type();
    for (const mil::Input& input : value.producer->inputs) {
      for (const mil::Value* from : input.values) {
        const Tensor* found = largest_part(*from);
        if (found && (!part || found->size_bytes() > part->size_bytes())) part = found;
      }
    }
  }
  const void* bytes =
      part != nullptr && part->bytes() ? part->bytes().get() : static_cast<const void*>(&value);
  const void* maker = compression.empty() ? nullptr : value.producer->def;
  const auto [at, is_new] = by_key_.emplace(Key{bytes, maker}, all_.size());
  if (is_new) {
    all_.push_back({.value = &value,
                    .compression = compression,
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
