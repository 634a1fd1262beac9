#include "anemone/predict/npz.h"

#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "anemone/base/files.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::predict {
namespace {

TEST(Npy, ReadsWhatItWrites) {
  const std::int64_t numbers[] = {1, 0, 3, 4, 5, 6};
  for (const DType dtype : {DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32,
                            DType::kU32, DType::kI64, DType::kU64}) {
    const Tensor tensor = Tensor::from_ints(dtype, {2, 3}, numbers);
    EXPECT_EQ(parse_npy(as_bytes(npy_bytes(tensor)), "x"), tensor) << name(dtype);
  }
  const double reals[] = {0.5, -2, 1e-3, 4, 5, 6};
  for (const DType dtype : {DType::kF16, DType::kF32, DType::kF64}) {
    const Tensor tensor = Tensor::from_doubles(dtype, {6}, reals);
    EXPECT_EQ(parse_npy(as_bytes(npy_bytes(tensor)), "x"), tensor) << name(dtype);
  }
  for (const Tensor& tensor : {Tensor::scalar(DType::kF32, 7), Tensor::scalar_bool(true),
                               Tensor::from_floats(DType::kF32, {2, 0, 3}, {})}) {
    EXPECT_EQ(parse_npy(as_bytes(npy_bytes(tensor)), "x"), tensor);
  }
}

TEST(Npy, HasAHeaderOfAMultipleOf64Bytes) {
  const std::string bytes = npy_bytes(Tensor::scalar(DType::kF32, 1));
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00v\x00", 10));
  EXPECT_EQ(bytes.size(), 128u + 4u);
  EXPECT_EQ(bytes.substr(10, 55), "{'descr': '<f4', 'fortran_order': False, 'shape': (), }");
}

TEST(Npy, TurnsFortranOrderAndBigEndianNumbers) {
  std::string header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }\n";
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  for (const int value : {1, 4, 2, 5, 3, 6}) {
    bytes += '\0';
    bytes += static_cast<char>(value);
  }
  const std::int64_t wanted[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(parse_npy(as_bytes(bytes), "x"), Tensor::from_ints(DType::kI16, {2, 3}, wanted));
}

TEST(Npy, RefusesWhatIsNoArrayOfNumbers) {
  const auto message = [](std::string bytes) {
    return testing::message_of([&] { parse_npy(as_bytes(bytes), "a.npy"); });
  };
  const std::string good = npy_bytes(Tensor::scalar(DType::kF32, 1));
  EXPECT_EQ(message("PK"), "bad-input: a.npy: is no NumPy array");
  EXPECT_EQ(message(good.substr(0, good.size() - 1)),
            "bad-input: a.npy: has 3 bytes of elements, which does not fit shape [] of '<f4'");
  std::string complex = good;
  complex.replace(complex.find("<f4"), 3, "<c8");
  EXPECT_EQ(message(complex),
            "unsupported: a.npy: has elements of type '<c8'; allowed: b1, i1, u1, i2, u2, i4, u4, "
            "i8, u8, f2, "
            "f4, f8");
  std::string cut = good;
  cut[8] = 10;
  EXPECT_EQ(message(cut), "bad-input: a.npy: its header is no dictionary: no text at byte 10");
}

TEST(Npz, ReadsWhatItWritesAndWritesTheSameBytesAgain) {
  const testing::TempDir dir;
  const double reals[] = {1, 2, 3};
  const Arrays arrays = {{"a", Tensor::from_doubles(DType::kF16, {3}, reals)},
                         {"b/c", Tensor::scalar(DType::kI32, 4)}};
  save_npz(dir / "x.npz", arrays);
  EXPECT_EQ(load_npz(dir / "x.npz"), arrays);
  save_npz(dir / "y.npz", arrays);
  EXPECT_EQ(read_text(dir / "x.npz"), read_text(dir / "y.npz"));
  save_npz(dir / "empty.npz", {});
  EXPECT_TRUE(load_npz(dir / "empty.npz").empty());
}

TEST(Npz, ReadsFromAPipe) {
  const testing::TempDir dir;
  const Arrays arrays = {{"a", Tensor::scalar(DType::kI32, 4)}};
  save_npz(dir / "x.npz", arrays);
  const std::string bytes = read_text(dir / "x.npz");
  const auto pipe = (dir / "pipe").string();
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& sent : {bytes, std::string("text"), std::string()}) {
    std::thread writer([&] { std::ofstream(pipe, std::ios::binary) << sent; });
    if (sent == bytes) {
      EXPECT_EQ(load_npz(pipe), arrays);
    } else {
      EXPECT_EQ(testing::message_of([&] { load_npz(pipe); }),
                "bad-input: " + pipe + ": is no .npz file: Not a zip archive");
    }
    writer.join();
  }
}

TEST(Npz, NamesTheFileThatItCannotRead) {
  const testing::TempDir dir;
  const auto message = [&](const std::string& name) {
    return testing::message_of([&] { load_npz(dir / name); });
  };
  EXPECT_EQ(message("none.npz"),
            "not-found: " + (dir / "none.npz").string() + ": there is no such file");
  write_file(dir / "text.npz", std::string_view("text"));
  EXPECT_EQ(message("text.npz"),
            "bad-input: " + (dir / "text.npz").string() + ": is no .npz file: Not a zip archive");
  // A damaged element is found by the archive's checksum.
  save_npz(dir / "x.npz", {{"a", Tensor::scalar(DType::kF32, 1)}});
  std::string bytes = read_text(dir / "x.npz");
  bytes[bytes.find("NUMPY") + 125] ^= 1;
  write_file(dir / "bad.npz", std::string_view(bytes));
  EXPECT_EQ(message("bad.npz"),
            "bad-input: " + (dir / "bad.npz").string() + ": 'a.npy' cannot be unpacked: CRC error");
}

}  // namespace
}  // namespace anemone::predict
