#include "anemone/base/bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone {
namespace {

class OwnedBytes : public Bytes {
 public:
  explicit OwnedBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::size_t size_bytes() const override { return bytes_.size(); }
  std::span<const std::byte> view() const override { return bytes_; }
  void read(std::size_t at, std::span<std::byte> out) const override {
    ANEMONE_CHECK(at <= bytes_.size() && out.size() <= bytes_.size() - at);
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + at, out.size());
  }
  std::size_t owned_bytes() const override { return bytes_.size(); }

 private:
  std::vector<std::byte> bytes_;
};

class SlicedBytes : public Bytes {
 public:
  SlicedBytes(std::shared_ptr<const Bytes> whole, std::size_t at, std::size_t size_bytes)
      : whole_(std::move(whole)), at_(at), size_bytes_(size_bytes) {}
  std::size_t size_bytes() const override { return size_bytes_; }
  std::span<const std::byte> view() const override {
    const auto all = whole_->view();
    return all.empty() ? all : all.subspan(at_, size_bytes_);
  }
  void read(std::size_t at, std::span<std::byte> out) const override {
    ANEMONE_CHECK(at <= size_bytes_ && out.size() <= size_bytes_ - at);
    whole_->read(at_ + at, out);
  }

 private:
  std::shared_ptr<const Bytes> whole_;
  std::size_t at_;
  std::size_t size_bytes_;
};

}  // namespace

std::shared_ptr<const Bytes> own_bytes(std::vector<std::byte> bytes) {
  return std::make_shared<OwnedBytes>(std::move(bytes));
}

std::shared_ptr<const Bytes> slice_bytes(std::shared_ptr<const Bytes> whole, std::size_t at,
                                         std::size_t size_bytes) {
  ANEMONE_CHECK(at <= whole->size_bytes() && size_bytes <= whole->size_bytes() - at);
  return std::make_shared<SlicedBytes>(std::move(whole), at, size_bytes);
}

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  // O_NONBLOCK: a pipe that nobody writes to must not hold us here.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const Code code = errno == ENOENT || errno == ENOTDIR ? Code::kNotFound : Code::kIo;
    throw Error(code, path.string() + ": cannot be opened: " + std::strerror(errno));
  }
  struct stat info {};
  const bool is_file = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (!is_file) {
    ::close(fd);
    throw Error(Code::kIo, path.string() + ": is not a regular file");
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > 0) {
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const int why = errno;
    ::close(fd);
    if (mapped == MAP_FAILED) {
      throw Error(Code::kIo, path.string() + ": cannot be mapped: " + std::strerror(why));
    }
    bytes_ = {static_cast<const std::byte*>(mapped), size};
  } else {
    ::close(fd);
  }
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::read(std::size_t at, std::span<std::byte> out) const {
  ANEMONE_CHECK(at <= bytes_.size() && out.size() <= bytes_.size() - at);
  if (!out.empty()) std::memcpy(out.data(), bytes_.data() + at, out.size());
}

void MappedFile::forget(std::size_t at, std::size_t size_bytes) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = (at + page - 1) / page * page;
  const std::size_t last = (at + size_bytes) / page * page;
  if (first < last && last <= bytes_.size()) {
    ::madvise(const_cast<std::byte*>(bytes_.data()) + first, last - first, MADV_DONTNEED);
  }
}

void ByteReader::seek(std::size_t at) {
  if (at > bytes_.size()) {
    throw Error(Code::kBadInput, what_ + ": offset " + std::to_string(at) + " lies past the end (" +
                                     std::to_string(bytes_.size()) + " bytes)");
  }
  at_ = at;
}

std::span<const std::byte> ByteReader::take(std::size_t size_bytes, std::string_view field) {
  if (size_bytes > left()) {
    throw Error(Code::kBadInput, what_ + ": " + std::string(field) + " at byte " +
                                     std::to_string(at_) + " takes " + std::to_string(size_bytes) +
                                     " bytes, but only " + std::to_string(left()) + " are left");
  }
  const auto taken = bytes_.subspan(at_, size_bytes);
  at_ += size_bytes;
  return taken;
}

}  // namespace anemone
