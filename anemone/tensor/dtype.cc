#include "anemone/tensor/dtype.h"

#include "anemone/base/check.h"

namespace anemone {
namespace {

// Sources: coremltools 9.0 mlmodel/format/MIL.proto (DataType) and
// mlmodel/src/MILBlob/Blob/StorageFormat.hpp (BlobDataType); safetensors 0.8.0 (Dtype).
constexpr DTypeInfo kTable[] = {
    //  dtype          name      bits  float  signed  safetensors  mil blob
    {DType::kBool, "bool", 8, false, false, "BOOL", 1, 0},
    {DType::kString, "string", 0, false, false, "", 2, 0},
    {DType::kF16, "fp16", 16, true, true, "F16", 10, 1},
    {DType::kF32, "fp32", 32, true, true, "F32", 11, 2},
    {DType::kF64, "fp64", 64, true, true, "F64", 12, 0},
    {DType::kBF16, "bf16", 16, true, true, "BF16", 13, 5},
    {DType::kF8E4M3, "fp8e4m3fn", 8, true, true, "F8_E4M3", 40, 16},
    {DType::kF8E5M2, "fp8e5m2", 8, true, true, "F8_E5M2", 41, 17},
    {DType::kI4, "int4", 4, false, true, "", 25, 8},
    {DType::kI8, "int8", 8, false, true, "I8", 21, 4},
    {DType::kI16, "int16", 16, false, true, "I16", 22, 6},
    {DType::kI32, "int32", 32, false, true, "I32", 23, 14},
    {DType::kI64, "int64", 64, false, true, "I64", 24, 0},
    {DType::kU1, "uint1", 1, false, false, "", 37, 9},
    {DType::kU2, "uint2", 2, false, false, "", 36, 10},
    {DType::kU3, "uint3", 3, false, false, "", 39, 12},
    {DType::kU4, "uint4", 4, false, false, "", 35, 11},
    {DType::kU6, "uint6", 6, false, false, "", 38, 13},
    {DType::kU8, "uint8", 8, false, false, "U8", 31, 3},
    {DType::kU16, "uint16", 16, false, false, "U16", 32, 7},
    {DType::kU32, "uint32", 32, false, false, "U32", 33, 15},
    {DType::kU64, "uint64", 64, false, false, "U64", 34, 0},
};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < std::size(kTable); ++i) {
    if (static_cast<std::size_t>(kTable[i].dtype) != i) return false;
  }
  return std::size(kTable) == static_cast<std::size_t>(DType::kU64) + 1;
}
static_assert(table_is_in_order());

template <typename Match>
std::optional<DType> find(Match match) {
  for (const DTypeInfo& row : kTable) {
    if (match(row)) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace

const DTypeInfo& info(DType dtype) {
  const auto index = static_cast<std::size_t>(dtype);
  ANEMONE_CHECK(index < std::size(kTable));
  return kTable[index];
}

bool is_float(DType dtype) { return info(dtype).is_float; }

bool is_int(DType dtype) {
  return !info(dtype).is_float && dtype != DType::kBool && dtype != DType::kString;
}

std::optional<DType> find_dtype_by_name(std::string_view mil_name) {
  return find([&](const DTypeInfo& row) { return row.name == mil_name; });
}
std::optional<DType> find_dtype_by_safetensors(std::string_view safetensors_name) {
  if (safetensors_name.empty()) return std::nullopt;
  return find([&](const DTypeInfo& row) { return row.safetensors == safetensors_name; });
}
std::optional<DType> find_dtype_by_mil(int mil_data_type) {
  return find([&](const DTypeInfo& row) { return row.mil == mil_data_type; });
}
std::optional<DType> find_dtype_by_blob(int blob_data_type) {
  if (blob_data_type == 0) return std::nullopt;
  return find([&](const DTypeInfo& row) { return row.blob == blob_data_type; });
}

std::uint64_t size_bytes(DType dtype, std::uint64_t count) {
  const auto bits = static_cast<std::uint64_t>(width_bits(dtype));
  if (bits % 8 == 0) return count * (bits / 8);
  return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

}  // namespace anemone
