#include "anemone/mil/type.h"

#include <algorithm>
#include <cctype>

#include "anemone/base/check.h"

namespace anemone::mil {
namespace {

// Source: coremltools 9.0, coremltools/__init__.py (_OPSET and the SPECIFICATION_VERSION names).
constexpr OpsetInfo kOpsets[] = {
    {Opset::kIos15, "CoreML5", "ios15", "macos12", 6},
    {Opset::kIos16, "CoreML6", "ios16", "macos13", 7},
    {Opset::kIos17, "CoreML7", "ios17", "macos14", 8},
    {Opset::kIos18, "CoreML8", "ios18", "macos15", 9},
    {Opset::kIos26, "CoreML9", "ios26", "macos26", 10},
};

std::string tensor_text(const Type& type) {
  if (type.has_rank && type.shape.empty()) return std::string(name(type.dtype));
  std::string text = "tensor<" + std::string(name(type.dtype)) + ", ";
  return text + (type.has_rank ? anemone::to_string(type.shape) : "[...]") + ">";
}

}  // namespace

const OpsetInfo& info(Opset opset) {
  for (const OpsetInfo& row : kOpsets) {
    if (row.opset == opset) return row;
  }
  ANEMONE_CHECK(false) << "an opset without a row";
  return kOpsets[0];
}

std::optional<Opset> find_opset_by_name(std::string_view name) {
  for (const OpsetInfo& row : kOpsets) {
    if (row.name == name) return row.opset;
  }
  return std::nullopt;
}

std::optional<Opset> find_opset_by_target(std::string_view target) {
  std::string lower(target);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const OpsetInfo& row : kOpsets) {
    if (row.target == lower || row.macos == lower) return row.opset;
  }
  return std::nullopt;
}

std::string to_string(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kTensor:
      return tensor_text(type);
    case Type::Kind::kState:
      return "state<" + tensor_text(type) + ">";
    case Type::Kind::kList:
      return "list<" + tensor_text(type) + ", " +
             (type.length < 0 ? "?" : std::to_string(type.length)) + ">";
    case Type::Kind::kTuple:
    case Type::Kind::kDictionary: {
      std::string text = type.kind == Type::Kind::kTuple ? "tuple<" : "dict<";
      for (std::size_t i = 0; i < type.parts.size(); ++i) {
        text += (i > 0 ? ", " : "") + to_string(type.parts[i]);
      }
      return text + ">";
    }
  }
  return "?";
}

bool agrees(const Type& declared, const Type& found) {
  if (declared.kind != found.kind) return false;
  if (declared.kind == Type::Kind::kTuple || declared.kind == Type::Kind::kDictionary) {
    return std::equal(declared.parts.begin(), declared.parts.end(), found.parts.begin(),
                      found.parts.end(), agrees);
  }
  if (declared.dtype != found.dtype) return false;
  if (!declared.has_rank || !found.has_rank) return true;
  return std::equal(
      declared.shape.begin(), declared.shape.end(), found.shape.begin(), found.shape.end(),
      [](std::int64_t a, std::int64_t b) { return a == b || a == kUnknown || b == kUnknown; });
}

}  // namespace anemone::mil
