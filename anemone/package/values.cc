#include "anemone/package/values.h"

#include <bit>
#include <limits>

#include "anemone/base/check.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

// Numbers are copied as they lie in memory.
static_assert(std::endian::native == std::endian::little);

// Which member of TensorValue holds a dtype's elements.
// Source: coremltools 9.0, converters/mil/backend/mil/helper.py.
spec::TensorValue::ValueCase field_of(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return spec::TensorValue::kFloats;
    case DType::kF64:
      return spec::TensorValue::kDoubles;
    case DType::kI16:
    case DType::kU16:
    case DType::kI32:
      return spec::TensorValue::kInts;
    case DType::kI64:
    case DType::kU64:
      return spec::TensorValue::kLongInts;
    case DType::kBool:
      return spec::TensorValue::kBools;
    case DType::kString:
      return spec::TensorValue::kStrings;
    default:
      return spec::TensorValue::kBytes;
  }
}

const char* field_name(spec::TensorValue::ValueCase field) {
  switch (field) {
    case spec::TensorValue::kFloats:
      return "floats";
    case spec::TensorValue::kInts:
      return "ints";
    case spec::TensorValue::kBools:
      return "bools";
    case spec::TensorValue::kStrings:
      return "strings";
    case spec::TensorValue::kLongInts:
      return "longInts";
    case spec::TensorValue::kDoubles:
      return "doubles";
    case spec::TensorValue::kBytes:
      return "bytes";
    case spec::TensorValue::VALUE_NOT_SET:
      break;
  }
  return "nothing";
}

void require_count(std::uint64_t found, std::uint64_t wanted, const mil::Type& type,
                   const char* unit) {
  if (found == wanted) return;
  throw Error(Code::kBadInput, "a value of type " + mil::to_string(type) + " holds " +
                                   std::to_string(found) + " " + unit + "; it needs " +
                                   std::to_string(wanted));
}

template <typename Stored, typename Values>
std::shared_ptr<const Bytes> copied(const Values& values, const mil::Type& type) {
  std::vector<std::byte> bytes(sizeof(Stored) * static_cast<std::size_t>(values.size()));
  std::byte* to = bytes.data();
  for (const auto value : values) {
    const auto stored = static_cast<Stored>(value);
    if (static_cast<decltype(value)>(stored) != value && value == value) {
      throw Error(Code::kBadInput, "a value of type " + mil::to_string(type) + " holds " +
                                       std::to_string(value) + ", which does not fit");
    }
    std::memcpy(to, &stored, sizeof(Stored));
    to += sizeof(Stored);
  }
  return own_bytes(std::move(bytes));
}

std::shared_ptr<const Bytes> copied(const std::string& raw) {
  const auto bytes = as_bytes(raw);
  return own_bytes({bytes.begin(), bytes.end()});
}

Tensor read_elements(const mil::Type& type, const spec::TensorValue& from) {
  const auto count = static_cast<std::uint64_t>(element_count(type.shape));
  const auto field = field_of(type.dtype);
  const bool absent = from.value_case() == spec::TensorValue::VALUE_NOT_SET;
  if (from.value_case() != field && !(absent && count == 0)) {
    throw Error(Code::kBadInput, "a value of type " + mil::to_string(type) + " stands in '" +
                                     field_name(from.value_case()) + "'; it belongs in '" +
                                     field_name(field) + "'");
  }
  const auto make = [&](const auto& values, auto copy) {
    require_count(static_cast<std::uint64_t>(values.size()), count, type, "elements");
    return Tensor(type.dtype, type.shape, copy(values));
  };
  switch (field) {
    case spec::TensorValue::kFloats:
      return make(from.floats().values(), [&](auto& v) { return copied<float>(v, type); });
    case spec::TensorValue::kDoubles:
      return make(from.doubles().values(), [&](auto& v) { return copied<double>(v, type); });
    case spec::TensorValue::kBools:
      return make(from.bools().values(), [&](auto& v) { return copied<std::uint8_t>(v, type); });
    case spec::TensorValue::kLongInts:
      return make(from.long_ints().values(),
                  [&](auto& v) { return copied<std::int64_t>(v, type); });
    case spec::TensorValue::kInts:
      return make(from.ints().values(), [&](auto& v) {
        if (type.dtype == DType::kI16) return copied<std::int16_t>(v, type);
        if (type.dtype == DType::kU16) return copied<std::uint16_t>(v, type);
        return copied<std::int32_t>(v, type);
      });
    case spec::TensorValue::kStrings: {
      const auto& values = from.strings().values();
      require_count(static_cast<std::uint64_t>(values.size()), count, type, "elements");
      return Tensor::from_strings(type.shape, {values.begin(), values.end()});
    }
    default:
      break;
  }
  const std::string& raw = from.bytes().values();
  require_count(raw.size(), size_bytes(type.dtype, count), type, "bytes");
  return Tensor(type.dtype, type.shape, copied(raw));
}

void write_elements(const Tensor& given, spec::TensorValue* to) {
  const Tensor tensor = given.resident();
  const auto raw = tensor.data();
  const auto copy = [&](auto* values, auto element) {
    using T = decltype(element);
    values->Reserve(static_cast<int>(raw.size() / sizeof(T)));
    for (std::size_t at = 0; at < raw.size(); at += sizeof(T)) {
      T value;
      std::memcpy(&value, raw.data() + at, sizeof(T));
      values->Add(static_cast<std::remove_reference_t<decltype(*values->begin())>>(value));
    }
  };
  switch (field_of(tensor.dtype())) {
    case spec::TensorValue::kFloats:
      return copy(to->mutable_floats()->mutable_values(), float{});
    case spec::TensorValue::kDoubles:
      return copy(to->mutable_doubles()->mutable_values(), double{});
    case spec::TensorValue::kBools:
      return copy(to->mutable_bools()->mutable_values(), std::uint8_t{});
    case spec::TensorValue::kLongInts:
      return copy(to->mutable_long_ints()->mutable_values(), std::int64_t{});
    case spec::TensorValue::kInts: {
      auto* values = to->mutable_ints()->mutable_values();
      if (tensor.dtype() == DType::kI16) return copy(values, std::int16_t{});
      if (tensor.dtype() == DType::kU16) return copy(values, std::uint16_t{});
      return copy(values, std::int32_t{});
    }
    case spec::TensorValue::kStrings: {
      auto* values = to->mutable_strings();
      for (const std::string& text : tensor.strings()) values->add_values(text);
      return;
    }
    default:
      to->mutable_bytes()->set_values(std::string(as_text(raw)));
  }
}

Constant read_list(const mil::Type& type, const spec::Value& from) {
  if (!from.has_immediate_value() || !from.immediate_value().has_list()) {
    throw Error(Code::kBadInput, "a value of type " + mil::to_string(type) + " holds no list");
  }
  if (!type.has_rank || !type.shape.empty()) {
    throw Error(Code::kUnsupported,
                "a value of type " + mil::to_string(type) + "; only lists of scalars are handled");
  }
  const auto& values = from.immediate_value().list().values();
  const auto count = static_cast<std::int64_t>(values.size());
  if (type.length != kUnknown) {
    require_count(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(type.length), type,
                  "elements");
  }
  mil::Type list = type;
  list.length = count;
  std::vector<std::string> strings;
  std::vector<std::byte> bytes;
  for (const spec::Value& value : values) {
    const mil::Type element = read_type(value.type());
    if (element != mil::Type::scalar(type.dtype)) {
      throw Error(Code::kBadInput, "a value of type " + mil::to_string(type) +
                                       " holds an element of type " + mil::to_string(element));
    }
    const Tensor scalar = read_elements(element, value.immediate_value().tensor());
    if (type.dtype == DType::kString) {
      strings.push_back(scalar.strings().front());
    } else {
      bytes.insert(bytes.end(), scalar.data().begin(), scalar.data().end());
    }
  }
  if (type.dtype == DType::kString) {
    return {list, std::make_shared<Tensor>(Tensor::from_strings({count}, std::move(strings)))};
  }
  if (is_sub_byte(type.dtype)) {
    throw Error(Code::kUnsupported, "a value of type " + mil::to_string(type) +
                                        "; lists of such elements are not handled");
  }
  return {list, std::make_shared<Tensor>(type.dtype, Shape{count}, own_bytes(std::move(bytes)))};
}

void write_list(const mil::Type& type, const Tensor& given, spec::Value* to) {
  if (!type.shape.empty() || is_sub_byte(type.dtype)) {
    throw Error(Code::kUnsupported, "a value of type " + mil::to_string(type) +
                                        "; only lists of scalars of whole bytes are handled");
  }
  const Tensor tensor = given.resident();
  ANEMONE_CHECK(tensor.rank() == 1 && tensor.dtype() == type.dtype) << mil::to_string(type);
  auto* list = to->mutable_immediate_value()->mutable_list();
  const std::size_t width = static_cast<std::size_t>(width_bits(tensor.dtype())) / 8;
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.count()); ++i) {
    spec::Value* value = list->add_values();
    write_type(mil::Type::scalar(tensor.dtype()), value->mutable_type());
    Tensor scalar;
    if (tensor.dtype() == DType::kString) {
      scalar = Tensor::scalar_string(tensor.strings()[i]);
    } else {
      const auto bytes = tensor.data().subspan(i * width, width);
      scalar = Tensor(tensor.dtype(), {}, own_bytes({bytes.begin(), bytes.end()}));
    }
    write_elements(scalar, value->mutable_immediate_value()->mutable_tensor());
  }
}

}  // namespace

Constant read_constant(const spec::Value& from, const WeightFiles& weights) {
  const mil::Type type = read_type(from.type());
  if (type.kind == mil::Type::Kind::kList) return read_list(type, from);
  if (!type.is_tensor()) {
    throw Error(Code::kUnsupported, "a value of type " + mil::to_string(type) +
                                        "; only tensors and lists of scalars are handled");
  }
  if (!type.is_static()) {
    throw Error(Code::kBadInput,
                "a value of type " + mil::to_string(type) + ", which says no extent for each axis");
  }
  switch (from.value_case()) {
    case spec::Value::kImmediateValue:
      if (!from.immediate_value().has_tensor()) {
        throw Error(Code::kBadInput,
                    "a value of type " + mil::to_string(type) + " holds no tensor");
      }
      return {type, std::make_shared<Tensor>(read_elements(type, from.immediate_value().tensor()))};
    case spec::Value::kBlobFileValue:
      return {type, weights.tensor(from.blob_file_value().file_name(),
                                   from.blob_file_value().offset(), type.dtype, type.shape)};
    case spec::Value::VALUE_NOT_SET:
      break;
  }
  throw Error(Code::kBadInput, "a value of type " + mil::to_string(type) + " holds nothing");
}

void write_constant(const mil::Type& type, const Tensor& tensor, BlobLayout* blobs,
                    spec::Value* to) {
  write_type(type, to->mutable_type());
  if (type.kind == mil::Type::Kind::kList) return write_list(type, tensor, to);
  ANEMONE_CHECK(type == mil::Type::tensor(tensor.dtype(), tensor.shape()))
      << mil::to_string(type) << " holds " << name(tensor.dtype())
      << anemone::to_string(tensor.shape());
  if (blobs == nullptr) {
    return write_elements(tensor, to->mutable_immediate_value()->mutable_tensor());
  }
  spec::Value::BlobFileValue* blob = to->mutable_blob_file_value();
  blob->set_file_name(std::string(kModelPath) + std::string(kWeightFile));
  blob->set_offset(blobs->add(tensor).metadata_offset);
}

std::string read_string(const spec::Value& from) {
  const mil::Type type = read_type(from.type());
  if (type != mil::Type::scalar(DType::kString) || !from.has_immediate_value()) {
    throw Error(Code::kBadInput,
                "is of type " + mil::to_string(type) + "; an immediate string is wanted");
  }
  return read_elements(type, from.immediate_value().tensor()).strings().front();
}

void write_string(const std::string& text, spec::Value* to) {
  write_type(mil::Type::scalar(DType::kString), to->mutable_type());
  to->mutable_immediate_value()->mutable_tensor()->mutable_strings()->add_values(text);
}

std::map<std::string, std::string> read_string_map(const spec::Value& from) {
  if (!from.type().has_dictionary_type() || !from.has_immediate_value() ||
      !from.immediate_value().has_dictionary()) {
    throw Error(Code::kBadInput, "is no dictionary");
  }
  std::map<std::string, std::string> map;
  for (const auto& pair : from.immediate_value().dictionary().values()) {
    map[read_string(pair.key())] = read_string(pair.value());
  }
  return map;
}

void write_string_map(const std::map<std::string, std::string>& map, spec::Value* to) {
  const mil::Type text = mil::Type::scalar(DType::kString);
  write_type({.kind = mil::Type::Kind::kDictionary, .parts = {text, text}}, to->mutable_type());
  auto* dictionary = to->mutable_immediate_value()->mutable_dictionary();
  for (const auto& [key, value] : map) {
    auto* pair = dictionary->add_values();
    write_string(key, pair->mutable_key());
    write_string(value, pair->mutable_value());
  }
}

}  // namespace anemone::package
