#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "anemone/base/bytes.h"
#include "anemone/base/files.h"

namespace anemone::cli {

// The bytes before the numbers of a two-dimensional float32 .npy file, version 1.0, padded to a
// multiple of 64. Source: NumPy Enhancement Proposal 1 and numpy/lib/format.py.
std::string npy_header(std::int64_t rows, std::int64_t columns);

// Writes a matrix row by row into a neighbour of `path`, which close() puts in its place; without
// that nothing is left.
class NpyWriter {
 public:
  NpyWriter(std::filesystem::path path, std::int64_t rows, std::int64_t columns);
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  void append(std::span<const float> row);
  // All rows must have been appended. Gives the file's size.
  std::uint64_t close();

 private:
  std::filesystem::path path_;
  std::filesystem::path partial_;
  std::unique_ptr<FileWriter> file_;
  std::int64_t rows_left_;
  std::int64_t columns_;
};

}  // namespace anemone::cli
