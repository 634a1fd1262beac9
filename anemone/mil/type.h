#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/tensor/dtype.h"
#include "anemone/tensor/shape.h"

namespace anemone::mil {

// Generations of the op set; later ones contain earlier ones. A function names the one it speaks.
enum class Opset : std::uint8_t { kIos15, kIos16, kIos17, kIos18, kIos26 };

struct OpsetInfo {
  Opset opset;
  std::string_view name;      // "CoreML8", as the file says
  std::string_view target;    // "ios18"
  std::string_view macos;     // "macos15"
  int specification_version;  // 9
};
const OpsetInfo& info(Opset opset);
std::optional<Opset> find_opset_by_name(std::string_view name);
// "ios18", "iOS18" or "macos15", in any case.
std::optional<Opset> find_opset_by_target(std::string_view target);

// What a value is. Tensors dominate; states wrap a tensor; lists, tuples and dictionaries are rare.
struct Type {
  enum class Kind : std::uint8_t { kTensor, kState, kList, kTuple, kDictionary };

  Kind kind = Kind::kTensor;
  DType dtype = DType::kF32;       // of the tensor, of the state's tensor, of the list's elements
  Shape shape = {};                // likewise; kUnknown where only a call fixes an extent
  bool has_rank = true;            // false: not even the rank is known, and shape is empty
  std::int64_t length = kUnknown;  // of a list
  std::vector<Type> parts = {};    // tuple: its members; dictionary: key and value

  static Type tensor(DType dtype, Shape shape) {
    return {.dtype = dtype, .shape = std::move(shape)};
  }
  static Type scalar(DType dtype) { return tensor(dtype, {}); }
  static Type state(DType dtype, Shape shape) {
    return {.kind = Kind::kState, .dtype = dtype, .shape = std::move(shape)};
  }
  static Type list(DType dtype, Shape shape, std::int64_t length) {
    return {.kind = Kind::kList, .dtype = dtype, .shape = std::move(shape), .length = length};
  }

  bool is_tensor() const { return kind == Kind::kTensor; }
  bool is_state() const { return kind == Kind::kState; }
  bool is_static() const { return has_rank && is_known(shape); }
  std::int64_t rank() const { return static_cast<std::int64_t>(shape.size()); }
  // The tensor inside a state.
  Type wrapped() const { return tensor(dtype, shape); }

  friend bool operator==(const Type&, const Type&) = default;
};

// "tensor<fp16, [1, 64, ?]>", "state<tensor<fp16, [2, 8]>>", "int32" (of rank 0), as the text form
// spells it.
std::string to_string(const Type& type);
// True if a value of type `found` may stand where `declared` is promised: equal, but that an
// unknown extent or rank agrees with anything.
bool agrees(const Type& declared, const Type& found);

}  // namespace anemone::mil
