#include "anemone/cli/npy.h"

#include <unistd.h>

#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone::cli {

static_assert(std::endian::native == std::endian::little, "rows are written as they lie");

std::string npy_header(std::int64_t rows, std::int64_t columns) {
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                           std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  constexpr std::size_t kBefore = 10;  // magic, version, length
  constexpr std::size_t kAlignment = 64;
  const std::size_t used = kBefore + dictionary.size() + 1;
  dictionary += std::string((kAlignment - used % kAlignment) % kAlignment, ' ') + "\n";
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

NpyWriter::NpyWriter(std::filesystem::path path, std::int64_t rows, std::int64_t columns)
    : path_(std::move(path)), rows_left_(rows), columns_(columns) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path_, ignored)) {
    throw Error(Code::kIo, path_.string() + ": is a folder; allowed: a file to write");
  }
  const auto parent = path_.has_parent_path() ? path_.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(parent, ignored)) {
    throw Error(Code::kNotFound, parent.string() + ": is not a folder, so '" +
                                     path_.filename().string() + "' cannot be made in it");
  }
  // A device or a pipe cannot be renamed onto: it is written to directly.
  const bool is_special =
      std::filesystem::exists(path_, ignored) && !std::filesystem::is_regular_file(path_, ignored);
  partial_ = path_;
  if (!is_special) partial_ += ".partial-" + std::to_string(::getpid());
  file_ = std::make_unique<FileWriter>(partial_);
  file_->append(as_bytes(npy_header(rows, columns)));
}

NpyWriter::~NpyWriter() {
  std::error_code ignored;
  if (file_ && partial_ != path_) std::filesystem::remove(partial_, ignored);
}

void NpyWriter::append(std::span<const float> row) {
  ANEMONE_CHECK(static_cast<std::int64_t>(row.size()) == columns_ && rows_left_ > 0) << row.size();
  --rows_left_;
  file_->append(std::as_bytes(row));
}

std::uint64_t NpyWriter::close() {
  ANEMONE_CHECK(rows_left_ == 0) << rows_left_;
  const std::uint64_t size = file_->at();
  file_->close();
  if (partial_ != path_) {
    std::error_code failed;
    std::filesystem::rename(partial_, path_, failed);
    if (failed) {
      throw Error(Code::kIo, path_.string() + ": cannot be put in place: " + failed.message());
    }
  }
  file_.reset();
  return size;
}

}  // namespace anemone::cli
