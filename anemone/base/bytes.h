#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace anemone {

// An immutable run of bytes: in memory, mapped from a file, or made when asked for (a converted
// weight, say). Shared by pointer; two values that hold the same pointer are the same bytes, which
// is how a package writer knows to store them once. Safe to read from several threads.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual std::size_t size_bytes() const = 0;
  // The bytes where they lie, if they lie anywhere; empty when they are made on demand.
  virtual std::span<const std::byte> view() const = 0;
  // Copies [at, at + out.size()) into `out`. The range must lie inside. `at` and the length are
  // multiples of 64 but for the end, so that makers of bytes can work in whole groups of elements.
  virtual void read(std::size_t at, std::span<std::byte> out) const = 0;
  // Bytes of resident memory that were allocated for this (0 when mapped or made on demand).
  virtual std::size_t owned_bytes() const { return 0; }
};

std::shared_ptr<const Bytes> own_bytes(std::vector<std::byte> bytes);
// A window on `whole`, which it keeps alive.
std::shared_ptr<const Bytes> slice_bytes(std::shared_ptr<const Bytes> whole, std::size_t at,
                                         std::size_t size_bytes);

// A read-only memory map. Throws Error(kNotFound, kIo).
class MappedFile : public Bytes {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile() override;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::size_t size_bytes() const override { return bytes_.size(); }
  std::span<const std::byte> view() const override { return bytes_; }
  void read(std::size_t at, std::span<std::byte> out) const override;
  // Tells the kernel that the range will not be read again soon, so that its pages may go.
  void forget(std::size_t at, std::size_t size_bytes) const;

 private:
  std::filesystem::path path_;
  std::span<const std::byte> bytes_;
};

// Reads little-endian numbers off a span and never past its end: every failure is an
// Error(kBadInput) that starts with `what` (a file's name) and says where and how much was missing.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string what)
      : bytes_(bytes), what_(std::move(what)) {}

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  void seek(std::size_t at);
  std::span<const std::byte> take(std::size_t size_bytes, std::string_view field);
  std::uint8_t u8(std::string_view field) { return number<std::uint8_t>(field); }
  std::uint16_t u16(std::string_view field) { return number<std::uint16_t>(field); }
  std::uint32_t u32(std::string_view field) { return number<std::uint32_t>(field); }
  std::uint64_t u64(std::string_view field) { return number<std::uint64_t>(field); }
  float f32(std::string_view field) { return number<float>(field); }
  double f64(std::string_view field) { return number<double>(field); }

  template <typename T>
  T number(std::string_view field) {
    T value;
    const auto from = take(sizeof(T), field);
    __builtin_memcpy(&value, from.data(), sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::string what_;
  std::size_t at_ = 0;
};

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace anemone
