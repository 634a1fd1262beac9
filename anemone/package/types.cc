#include "anemone/package/types.h"

#include "anemone/base/check.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

// An extent past this is no tensor of any machine; it is also where element counts stop.
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 48;

// Core ML's own ops stop at 5, NumPy at 64.
constexpr int kMaxRank = 64;

std::int64_t read_dimension(const spec::Dimension& from) {
  if (!from.has_constant()) return kUnknown;
  const std::uint64_t size = from.constant().size();
  if (size > kMaxExtent) {
    throw Error(Code::kBadInput, "a dimension is " + std::to_string(size) + "; at most " +
                                     std::to_string(kMaxExtent) + " is allowed");
  }
  return static_cast<std::int64_t>(size);
}

mil::Type read_tensor_type(const spec::TensorType& from) {
  const auto dtype = find_dtype_by_mil(from.data_type());
  if (!dtype) {
    throw Error(Code::kBadInput,
                "a tensor type has the unknown data type " + std::to_string(from.data_type()));
  }
  if (!from.attributes().empty()) {
    throw Error(Code::kUnsupported, "a tensor type has attributes; none are known");
  }
  if (from.dimensions_size() > kMaxRank) {
    throw Error(Code::kLimit, "a tensor type lists " + std::to_string(from.dimensions_size()) +
                                  " dimensions; at most " + std::to_string(kMaxRank) +
                                  " are handled");
  }
  mil::Type type = mil::Type::tensor(*dtype, {});
  for (const spec::Dimension& dimension : from.dimensions()) {
    if (dimension.has_unknown() && dimension.unknown().variadic()) {
      // Any number of dimensions. coremltools writes the rank as 1 then, others as -1.
      type.has_rank = false;
      type.shape.clear();
      return type;
    }
    type.shape.push_back(read_dimension(dimension));
  }
  if (from.rank() != type.rank()) {
    throw Error(Code::kBadInput, "a tensor type says rank " + std::to_string(from.rank()) +
                                     " and lists " + std::to_string(type.rank()) + " dimensions");
  }
  Shape known = type.shape;
  std::replace(known.begin(), known.end(), kUnknown, std::int64_t{1});
  if (!checked_element_count(known)) {
    throw Error(Code::kBadInput, "a tensor type has the shape " + anemone::to_string(type.shape) +
                                     ", which is more than 2^48 elements");
  }
  return type;
}

mil::Type read_wrapped(const spec::ValueType& from, const char* in) {
  if (!from.has_tensor_type()) {
    throw Error(Code::kUnsupported, std::string(in) + " holds something other than tensors");
  }
  return read_tensor_type(from.tensor_type());
}

void write_dimension(std::int64_t extent, spec::Dimension* to) {
  if (extent == kUnknown) {
    to->mutable_unknown();
  } else {
    to->mutable_constant()->set_size(static_cast<std::uint64_t>(extent));
  }
}

void write_tensor_type(const mil::Type& type, spec::TensorType* to) {
  to->set_data_type(info(type.dtype).mil);
  if (!type.has_rank) {
    to->set_rank(-1);
    to->add_dimensions()->mutable_unknown()->set_variadic(true);
    return;
  }
  to->set_rank(type.rank());
  for (const std::int64_t extent : type.shape) write_dimension(extent, to->add_dimensions());
}

}  // namespace

mil::Type read_type(const spec::ValueType& from) {
  switch (from.type_case()) {
    case spec::ValueType::kTensorType:
      return read_tensor_type(from.tensor_type());
    case spec::ValueType::kStateType: {
      mil::Type type = read_wrapped(from.state_type().wrapped_type(), "a state");
      type.kind = mil::Type::Kind::kState;
      return type;
    }
    case spec::ValueType::kListType: {
      mil::Type type = read_wrapped(from.list_type().type(), "a list");
      type.kind = mil::Type::Kind::kList;
      type.length = read_dimension(from.list_type().length());
      return type;
    }
    case spec::ValueType::kTupleType: {
      mil::Type type{.kind = mil::Type::Kind::kTuple};
      for (const spec::ValueType& part : from.tuple_type().types()) {
        type.parts.push_back(read_type(part));
      }
      return type;
    }
    case spec::ValueType::kDictionaryType:
      return {.kind = mil::Type::Kind::kDictionary,
              .parts = {read_type(from.dictionary_type().key_type()),
                        read_type(from.dictionary_type().value_type())}};
    case spec::ValueType::TYPE_NOT_SET:
      break;
  }
  throw Error(Code::kBadInput, "a type is none of tensor, state, list, tuple and dictionary");
}

void write_type(const mil::Type& type, spec::ValueType* to) {
  switch (type.kind) {
    case mil::Type::Kind::kTensor:
      return write_tensor_type(type, to->mutable_tensor_type());
    case mil::Type::Kind::kState:
      return write_tensor_type(
          type, to->mutable_state_type()->mutable_wrapped_type()->mutable_tensor_type());
    case mil::Type::Kind::kList:
      write_dimension(type.length, to->mutable_list_type()->mutable_length());
      return write_tensor_type(type,
                               to->mutable_list_type()->mutable_type()->mutable_tensor_type());
    case mil::Type::Kind::kTuple: {
      spec::TupleType* tuple = to->mutable_tuple_type();
      for (const mil::Type& part : type.parts) write_type(part, tuple->add_types());
      return;
    }
    case mil::Type::Kind::kDictionary:
      ANEMONE_CHECK(type.parts.size() == 2);
      write_type(type.parts[0], to->mutable_dictionary_type()->mutable_key_type());
      write_type(type.parts[1], to->mutable_dictionary_type()->mutable_value_type());
      return;
  }
}

}  // namespace anemone::package
