#pragma once

#include <bit>
#include <cstdint>

#include "anemone/tensor/dtype.h"

// The records of MIL blob storage, as they lie in a file.
// Source: coremltools 9.0, mlmodel/src/MILBlob/Blob/StorageFormat.hpp.
namespace anemone::package {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::uint64_t kBlobAlignmentBytes = 64;
inline constexpr std::uint32_t kBlobVersion = 2;
inline constexpr std::uint32_t kBlobSentinel = 0xDEADBEEF;

struct BlobHeader {
  std::uint32_t count = 0;
  std::uint32_t version = kBlobVersion;
  std::uint64_t reserved[7] = {};
};
struct BlobRecord {
  std::uint32_t sentinel = kBlobSentinel;
  std::uint32_t dtype = 0;  // DTypeInfo::blob
  std::uint64_t size_bytes = 0;
  std::uint64_t offset = 0;  // of the data, from the file's start
  std::uint64_t padding_bits = 0;
  std::uint64_t reserved[4] = {};
};
static_assert(sizeof(BlobHeader) == kBlobAlignmentBytes);
static_assert(sizeof(BlobRecord) == kBlobAlignmentBytes);

// Bits of the last byte that `count` elements leave unused.
constexpr std::uint64_t blob_padding_bits(int width_bits, std::uint64_t count) {
  if (width_bits >= 8) return 0;
  return (8 - count % 8 * static_cast<std::uint64_t>(width_bits) % 8) % 8;
}

}  // namespace anemone::package
