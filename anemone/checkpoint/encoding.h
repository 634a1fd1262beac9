#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace anemone {

// How a checkpoint file stores the elements of a tensor. encoding.cc's table says how each is
// spelt, how many elements make a block and how many bytes a block takes.
enum class Encoding : std::uint8_t {
  // Read as floats by decode_f32 and f16_bytes.
  kF32,
  kF16,
  kBF16,
  kQ8_0,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K,
  // May stand in a file, but is refused when it is to be read as floats.
  kF64,
  kBool,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kF8E4M3,
  kF8E5M2,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kF6E2M3,
  kF6E3M2,
  kF4,
  kC64,
};

struct EncodingInfo {
  Encoding encoding;
  std::string_view name;         // "F32", "Q4_K"
  std::string_view safetensors;  // "" where the format has no such type
  int gguf;                      // ggml_type; -1 where the format has no such type
  bool is_readable;              // as floats
  int block_elements;            // elements of a block ...
  int block_bytes;               // ... and the bytes it takes
};

const EncodingInfo& info(Encoding encoding);
inline std::string_view name(Encoding encoding) { return info(encoding).name; }
inline bool is_readable(Encoding encoding) { return info(encoding).is_readable; }
// "F32, F16, ... and Q6_K", for messages.
std::string readable_encodings();

std::optional<Encoding> find_encoding_by_safetensors(std::string_view dtype);
std::optional<Encoding> find_encoding_by_gguf(std::uint32_t ggml_type);

}  // namespace anemone
