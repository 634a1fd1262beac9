#include "anemone/engine/region.h"

#include <sys/mman.h>

#include <string>
#include <utility>

#include "anemone/base/error.h"

namespace anemone::engine {

Region::Region(std::size_t size_bytes) : size_bytes_(size_bytes) {
  if (size_bytes == 0) return;
  void* got = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) {
    throw Error(Code::kLimit,
                "the system refused " + std::to_string(size_bytes) + " bytes of working memory");
  }
  data_ = static_cast<std::byte*>(got);
}

Region::~Region() {
  if (data_ != nullptr) munmap(data_, size_bytes_);
}

Region::Region(Region&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

Region& Region::operator=(Region&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

void Region::clear() {
  if (data_ == nullptr) return;
  // A fresh map in the same place: works alike on every POSIX system.
  void* got = mmap(data_, size_bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (got == MAP_FAILED) throw Error(Code::kLimit, "the system refused to clear a state");
}

}  // namespace anemone::engine
