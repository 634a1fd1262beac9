#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "anemone/base/files.h"
#include "anemone/package/package.h"
#include "anemone/tensor/tensor.h"

// MIL blob storage, version 2: a 64-byte header, then for each blob a 64-byte record at an offset
// that 64 divides, followed at once by the data. Little endian; gaps are zero; nothing after the
// last blob. A specification refers to the record, not to the data.
// Source: coremltools 9.0, mlmodel/src/MILBlob/Blob/StorageFormat.hpp.
namespace anemone::package {

// Beside model.mlmodel, which specifications call "@model_path/".
inline constexpr std::string_view kModelPath = "@model_path/";
inline constexpr std::string_view kWeightFile = "weights/weight.bin";

// --- Reading. ---

// The weight files that lie beside a specification, mapped when first referred to.
class WeightFiles {
 public:
  // Of a package on disk; `folder` holds model.mlmodel.
  explicit WeightFiles(std::filesystem::path folder);
  // One file that lies in memory, as weights/weight.bin below `folder`; null: there is none.
  WeightFiles(std::filesystem::path folder, std::shared_ptr<const Bytes> only);

  // The blob at `offset` of a file named as a specification does ("@model_path/..."). Equal
  // references give the same tensor; equal offsets under different shapes share their Bytes.
  // Throws Error(kBadInput, kNotFound, kIo) naming the file.
  std::shared_ptr<const Tensor> tensor(const std::string& file_name, std::uint64_t offset,
                                       DType dtype, const Shape& shape) const;

 private:
  struct File {
    std::string path;
    std::shared_ptr<const Bytes> bytes;
    std::map<std::pair<std::uint64_t, DType>, std::shared_ptr<const Bytes>> blobs;
    std::map<std::tuple<std::uint64_t, DType, Shape>, std::shared_ptr<const Tensor>> tensors;
  };
  File& file(const std::string& file_name) const;

  std::filesystem::path folder_;
  bool is_on_disk_;
  std::shared_ptr<const Bytes> only_;
  mutable std::map<std::string, File> files_;  // by name in the specification
};

// --- Writing. ---

// Gives blobs their places, in the order in which they are first added.
class BlobLayout {
 public:
  // Where the tensor goes. Tensors of one dtype that share their Bytes share the place.
  const BlobPlace& add(const Tensor& tensor);

  std::size_t count() const { return blobs_.size(); }
  std::uint64_t file_bytes() const { return end_; }
  // By Bytes; if the same Bytes are stored as two dtypes, the first.
  std::unordered_map<const Bytes*, BlobPlace> places() const;

  // Writes the whole file. Gives a digest of each piece of data, in an order that does not depend
  // on threads.
  std::vector<std::uint64_t> write(const std::filesystem::path& path,
                                   const SaveOptions& options) const;

 private:
  struct Blob {
    std::shared_ptr<const Bytes> bytes;
    DType dtype;
    std::uint64_t count;
    BlobPlace place;
  };
  struct Key {
    const Bytes* bytes;
    DType dtype;
    std::uint64_t count;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<const Bytes*>()(key.bytes) ^ static_cast<std::size_t>(key.dtype) ^
             static_cast<std::size_t>(key.count << 8);
    }
  };

  std::vector<Blob> blobs_;
  std::unordered_map<Key, std::size_t, KeyHash> known_;
  std::uint64_t end_ = 64;
};

// True if a constant of that type may stand in a weight file for functions of that op set.
bool may_be_blob(DType dtype, mil::Opset opset);

}  // namespace anemone::package
