#include <charconv>

#include "anemone/checkpoint/gguf.h"
#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

std::string_view name(GgufType type) {
  constexpr std::string_view kNames[] = {"uint8",  "int8",    "uint16", "int16",  "uint32",
                                         "int32",  "float32", "bool",   "string", "array",
                                         "uint64", "int64",   "float64"};
  return kNames[static_cast<std::size_t>(type)];
}

// The integer at `raw`; absent if the type is no integer, or an unsigned one beyond 2^63 - 1.
std::optional<std::int64_t> integer(GgufType type, std::span<const std::byte> raw) {
  ByteReader reader(raw, "metadata");
  switch (type) {
    case GgufType::kU8:
      return reader.u8("");
    case GgufType::kI8:
      return reader.number<std::int8_t>("");
    case GgufType::kU16:
      return reader.u16("");
    case GgufType::kI16:
      return reader.number<std::int16_t>("");
    case GgufType::kU32:
      return reader.u32("");
    case GgufType::kI32:
      return reader.number<std::int32_t>("");
    case GgufType::kI64:
      return reader.number<std::int64_t>("");
    case GgufType::kU64: {
      const std::uint64_t value = reader.u64("");
      if (value > INT64_MAX) return std::nullopt;
      return static_cast<std::int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

double shortest_decimal(float value) {
  if (!std::isfinite(value)) return value;
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  double made = 0;
  std::from_chars(text, end, made);
  return made;
}

}  // namespace

const GgufValue* GgufMetadata::find(std::string_view key) const {
  const auto it = values_.find(key);
  return it == values_.end() ? nullptr : &it->second;
}

void GgufMetadata::wrong_type(std::string_view key, const GgufValue& value,
                              std::string_view allowed) const {
  std::string found(name(value.type));
  if (value.type == GgufType::kArray) {
    found = "array of " + std::string(name(value.element));
  } else if (const auto number = integer(value.type, value.raw)) {
    found += " " + std::to_string(*number);
  }
  bad_input(file_ + ": metadata " + in_quotes(key) + " is of type " + found +
            "; allowed: " + std::string(allowed));
}

std::optional<std::string> GgufMetadata::find_string(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != GgufType::kString) wrong_type(key, *value, "string");
  return std::string(as_text(value->raw.subspan(8)));
}

std::optional<bool> GgufMetadata::find_bool(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (value->type != GgufType::kBool) wrong_type(key, *value, "bool");
  return value->raw[0] != std::byte{0};
}

std::optional<std::int64_t> GgufMetadata::find_count(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto found = integer(value->type, value->raw);
  if (!found || *found < 0) wrong_type(key, *value, "an integer from 0 to 2^63 - 1");
  return found;
}

std::optional<double> GgufMetadata::find_number(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  ByteReader reader(value->raw, file_);
  double number = 0;
  if (value->type == GgufType::kF32) {
    number = shortest_decimal(reader.f32(""));
  } else if (value->type == GgufType::kF64) {
    number = reader.f64("");
  } else if (const auto whole = integer(value->type, value->raw)) {
    number = static_cast<double>(*whole);
  } else {
    wrong_type(key, *value, "a number");
  }
  if (!std::isfinite(number)) {
    bad_input(file_ + ": metadata " + in_quotes(key) + " is " + std::to_string(number) +
              "; allowed: a finite number");
  }
  return number;
}

const GgufValue* GgufMetadata::find_array(std::string_view key, std::string_view of) const {
  const GgufValue* value = find(key);
  if (value != nullptr && value->type != GgufType::kArray) {
    wrong_type(key, *value, "array of " + std::string(of));
  }
  return value;
}

std::vector<std::string> GgufMetadata::find_strings(std::string_view key) const {
  std::vector<std::string> made;
  const GgufValue* value = find_array(key, "strings");
  if (value == nullptr) return made;
  if (value->element != GgufType::kString) wrong_type(key, *value, "array of strings");
  made.reserve(static_cast<std::size_t>(value->count));
  ByteReader reader(value->raw, file_);
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const auto length = static_cast<std::size_t>(reader.u64(""));
    made.emplace_back(as_text(reader.take(length, "")));
  }
  return made;
}

std::vector<float> GgufMetadata::find_floats(std::string_view key) const {
  std::vector<float> made;
  const GgufValue* value = find_array(key, "float32");
  if (value == nullptr) return made;
  if (value->element != GgufType::kF32) wrong_type(key, *value, "array of float32");
  made.resize(static_cast<std::size_t>(value->count));
  if (!made.empty()) std::memcpy(made.data(), value->raw.data(), value->raw.size());
  return made;
}

std::vector<std::int64_t> GgufMetadata::find_integers(std::string_view key) const {
  std::vector<std::int64_t> made;
  const GgufValue* value = find_array(key, "integers");
  if (value == nullptr || value->count == 0) return made;
  const std::size_t each = value->raw.size() / static_cast<std::size_t>(value->count);
  for (std::size_t i = 0; i < value->count; ++i) {
    const auto found = integer(value->element, value->raw.subspan(i * each, each));
    if (!found) wrong_type(key, *value, "array of integers");
    made.push_back(*found);
  }
  return made;
}

}  // namespace anemone
