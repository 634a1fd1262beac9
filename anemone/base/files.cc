#include "anemone/base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone {
namespace fs = std::filesystem;

FileWriter::FileWriter(const fs::path& path) : path_(path) {
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd_ < 0) fail("cannot be created");
}

FileWriter::~FileWriter() {
  if (fd_ >= 0) ::close(fd_);
}

void FileWriter::fail(const char* what) {
  const int why = errno;
  const Code code = why == ENOSPC || why == EDQUOT ? Code::kNoSpace : Code::kIo;
  throw Error(code, path_.string() + ": " + what + ": " + std::strerror(why));
}

void FileWriter::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(at_));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) fail("cannot be written to");
    at_ += static_cast<std::uint64_t>(wrote);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void FileWriter::pad_to(std::uint64_t offset) {
  ANEMONE_CHECK(offset >= at_) << path_;
  static constexpr std::byte kZeros[4096] = {};
  while (at_ < offset) {
    append(std::span(kZeros).first(std::min<std::uint64_t>(sizeof(kZeros), offset - at_)));
  }
}

void FileWriter::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) fail("cannot be written to");
    offset += static_cast<std::uint64_t>(wrote);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
}

void FileWriter::extend_to(std::uint64_t size_bytes) {
  if (::ftruncate(fd_, static_cast<off_t>(size_bytes)) != 0) fail("cannot be extended");
  at_ = size_bytes;
}

void FileWriter::close() {
  const int fd = fd_;
  fd_ = -1;
  if (::close(fd) != 0) fail("cannot be closed");
}

void write_file(const fs::path& path, std::span<const std::byte> bytes) {
  FileWriter file(path);
  file.append(bytes);
  file.close();
}

void write_file(const fs::path& path, std::string_view text) { write_file(path, as_bytes(text)); }

std::string read_text(const fs::path& path, std::uint64_t max_bytes) {
  const MappedFile file(path);
  if (file.size_bytes() > max_bytes) {
    throw Error(Code::kLimit, path.string() + ": has " + std::to_string(file.size_bytes()) +
                                  " bytes; at most " + std::to_string(max_bytes) + " are read");
  }
  return std::string(as_text(file.view()));
}

StagedOutput::StagedOutput(fs::path target, bool replace)
    : target_(std::move(target)), replace_(replace) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "out/" means "out"
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(target_, ignored)) && !replace_) {
    throw Error(Code::kBadInput, target_.string() + ": already exists; --force replaces it");
  }
  const fs::path parent = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(parent, ignored)) {
    throw Error(Code::kNotFound, parent.string() + ": is not a folder, so '" +
                                     target_.filename().string() + "' cannot be made in it");
  }
  std::string pattern = (parent / ("." + target_.filename().string() + ".partial-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(errno == ENOSPC ? Code::kNoSpace : Code::kIo,
                parent.string() + ": cannot be written to: " + std::strerror(errno));
  }
  staging_ = pattern;
  // mkdtemp makes folders for the owner alone; the result should be as readable as any other.
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(staging_.c_str(), 0777 & ~mask);
}

StagedOutput::~StagedOutput() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(staging_, ignored);
}

void StagedOutput::commit() {
  std::error_code failed;
  if (replace_) {
    const fs::path old = staging_.string() + ".old";
    std::error_code absent;
    if (fs::exists(fs::symlink_status(target_, absent))) fs::rename(target_, old, failed);
    if (!failed) fs::rename(staging_, target_, failed);
    if (!failed) {
      committed_ = true;
      fs::remove_all(old, absent);
    } else if (fs::exists(old, absent)) {
      fs::rename(old, target_, absent);
    }
  } else {
    fs::rename(staging_, target_, failed);
    committed_ = !failed;
  }
  if (failed) {
    throw Error(Code::kIo, target_.string() + ": cannot be put in place: " + failed.message());
  }
}

void require_free_space(const fs::path& path, std::uint64_t needed_bytes) {
  fs::path there = path;
  std::error_code failed;
  while (!there.empty() && !fs::exists(there, failed)) there = there.parent_path();
  if (there.empty()) there = ".";
  const auto space = fs::space(there, failed);
  if (failed) return;  // a file system that cannot say: the write itself will
  if (space.available < needed_bytes) {
    throw Error(Code::kNoSpace, path.string() + ": needs " + std::to_string(needed_bytes) +
                                    " bytes, but only " + std::to_string(space.available) +
                                    " are free there");
  }
}

}  // namespace anemone
