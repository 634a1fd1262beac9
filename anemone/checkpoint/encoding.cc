#include "anemone/checkpoint/encoding.h"

#include "anemone/base/check.h"

namespace anemone {
namespace {

// Sources: safetensors 0.8.0 (Dtype); ggml's ggml_type numbers and block sizes as the Python
// package gguf 0.19.0 lists them (constants.py, GGMLQuantizationType and GGML_QUANT_SIZES).
constexpr EncodingInfo kTable[] = {
    //  encoding           name     safetensors    gguf readable elements bytes
    {Encoding::kF32, "F32", "F32", 0, true, 1, 4},
    {Encoding::kF16, "F16", "F16", 1, true, 1, 2},
    {Encoding::kBF16, "BF16", "BF16", 30, true, 1, 2},
    {Encoding::kQ8_0, "Q8_0", "", 8, true, 32, 34},
    {Encoding::kQ4_0, "Q4_0", "", 2, true, 32, 18},
    {Encoding::kQ4_1, "Q4_1", "", 3, true, 32, 20},
    {Encoding::kQ5_0, "Q5_0", "", 6, true, 32, 22},
    {Encoding::kQ5_1, "Q5_1", "", 7, true, 32, 24},
    {Encoding::kQ2_K, "Q2_K", "", 10, true, 256, 84},
    {Encoding::kQ3_K, "Q3_K", "", 11, true, 256, 110},
    {Encoding::kQ4_K, "Q4_K", "", 12, true, 256, 144},
    {Encoding::kQ5_K, "Q5_K", "", 13, true, 256, 176},
    {Encoding::kQ6_K, "Q6_K", "", 14, true, 256, 210},
    {Encoding::kF64, "F64", "F64", 28, false, 1, 8},
    {Encoding::kBool, "BOOL", "BOOL", -1, false, 1, 1},
    {Encoding::kI8, "I8", "I8", 24, false, 1, 1},
    {Encoding::kI16, "I16", "I16", 25, false, 1, 2},
    {Encoding::kI32, "I32", "I32", 26, false, 1, 4},
    {Encoding::kI64, "I64", "I64", 27, false, 1, 8},
    {Encoding::kU8, "U8", "U8", -1, false, 1, 1},
    {Encoding::kU16, "U16", "U16", -1, false, 1, 2},
    {Encoding::kU32, "U32", "U32", -1, false, 1, 4},
    {Encoding::kU64, "U64", "U64", -1, false, 1, 8},
    {Encoding::kF8E4M3, "F8_E4M3", "F8_E4M3", -1, false, 1, 1},
    {Encoding::kF8E5M2, "F8_E5M2", "F8_E5M2", -1, false, 1, 1},
    {Encoding::kF8E8M0, "F8_E8M0", "F8_E8M0", -1, false, 1, 1},
    {Encoding::kF8E4M3Fnuz, "F8_E4M3FNUZ", "F8_E4M3FNUZ", -1, false, 1, 1},
    {Encoding::kF8E5M2Fnuz, "F8_E5M2FNUZ", "F8_E5M2FNUZ", -1, false, 1, 1},
    {Encoding::kF6E2M3, "F6_E2M3", "F6_E2M3", -1, false, 4, 3},
    {Encoding::kF6E3M2, "F6_E3M2", "F6_E3M2", -1, false, 4, 3},
    {Encoding::kF4, "F4", "F4", -1, false, 2, 1},
    {Encoding::kC64, "C64", "C64", -1, false, 1, 8},
};

constexpr bool table_is_in_order() {
  for (std::size_t i = 0; i < std::size(kTable); ++i) {
    if (static_cast<std::size_t>(kTable[i].encoding) != i) return false;
  }
  return std::size(kTable) == static_cast<std::size_t>(Encoding::kC64) + 1;
}
static_assert(table_is_in_order());

}  // namespace

const EncodingInfo& info(Encoding encoding) {
  const auto index = static_cast<std::size_t>(encoding);
  ANEMONE_CHECK(index < std::size(kTable));
  return kTable[index];
}

std::string readable_encodings() {
  std::string out;
  for (std::size_t i = 0; kTable[i].is_readable; ++i) {
    if (i > 0) out += kTable[i + 1].is_readable ? ", " : " and ";
    out += kTable[i].name;
  }
  return out;
}

std::optional<Encoding> find_encoding_by_safetensors(std::string_view dtype) {
  if (dtype.empty()) return std::nullopt;
  for (const EncodingInfo& row : kTable) {
    if (row.safetensors == dtype) return row.encoding;
  }
  return std::nullopt;
}

std::optional<Encoding> find_encoding_by_gguf(std::uint32_t ggml_type) {
  for (const EncodingInfo& row : kTable) {
    if (row.gguf >= 0 && static_cast<std::uint32_t>(row.gguf) == ggml_type) return row.encoding;
  }
  return std::nullopt;
}

}  // namespace anemone
