#include "anemone/package/blobs.h"

#include <gmock/gmock.h>

#include "anemone/package/testing.h"

namespace anemone::package {
namespace {

constexpr char kName[] = "@model_path/weights/weight.bin";

// A weight file with one blob of four fp16 elements, to be damaged.
class BlobFile {
 public:
  BlobFile() : bytes_(64 + 64 + 8) {
    put<std::uint32_t>(0, 1);
    put<std::uint32_t>(4, 2);
    put<std::uint32_t>(64, 0xDEADBEEF);
    put<std::uint32_t>(68, 1);
    put<std::uint64_t>(72, 8);
    put<std::uint64_t>(80, 128);
    for (std::size_t i = 0; i < 4; ++i) put<std::uint16_t>(128 + 2 * i, 0x3c00);
  }

  template <typename T>
  BlobFile& put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof(T));
    return *this;
  }
  BlobFile& cut(std::size_t size) {
    bytes_.resize(size);
    return *this;
  }

  std::shared_ptr<const Tensor> tensor(std::uint64_t offset = 64, DType dtype = DType::kF16,
                                       const Shape& shape = {4}) const {
    return WeightFiles("m", own_bytes(bytes_)).tensor(kName, offset, dtype, shape);
  }
  std::string refusal(std::uint64_t offset = 64, DType dtype = DType::kF16,
                      const Shape& shape = {4}) const {
    return message_of([&] { tensor(offset, dtype, shape); });
  }

 private:
  std::vector<std::byte> bytes_;
};

TEST(Blobs, ReadsABlobWhereItLies) {
  EXPECT_EQ(*BlobFile().tensor(), Tensor::from_floats(DType::kF16, {4}, std::vector<float>(4, 1)));
  // Reserved fields and, for whole bytes, the padding may hold anything.
  EXPECT_EQ(*BlobFile().put<std::uint64_t>(88, 77).put<std::uint64_t>(96, ~0ull).tensor(),
            *BlobFile().tensor());
}

TEST(Blobs, SharesBytesBetweenEqualReferences) {
  const WeightFiles files("m", own_bytes([] {
                            std::vector<std::byte> raw(136);
                            const std::uint32_t words[] = {1, 2};
                            const std::uint32_t record[] = {0xDEADBEEF, 1, 8, 0, 128, 0};
                            std::memcpy(raw.data(), words, sizeof words);
                            std::memcpy(raw.data() + 64, record, sizeof record);
                            return raw;
                          }()));
  const auto flat = files.tensor(kName, 64, DType::kF16, {4});
  EXPECT_EQ(flat, files.tensor(kName, 64, DType::kF16, {4}));
  const auto square = files.tensor(kName, 64, DType::kF16, {2, 2});
  EXPECT_NE(flat, square);
  EXPECT_EQ(flat->bytes(), square->bytes());
}

TEST(Blobs, RefusesDamagedFilesByName) {
  const std::string file = "m/weights/weight.bin: ";
  EXPECT_EQ(BlobFile().cut(63).refusal(),
            file + "has 63 bytes; a weight file starts with a header of 64");
  EXPECT_EQ(BlobFile().cut(0).refusal(),
            file + "has 0 bytes; a weight file starts with a header of 64");
  EXPECT_EQ(BlobFile().put<std::uint32_t>(4, 1).refusal(),
            file + "is of version 1 of the blob format; version 2 is handled");
  EXPECT_EQ(BlobFile().refusal(128), file +
                                         "the blob at offset 128 has its record past the end of "
                                         "the file (136 bytes)");
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{65}, ~std::uint64_t{0}}) {
    EXPECT_EQ(BlobFile().refusal(offset),
              file + "the blob at offset " + std::to_string(offset) +
                  " is misplaced: offsets are multiples of 64 from 64 on");
  }
  EXPECT_EQ(BlobFile().refusal(~std::uint64_t{63}),
            file +
                "the blob at offset 18446744073709551552 has its record past the end of the "
                "file (136 bytes)");
  EXPECT_EQ(BlobFile().put<std::uint32_t>(64, 0xDEADBEE0).refusal(),
            file +
                "the blob at offset 64 has no record: it starts with 3735928544, not "
                "3735928559");
  EXPECT_EQ(BlobFile().refusal(64, DType::kF32, {2}),
            file + "the blob at offset 64 is fp16, but is used as fp32");
  EXPECT_EQ(BlobFile().put<std::uint32_t>(68, 99).refusal(),
            file + "the blob at offset 64 is of the unknown data type 99, but is used as fp16");
  EXPECT_EQ(BlobFile().refusal(64, DType::kF16, {5}),
            file + "the blob at offset 64 has 8 bytes; 5 elements of fp16 take 10");
  EXPECT_EQ(BlobFile().cut(135).refusal(),
            file +
                "the blob at offset 64 has 8 bytes at 128, past the end of the file (135 "
                "bytes)");
  EXPECT_EQ(BlobFile().put<std::uint64_t>(80, ~std::uint64_t{63}).refusal(),
            file +
                "the blob at offset 64 has 8 bytes at 18446744073709551552, past the end of "
                "the file (136 bytes)");
  for (const std::uint64_t place : {std::uint64_t{0}, std::uint64_t{127}}) {
    EXPECT_EQ(BlobFile().put<std::uint64_t>(80, place).refusal(),
              file + "the blob at offset 64 has its data at " + std::to_string(place) +
                  "; data lies at multiples of 64 after the header");
  }
  EXPECT_EQ(BlobFile().refusal(64, DType::kI64, {1}),
            "refers to a weight file, which cannot hold elements of int64");
}

TEST(Blobs, ChecksThePaddingOfPackedElements) {
  BlobFile file;
  file.put<std::uint32_t>(68, 12).put<std::uint64_t>(72, 3);  // uint3
  EXPECT_EQ(file.refusal(64, DType::kU3, {7}),
            "m/weights/weight.bin: the blob at offset 64 says 0 bits of padding; 7 elements of "
            "uint3 leave 3");
  file.put<std::uint64_t>(88, 3);
  EXPECT_EQ(file.tensor(64, DType::kU3, {7})->count(), 7);
  EXPECT_EQ(file.refusal(64, DType::kU3, {8}),
            "m/weights/weight.bin: the blob at offset 64 says 3 bits of padding; 8 elements of "
            "uint3 leave 0");
}

TEST(Blobs, StayBesideTheModel) {
  const WeightFiles files("m", own_bytes(std::vector<std::byte>(64)));
  const auto refusal = [&](const std::string& name) {
    return message_of([&] { files.tensor(name, 64, DType::kF16, {1}); });
  };
  for (const std::string name :
       {"@model_path/../weight.bin", "@model_path/weights/../../weight.bin", "/etc/passwd",
        "weights/weight.bin", "@model_path//etc/passwd", "@model_path/", "", "@model_path/./w",
        "@model_path/weights/..", "@model_path"}) {
    EXPECT_EQ(refusal(name),
              "refers to the weight file '" + name + "'; allowed are paths inside '@model_path/'");
  }
  EXPECT_EQ(refusal("@model_path/weights/other.bin"), "m/weights/other.bin: is missing");
  EXPECT_EQ(message_of([&] { WeightFiles("/nowhere").tensor(kName, 64, DType::kF16, {1}); }),
            "/nowhere/weights/weight.bin: cannot be opened: No such file or directory");
}

TEST(Blobs, EveryWidthComesBackFromTheFile) {
  const TempFolder folder;
  std::vector<Tensor> tensors;
  for (const DType dtype :
       {DType::kF16, DType::kF32, DType::kBF16, DType::kF8E4M3, DType::kF8E5M2, DType::kI4,
        DType::kI8, DType::kI16, DType::kI32, DType::kU1, DType::kU2, DType::kU3, DType::kU4,
        DType::kU6, DType::kU8, DType::kU16, DType::kU32}) {
    for (const std::int64_t count : {1, 7, 8, 1001}) {
      std::vector<std::byte> raw(size_bytes(dtype, static_cast<std::uint64_t>(count)));
      for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::byte>(i * 37 + 11);
      tensors.emplace_back(dtype, Shape{count}, own_bytes(std::move(raw)));
    }
  }
  const auto path = folder.path() / "weights" / "weight.bin";
  std::filesystem::create_directory(path.parent_path());
  const SaveReport report = write_blob_file(path, tensors);
  const WeightFiles files(folder.path());
  for (const Tensor& tensor : tensors) {
    const BlobPlace place = report.blobs.at(tensor.bytes().get());
    EXPECT_EQ(*files.tensor(kName, place.metadata_offset, tensor.dtype(), tensor.shape()), tensor)
        << name(tensor.dtype()) << tensor.count();
  }
}

// A weight file of more than 4 GiB, nearly all of it a hole: offsets are 64 bits wide everywhere.
TEST(Blobs, LieBeyondFourGibibytes) {
  const TempFolder folder;
  const auto path = folder.path() / "weights" / "weight.bin";
  std::filesystem::create_directory(path.parent_path());
  constexpr std::uint64_t kHole = (std::uint64_t{1} << 32) + (std::uint64_t{1} << 20);
  // The layout alone: nothing is read from a tensor that is only placed.
  class Huge : public Bytes {
   public:
    std::size_t size_bytes() const override { return kHole; }
    std::span<const std::byte> view() const override { return {}; }
    void read(std::size_t, std::span<std::byte>) const override { FAIL(); }
  };
  const Tensor huge(DType::kU8, {static_cast<std::int64_t>(kHole)}, std::make_shared<Huge>());
  const Tensor last = Tensor::from_floats(DType::kF16, {3}, std::vector<float>{1, 2, 3});
  BlobLayout layout;
  layout.add(huge);
  const BlobPlace place = layout.add(last);
  EXPECT_EQ(place.metadata_offset, 128 + kHole);
  EXPECT_EQ(layout.file_bytes(), place.data_offset + 6);

  const auto record = [](std::uint32_t dtype, std::uint64_t size, std::uint64_t data) {
    std::vector<std::byte> bytes(64);
    const std::uint32_t head[] = {0xDEADBEEF, dtype};
    const std::uint64_t rest[] = {size, data};
    std::memcpy(bytes.data(), head, sizeof head);
    std::memcpy(bytes.data() + 8, rest, sizeof rest);
    return bytes;
  };
  {
    FileWriter file(path);
    file.extend_to(layout.file_bytes());
    const std::uint32_t header[] = {2, 2};
    file.write_at(0, std::as_bytes(std::span(header)));
    file.write_at(64, record(3, kHole, 128));
    file.write_at(place.metadata_offset, record(1, 6, place.data_offset));
    file.write_at(place.data_offset, last.data());
    file.close();
  }
  const WeightFiles files(folder.path());
  EXPECT_EQ(*files.tensor(kName, place.metadata_offset, DType::kF16, {3}), last);
  EXPECT_EQ(files.tensor(kName, 64, DType::kU8, huge.shape())->integer(huge.count() - 1), 0);
  EXPECT_THAT(message_of([&] {
                files.tensor(kName, place.metadata_offset & 0xffffffff, DType::kF16, {3});
              }),
              testing::HasSubstr("has no record"));
}

}  // namespace
}  // namespace anemone::package
