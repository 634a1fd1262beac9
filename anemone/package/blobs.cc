#include "anemone/package/blobs.h"

#include "anemone/package/blob_format.h"
#include "anemone/package/paths.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

std::string spelled(DType dtype) { return std::string(name(dtype)); }

std::string spelled_blob_dtype(std::uint32_t code) {
  const auto dtype = code <= 255 ? find_dtype_by_blob(static_cast<int>(code)) : std::nullopt;
  return dtype ? spelled(*dtype) : "of the unknown data type " + std::to_string(code);
}

template <typename T>
T read_at(const Bytes& bytes, std::uint64_t at) {
  T value;
  const auto view = bytes.view();
  std::memcpy(&value, view.data() + at, sizeof(T));
  return value;
}

// Checks the record at `offset` and gives the data's place.
BlobPlace read_record(const Bytes& file, std::uint64_t offset, DType dtype, std::uint64_t count) {
  const auto fail = [&](const std::string& why) {
    throw Error(Code::kBadInput, "the blob at offset " + std::to_string(offset) + " " + why);
  };
  const std::uint64_t file_bytes = file.size_bytes();
  const std::string of_file = "the end of the file (" + std::to_string(file_bytes) + " bytes)";
  if (offset % kBlobAlignmentBytes != 0 || offset == 0) {
    fail("is misplaced: offsets are multiples of 64 from 64 on");
  }
  if (offset > file_bytes || file_bytes - offset < sizeof(BlobRecord)) {
    fail("has its record past " + of_file);
  }
  const auto record = read_at<BlobRecord>(file, offset);
  if (record.sentinel != kBlobSentinel) {
    fail("has no record: it starts with " + std::to_string(record.sentinel) + ", not " +
         std::to_string(kBlobSentinel));
  }
  if (record.dtype != static_cast<std::uint32_t>(info(dtype).blob)) {
    fail("is " + spelled_blob_dtype(record.dtype) + ", but is used as " + spelled(dtype));
  }
  const std::uint64_t wanted = size_bytes(dtype, count);
  if (record.size_bytes != wanted) {
    fail("has " + std::to_string(record.size_bytes) + " bytes; " + std::to_string(count) +
         " elements of " + spelled(dtype) + " take " + std::to_string(wanted));
  }
  if (is_sub_byte(dtype) && record.padding_bits != blob_padding_bits(width_bits(dtype), count)) {
    // Byte-sized types had this field left unset before iOS 18; there it means nothing.
    fail("says " + std::to_string(record.padding_bits) + " bits of padding; " +
         std::to_string(count) + " elements of " + spelled(dtype) + " leave " +
         std::to_string(blob_padding_bits(width_bits(dtype), count)));
  }
  if (record.offset % kBlobAlignmentBytes != 0 || record.offset < sizeof(BlobHeader)) {
    fail("has its data at " + std::to_string(record.offset) +
         "; data lies at multiples of 64 after the header");
  }
  if (record.offset > file_bytes || file_bytes - record.offset < record.size_bytes) {
    fail("has " + std::to_string(record.size_bytes) + " bytes at " + std::to_string(record.offset) +
         ", past " + of_file);
  }
  return {offset, record.offset, record.size_bytes};
}

}  // namespace

WeightFiles::WeightFiles(std::filesystem::path folder)
    : folder_(std::move(folder)), is_on_disk_(true) {}

WeightFiles::WeightFiles(std::filesystem::path folder, std::shared_ptr<const Bytes> only)
    : folder_(std::move(folder)), is_on_disk_(false), only_(std::move(only)) {}

WeightFiles::File& WeightFiles::file(const std::string& file_name) const {
  const auto known = files_.find(file_name);
  if (known != files_.end()) return known->second;

  const std::string_view name = file_name;
  const bool has_prefix = name.starts_with(kModelPath);
  if (!has_prefix || !stays_inside(name.substr(kModelPath.size()))) {
    throw Error(Code::kBadInput, "refers to the weight file " + in_quotes(file_name) +
                                     "; allowed are paths inside '@model_path/'");
  }
  if (name.size() > kMaxPathBytes) {
    throw Error(Code::kLimit, "refers to the weight file " + in_quotes(file_name) +
                                  "; paths have at most " + std::to_string(kMaxPathBytes) +
                                  " bytes");
  }
  File file;
  file.path = (folder_ / name.substr(kModelPath.size())).string();
  if (is_on_disk_) {
    file.bytes = std::make_shared<MappedFile>(file.path);
  } else if (only_ != nullptr && name.substr(kModelPath.size()) == kWeightFile) {
    file.bytes = only_;
  } else {
    throw Error(Code::kNotFound, file.path + ": is missing");
  }
  if (file.bytes->size_bytes() < sizeof(BlobHeader)) {
    throw Error(Code::kBadInput, file.path + ": has " + std::to_string(file.bytes->size_bytes()) +
                                     " bytes; a weight file starts with a header of 64");
  }
  const auto header = read_at<BlobHeader>(*file.bytes, 0);
  if (header.version != kBlobVersion) {
    throw Error(Code::kUnsupported, file.path + ": is of version " +
                                        std::to_string(header.version) +
                                        " of the blob format; version 2 is handled");
  }
  return files_.emplace(file_name, std::move(file)).first->second;
}

std::shared_ptr<const Tensor> WeightFiles::tensor(const std::string& file_name,
                                                  std::uint64_t offset, DType dtype,
                                                  const Shape& shape) const {
  if (info(dtype).blob == 0) {
    throw Error(Code::kBadInput,
                "refers to a weight file, which cannot hold elements of " + spelled(dtype));
  }
  File& from = file(file_name);
  std::shared_ptr<const Tensor>& tensor = from.tensors[{offset, dtype, shape}];
  if (tensor != nullptr) return tensor;
  return within([&] { return from.path; },
                [&] {
                  const auto count = static_cast<std::uint64_t>(element_count(shape));
                  const BlobPlace place = read_record(*from.bytes, offset, dtype, count);
                  auto& bytes = from.blobs[{offset, dtype}];
                  if (bytes == nullptr) {
                    bytes = slice_bytes(from.bytes, place.data_offset, place.size_bytes);
                  }
                  tensor = std::make_shared<Tensor>(dtype, shape, bytes);
                  return tensor;
                });
}

bool may_be_blob(DType dtype, mil::Opset opset) {
  if (info(dtype).blob == 0) return false;
  switch (dtype) {
    case DType::kI16:
    case DType::kU16:
    case DType::kI32:
    case DType::kU32:
      // Source: coremltools 9.0, converters/mil/backend/mil/load.py (should_use_weight_file).
      return opset >= mil::Opset::kIos18;
    default:
      return true;
  }
}

}  // namespace anemone::package
