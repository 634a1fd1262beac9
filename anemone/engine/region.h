#pragma once

#include <cstddef>

namespace anemone::engine {

// Zeroed memory from the system, aligned to pages; pages that are never touched cost nothing.
class Region {
 public:
  Region() = default;
  // Throws Error(kLimit) if there is not that much.
  explicit Region(std::size_t size_bytes);
  ~Region();
  Region(Region&& other) noexcept;
  Region& operator=(Region&& other) noexcept;

  std::byte* data() const { return data_; }
  std::size_t size_bytes() const { return size_bytes_; }
  // All zeros again; gives the pages back.
  void clear();

 private:
  std::byte* data_ = nullptr;
  std::size_t size_bytes_ = 0;
};

}  // namespace anemone::engine
