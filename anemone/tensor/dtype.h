#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace anemone {

// Every element type that a checkpoint, a MIL program or a weight file can hold. dtype_info's table
// says how each of them spells it.
enum class DType : std::uint8_t {
  kBool,
  kString,
  kF16,
  kF32,
  kF64,
  kBF16,
  kF8E4M3,
  kF8E5M2,
  kI4,
  kI8,
  kI16,
  kI32,
  kI64,
  kU1,
  kU2,
  kU3,
  kU4,
  kU6,
  kU8,
  kU16,
  kU32,
  kU64,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // MIL's spelling: "fp16", "int32", "bool"
  int width_bits;         // 0 for strings
  bool is_float;
  bool is_signed;                // of integers
  std::string_view safetensors;  // "" where the format has no such type
  int mil;                       // MIL.proto DataType
  int blob;                      // BlobDataType of weight.bin; 0 where the file has none
};

const DTypeInfo& info(DType dtype);
inline std::string_view name(DType dtype) { return info(dtype).name; }
inline int width_bits(DType dtype) { return info(dtype).width_bits; }
bool is_float(DType dtype);
// Integers of any width, bool excluded.
bool is_int(DType dtype);
inline bool is_sub_byte(DType dtype) {
  return width_bits(dtype) < 8 && dtype != DType::kString && dtype != DType::kBool;
}

std::optional<DType> find_dtype_by_name(std::string_view mil_name);
std::optional<DType> find_dtype_by_safetensors(std::string_view safetensors_name);
std::optional<DType> find_dtype_by_mil(int mil_data_type);
std::optional<DType> find_dtype_by_blob(int blob_data_type);

// Bytes that `count` elements take; sub-byte elements are packed, the last byte filled up.
// `count` must be small enough for the result to fit (see checked_element_count).
std::uint64_t size_bytes(DType dtype, std::uint64_t count);

}  // namespace anemone
