#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace anemone {

// A file being written from front to back. Every failure is an Error(kIo or kNoSpace) that names
// it.
class FileWriter {
 public:
  explicit FileWriter(const std::filesystem::path& path);
  ~FileWriter();
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;

  std::uint64_t at() const { return at_; }
  void append(std::span<const std::byte> bytes);
  // Zeros up to `offset`, which must not lie before at().
  void pad_to(std::uint64_t offset);
  // Writes at an offset below at() and leaves at() as it is. Safe from several threads at once.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  // Sets the file's length to `size_bytes`, so that write_at may fill it in any order.
  void extend_to(std::uint64_t size_bytes);
  // Must be called: reports what a destructor could not.
  void close();

 private:
  [[noreturn]] void fail(const char* what);
  std::filesystem::path path_;
  int fd_ = -1;
  std::uint64_t at_ = 0;
};

void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
void write_file(const std::filesystem::path& path, std::string_view text);
// The whole file. Throws Error(kLimit) beyond `max_bytes`.
std::string read_text(const std::filesystem::path& path, std::uint64_t max_bytes = 1u << 30);

// A folder (or file) that appears under its final name only when it is complete: everything is
// written into a hidden sibling first, which commit() renames and the destructor removes.
class StagedOutput {
 public:
  // Throws Error(kBadInput) if `target` exists and `replace` is false, Error(kIo) if its parent
  // cannot be written to.
  StagedOutput(std::filesystem::path target, bool replace);
  ~StagedOutput();
  StagedOutput(const StagedOutput&) = delete;
  StagedOutput& operator=(const StagedOutput&) = delete;

  // Where to write: an existing, empty folder.
  const std::filesystem::path& folder() const { return staging_; }
  void commit();

 private:
  std::filesystem::path target_;
  std::filesystem::path staging_;
  bool replace_;
  bool committed_ = false;
};

// Throws Error(kNoSpace) unless the file system that will hold `path` has `needed_bytes` free.
void require_free_space(const std::filesystem::path& path, std::uint64_t needed_bytes);

}  // namespace anemone
