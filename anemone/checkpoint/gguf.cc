#include "anemone/checkpoint/gguf.h"

#include <algorithm>
#include <bit>

#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

// Source for the layout: ggml docs/gguf.md, "File Structure".
constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint64_t kLeastPairBytes = 8 + 4 + 1;
constexpr std::uint64_t kLeastTensorBytes = 8 + 4 + 4 + 8;
constexpr std::uint32_t kMostDimensions = 4;
constexpr std::int64_t kDefaultAlignment = 32;

// ggml_type numbers without a decoder here, for messages.
// Source: the Python package gguf 0.19.0, constants.py (GGMLQuantizationType).
std::string encoding_name(std::uint32_t type) {
  constexpr std::pair<std::uint32_t, std::string_view> kNames[] = {
      {4, "Q4_2"},    {5, "Q4_3"},     {9, "Q8_1"},   {15, "Q8_K"},   {16, "IQ2_XXS"},
      {17, "IQ2_XS"}, {18, "IQ3_XXS"}, {19, "IQ1_S"}, {20, "IQ4_NL"}, {21, "IQ3_S"},
      {22, "IQ2_S"},  {23, "IQ4_XS"},  {29, "IQ1_M"}, {34, "TQ1_0"},  {35, "TQ2_0"},
      {39, "MXFP4"},  {40, "NVFP4"},   {41, "Q1_0"},
  };
  for (const auto& [number, spelt] : kNames) {
    if (number == type) return std::string(spelt);
  }
  return "the unknown type " + std::to_string(type);
}

struct TensorInfo {
  CheckpointTensor tensor;
  std::uint32_t type = 0;
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  std::string what;  // "F: tensor 'x'"
};

class GgufReader {
 public:
  GgufReader(const std::shared_ptr<const Bytes>& bytes, const std::string& file)
      : bytes_(bytes), file_(file), reader_(bytes->view(), file) {}

  GgufFile read() {
    read_header();
    GgufFile made{bytes_, file_, GgufMetadata(file_), {}};
    for (std::uint64_t i = 0; i < pairs_; ++i) read_pair(made.metadata);
    const std::uint64_t alignment = read_alignment(made.metadata);
    std::vector<TensorInfo> infos;
    for (std::uint64_t i = 0; i < tensors_; ++i) infos.push_back(read_info(i));
    refuse_unreadable(infos);
    place(infos, alignment);
    for (TensorInfo& info : infos) made.tensors.push_back(std::move(info.tensor));
    return made;
  }

 private:
  void read_header() {
    refuse_lfs_pointer(as_text(bytes_->view()), file_);
    const std::uint32_t magic = reader_.u32("the magic");
    if (magic != kMagic) {
      bad_input(file_ + ": starts with " + in_quotes(as_text(bytes_->view()).substr(0, 4)) +
                "; allowed: 'GGUF'");
    }
    const std::uint32_t version = reader_.u32("the version");
    if (version == 1) {
      throw Error(Code::kUnsupported, file_ + ": is of GGUF version 1; allowed: 2 and 3");
    }
    if (version != 0 && (version & 0xffffu) == 0) {
      throw Error(Code::kUnsupported,
                  file_ + ": is a big-endian GGUF file; allowed: little-endian");
    }
    if (version != 2 && version != 3) {
      throw Error(Code::kUnsupported,
                  file_ + ": is of GGUF version " + std::to_string(version) + "; allowed: 2 and 3");
    }
    tensors_ = reader_.u64("the number of tensors");
    pairs_ = reader_.u64("the number of metadata pairs");
    require_room(tensors_, kLeastTensorBytes, "the number of tensors");
    require_room(pairs_, kLeastPairBytes, "the number of metadata pairs");
  }

  // `count` things of at least `least_bytes` each must fit into what is left, before anything is
  // reserved for them.
  void require_room(std::uint64_t count, std::uint64_t least_bytes, const std::string& what) const {
    if (count > reader_.left() / least_bytes) {
      bad_input(file_ + ": " + what + " is given as " + std::to_string(count) +
                ", each of at least " + std::to_string(least_bytes) + " bytes, but only " +
                std::to_string(reader_.left()) + " bytes are left");
    }
  }

  std::string_view read_string(const std::string& what) {
    const std::uint64_t length = reader_.u64("the length of " + what);
    if (length > reader_.left()) {
      bad_input(file_ + ": the length of " + what + " is given as " + std::to_string(length) +
                " bytes, but only " + std::to_string(reader_.left()) + " are left");
    }
    return as_text(reader_.take(static_cast<std::size_t>(length), what));
  }

  GgufType read_type(const std::string& what) {
    const std::uint32_t type = reader_.u32("the type of " + what);
    if (type > static_cast<std::uint32_t>(GgufType::kF64)) {
      bad_input(file_ + ": " + what + " is of type " + std::to_string(type) + "; allowed: 0 to 12");
    }
    return static_cast<GgufType>(type);
  }

  static std::uint64_t size_of(GgufType type) {
    switch (type) {
      case GgufType::kU8:
      case GgufType::kI8:
      case GgufType::kBool:
        return 1;
      case GgufType::kU16:
      case GgufType::kI16:
        return 2;
      case GgufType::kU32:
      case GgufType::kI32:
      case GgufType::kF32:
        return 4;
      case GgufType::kU64:
      case GgufType::kI64:
      case GgufType::kF64:
        return 8;
      case GgufType::kString:
      case GgufType::kArray:
        break;
    }
    return 0;
  }

  // Walks over one value, or `count` of them, so that what lies between is well-formed.
  std::span<const std::byte> walk(GgufType type, std::uint64_t count, const std::string& what) {
    const std::size_t from = reader_.at();
    if (type == GgufType::kString) {
      require_room(count, 8, "the number of strings of " + what);
      for (std::uint64_t i = 0; i < count; ++i) read_string(what);
    } else {
      const std::uint64_t size = size_of(type);
      require_room(count, size, "the number of elements of " + what);
      const auto values = reader_.take(static_cast<std::size_t>(count * size), what);
      if (type == GgufType::kBool) {
        for (const std::byte b : values) {
          if (std::to_integer<unsigned>(b) > 1) {
            bad_input(file_ + ": " + what + " holds the boolean " +
                      std::to_string(std::to_integer<unsigned>(b)) + "; allowed: 0 and 1");
          }
        }
      }
    }
    return bytes_->view().subspan(from, reader_.at() - from);
  }

  void read_pair(GgufMetadata& metadata) {
    const std::string_view key = read_string("a metadata key");
    if (key.empty()) bad_input(file_ + ": a metadata key is empty");
    const std::string what = "metadata " + in_quotes(key);
    GgufValue value;
    value.type = read_type(what);
    if (value.type == GgufType::kArray) {
      value.element = read_type("the elements of " + what);
      if (value.element == GgufType::kArray) {
        bad_input(file_ + ": " + what + " is an array of arrays; allowed: arrays of plain values");
      }
      value.count = reader_.u64("the number of elements of " + what);
      value.raw = walk(value.element, value.count, what);
    } else {
      value.raw = walk(value.type, 1, what);
    }
    if (!metadata.add(key, value)) bad_input(file_ + ": " + what + " stands twice");
  }

  std::uint64_t read_alignment(const GgufMetadata& metadata) const {
    const GgufValue* value = metadata.find("general.alignment");
    if (value == nullptr) return kDefaultAlignment;
    if (value->type != GgufType::kU32) {
      metadata.wrong_type("general.alignment", *value, "uint32");
    }
    const auto alignment = static_cast<std::uint64_t>(*metadata.find_count("general.alignment"));
    if (!std::has_single_bit(alignment)) {
      bad_input(file_ + ": metadata 'general.alignment' is " + std::to_string(alignment) +
                "; allowed: a power of two");
    }
    return alignment;
  }

  TensorInfo read_info(std::uint64_t index) {
    TensorInfo info;
    const std::string_view name = read_string("the name of tensor " + std::to_string(index));
    info.what = file_ + ": tensor " + in_quotes(name);
    if (name.empty())
      bad_input(file_ + ": the name of tensor " + std::to_string(index) + " is empty");
    const std::uint32_t dimensions = reader_.u32("the number of dimensions of " + in_quotes(name));
    if (dimensions > kMostDimensions) {
      bad_input(info.what + " has " + std::to_string(dimensions) + " dimensions; allowed: 0 to " +
                std::to_string(kMostDimensions));
    }
    Shape shape(dimensions);
    for (std::uint32_t i = 0; i < dimensions; ++i) {  // the file has the innermost extent first
      const std::uint64_t extent = reader_.u64("an extent of " + in_quotes(name));
      if (extent == 0) bad_input(info.what + " has an extent of 0; allowed: 1 and more");
      shape[dimensions - 1 - i] =
          static_cast<std::int64_t>(std::min<std::uint64_t>(extent, INT64_MAX));
    }
    info.type = reader_.u32("the type of " + in_quotes(name));
    info.offset = reader_.u64("the offset of " + in_quotes(name));
    info.tensor.name = info.tensor.stored_name = name;
    info.tensor.file = file_;
    info.tensor.shape = std::move(shape);
    return info;
  }

  void refuse_unreadable(std::span<const TensorInfo> infos) const {
    const TensorInfo* first = nullptr;
    std::size_t more = 0;
    for (const TensorInfo& info : infos) {
      if (find_encoding_by_gguf(info.type)) continue;
      if (first == nullptr) {
        first = &info;
      } else {
        ++more;
      }
    }
    if (first == nullptr) return;
    throw Error(Code::kUnsupported,
                first->what + " is stored as " + encoding_name(first->type) +
                    (more == 0 ? "" : " (and " + std::to_string(more) + " more tensors likewise)") +
                    "; weights are read from " + readable_encodings());
  }

  // Sizes, then places: aligned, inside the file, no two over each other.
  void place(std::vector<TensorInfo>& infos, std::uint64_t alignment) {
    for (TensorInfo& info : infos) {
      info.tensor.encoding = *find_encoding_by_gguf(info.type);
      const EncodingInfo& row = anemone::info(info.tensor.encoding);
      const auto count = checked_element_count(info.tensor.shape);
      if (!count) {
        bad_input(info.what + " has shape " + to_string(info.tensor.shape) +
                  ", which is more than 2^48 elements");
      }
      const std::int64_t columns = info.tensor.columns();
      if (columns % row.block_elements != 0) {
        bad_input(info.what + " has rows of " + std::to_string(columns) + " elements; " +
                  std::string(row.name) + " takes multiples of " +
                  std::to_string(row.block_elements));
      }
      info.size_bytes = static_cast<std::uint64_t>(*count / row.block_elements) *
                        static_cast<unsigned>(row.block_bytes);
      if (info.offset % alignment != 0) {
        bad_input(info.what + " begins at byte " + std::to_string(info.offset) +
                  " of the data section; allowed: multiples of the alignment, " +
                  std::to_string(alignment));
      }
    }
    const std::uint64_t file_bytes = bytes_->size_bytes();
    const std::uint64_t header_end = reader_.at();
    const std::uint64_t data_at = (header_end + alignment - 1) / alignment * alignment;
    const std::uint64_t data_bytes = data_at > file_bytes ? 0 : file_bytes - data_at;
    std::vector<TensorInfo*> sorted;
    for (TensorInfo& info : infos) {
      if (info.offset > data_bytes || info.size_bytes > data_bytes - info.offset) {
        bad_input(info.what + " takes " + std::to_string(info.size_bytes) + " bytes from byte " +
                  std::to_string(info.offset) +
                  " of the data section on, past the section's end (" + std::to_string(data_bytes) +
                  " bytes)");
      }
      info.tensor.data = slice_bytes(bytes_, static_cast<std::size_t>(data_at + info.offset),
                                     static_cast<std::size_t>(info.size_bytes));
      sorted.push_back(&info);
    }
    refuse_equal_names(sorted);
    std::sort(sorted.begin(), sorted.end(), [](const TensorInfo* a, const TensorInfo* b) {
      return std::tie(a->offset, a->tensor.name) < std::tie(b->offset, b->tensor.name);
    });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const TensorInfo& before = *sorted[i - 1];
      if (sorted[i]->offset - before.offset < before.size_bytes) {
        bad_input(sorted[i]->what + " begins at byte " + std::to_string(sorted[i]->offset) +
                  " of the data section, inside tensor " + in_quotes(before.tensor.name) +
                  ", which ends at byte " + std::to_string(before.offset + before.size_bytes));
      }
    }
  }

  static void refuse_equal_names(std::vector<TensorInfo*>& infos) {
    std::sort(infos.begin(), infos.end(), [](const TensorInfo* a, const TensorInfo* b) {
      return a->tensor.name < b->tensor.name;
    });
    for (std::size_t i = 1; i < infos.size(); ++i) {
      if (infos[i]->tensor.name == infos[i - 1]->tensor.name) {
        bad_input(infos[i]->what + " stands twice");
      }
    }
  }

  std::shared_ptr<const Bytes> bytes_;
  std::string file_;
  ByteReader reader_;
  std::uint64_t tensors_ = 0;
  std::uint64_t pairs_ = 0;
};

}  // namespace

GgufFile read_gguf(const std::shared_ptr<const Bytes>& bytes, const std::string& file) {
  return GgufReader(bytes, file).read();
}

}  // namespace anemone
