#include "anemone/checkpoint/decode.h"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <random>
#include <thread>

#include "anemone/base/half.h"
#include "anemone/checkpoint/safetensors.h"
#include "anemone/checkpoint/test_files.h"

namespace anemone {
namespace {

using checkpoint_test::bytes_of;
using checkpoint_test::golden;
using checkpoint_test::message_of;

constexpr Encoding kQuantized[] = {
    Encoding::kQ8_0, Encoding::kQ4_0, Encoding::kQ4_1, Encoding::kQ5_0, Encoding::kQ5_1,
    Encoding::kQ2_K, Encoding::kQ3_K, Encoding::kQ4_K, Encoding::kQ5_K, Encoding::kQ6_K};

CheckpointTensor make_tensor(Encoding encoding, Shape shape, std::string_view encoded) {
  CheckpointTensor made;
  made.name = "model.x.weight";
  made.stored_name = "x.weight";
  made.file = "f.gguf";
  made.shape = std::move(shape);
  made.encoding = encoding;
  made.data = bytes_of(encoded);
  return made;
}

CheckpointTensor make_f32(Shape shape, std::span<const float> values) {
  return make_tensor(Encoding::kF32, std::move(shape),
                     {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
}

std::string random_text(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, '\0');
  for (char& c : text) c = static_cast<char>(random());
  return text;
}

std::vector<std::uint16_t> read_all(const F16Bytes& bytes) {
  std::vector<std::uint16_t> halves(bytes.size_bytes() / 2);
  bytes.read(0, std::as_writable_bytes(std::span(halves)));
  return halves;
}

// Every element of the golden file: bit for bit what the Python package gguf makes of the same
// blocks.
TEST(Decode, QuantizedBlocksGiveGgufsValues) {
  const auto path = golden("dequantize.safetensors");
  const SafetensorsFile file =
      read_safetensors(std::make_shared<MappedFile>(path), path.filename().string());
  std::map<std::string, const CheckpointTensor*> tensors;
  for (const CheckpointTensor& tensor : file.tensors) tensors[tensor.name] = &tensor;
  for (const Encoding encoding : kQuantized) {
    const std::string type(name(encoding));
    SCOPED_TRACE(type);
    const CheckpointTensor* encoded = tensors[type + ".encoded"];
    const CheckpointTensor* decoded = tensors[type + ".decoded"];
    ASSERT_NE(encoded, nullptr);
    ASSERT_NE(decoded, nullptr);
    EXPECT_EQ(encoded->columns(), info(encoding).block_bytes);
    EXPECT_EQ(decoded->columns(), info(encoding).block_elements);
    CheckpointTensor tensor = *encoded;
    tensor.encoding = encoding;
    tensor.shape = decoded->shape;
    const std::vector<float> found = decode_f32(tensor);
    const std::vector<float> wanted = decode_f32(*decoded);
    ASSERT_EQ(found.size(), wanted.size());
    ASSERT_GT(found.size(), 300u);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(found[i]), std::bit_cast<std::uint32_t>(wanted[i]))
          << i << ": " << found[i] << " " << wanted[i];
    }
  }
}

TEST(Decode, RowsAreThoseOfTheWholeTensor) {
  for (const Encoding encoding : {Encoding::kQ4_K, Encoding::kQ5_1, Encoding::kBF16}) {
    const std::int64_t columns = 512;
    const std::int64_t rows = 23;
    const EncodingInfo& row = info(encoding);
    const auto size =
        static_cast<std::size_t>(rows * columns / row.block_elements * row.block_bytes);
    std::string text = random_text(size, 3);
    const CheckpointTensor tensor = make_tensor(encoding, {rows, columns}, text);
    const std::vector<float> whole = decode_f32(tensor);
    std::vector<float> some(static_cast<std::size_t>(9 * columns));
    decode_f32(tensor, 11, some);
    EXPECT_EQ(std::memcmp(some.data(), whole.data() + 11 * columns, some.size() * 4), 0);
  }
}

// The rows as a file of the llama architecture has them, made by the rule of the program that
// writes such files: reshape to [heads, 2, D/2], swap the last two axes.
TEST(Decode, InterleavedHeadsComeOutInOrder) {
  const std::int64_t heads = 3, head = 8, columns = 5;
  std::vector<float> logical(static_cast<std::size_t>(heads * head * columns));
  for (std::size_t i = 0; i < logical.size(); ++i) logical[i] = static_cast<float>(i);
  std::vector<float> stored(logical.size());
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t half = 0; half < 2; ++half) {
      for (std::int64_t i = 0; i < head / 2; ++i) {
        const std::int64_t from = (h * head + half * head / 2 + i) * columns;
        const std::int64_t to = (h * head + 2 * i + half) * columns;
        std::copy_n(logical.begin() + from, columns, stored.begin() + to);
      }
    }
  }
  CheckpointTensor matrix = make_f32({heads * head, columns}, stored);
  matrix.interleaved_rows = head;
  EXPECT_EQ(decode_f32(matrix), logical);
  std::vector<float> two(2 * columns);
  decode_f32(matrix, 9, two);
  EXPECT_EQ(two, std::vector<float>(logical.begin() + 45, logical.begin() + 55));

  // A bias is permuted element by element.
  CheckpointTensor bias = make_f32({2 * head}, std::vector<float>{0, 4, 1, 5, 2, 6, 3, 7,  //
                                                                  8, 12, 9, 13, 10, 14, 11, 15});
  bias.interleaved_rows = head;
  std::vector<float> in_order(16);
  for (std::size_t i = 0; i < 16; ++i) in_order[i] = static_cast<float>(i);
  EXPECT_EQ(decode_f32(bias), in_order);
}

TEST(Decode, ATensorThatIsNotOfFloatsIsRefused) {
  const CheckpointTensor tensor = make_tensor(Encoding::kI32, {1}, "abcd");
  const std::string wanted =
      "unsupported: f.gguf: tensor 'x.weight' is stored as I32; weights are read from F32, F16, "
      "BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K and Q6_K";
  EXPECT_EQ(message_of([&] { decode_f32(tensor); }), wanted);
  EXPECT_EQ(message_of([&] { f16_bytes(tensor); }), wanted);
  EXPECT_EQ(message_of([&] { scan_f16(tensor); }), wanted);
}

TEST(F16Bytes, AnyRangeIsThatOfTheWholeForEveryEncoding) {
  std::mt19937 random(5);
  std::vector<Encoding> encodings(std::begin(kQuantized), std::end(kQuantized));
  encodings.insert(encodings.end(), {Encoding::kF32, Encoding::kF16, Encoding::kBF16});
  for (const Encoding encoding : encodings) {
    for (const std::int64_t interleaved : {0, 6}) {
      SCOPED_TRACE(std::string(name(encoding)) + (interleaved > 0 ? " interleaved" : ""));
      const std::int64_t rows = 36, columns = 256;
      const EncodingInfo& row = info(encoding);
      const auto size =
          static_cast<std::size_t>(rows * columns / row.block_elements * row.block_bytes);
      CheckpointTensor tensor = make_tensor(encoding, {rows, columns}, random_text(size, 4));
      tensor.interleaved_rows = interleaved;
      const std::vector<float> floats = decode_f32(tensor);
      const auto bytes = f16_bytes(tensor);
      ASSERT_EQ(bytes->size_bytes(), floats.size() * 2);
      const std::vector<std::uint16_t> whole = read_all(*bytes);
      for (std::size_t i = 0; i < floats.size(); ++i) {
        // What a NaN's payload becomes is nobody's business; any other value must agree to the bit.
        if (std::isnan(floats[i])) {
          ASSERT_TRUE(std::isnan(to_float(f16{whole[i]}))) << i;
        } else {
          ASSERT_EQ(whole[i], to_f16(floats[i]).bits) << i;
        }
      }
      for (int i = 0; i < 30; ++i) {
        const std::size_t begin = random() % whole.size();
        const std::size_t count = random() % (whole.size() - begin + 1);
        std::vector<std::byte> part(count * 2 + 1);
        const std::size_t shift = i % 2;  // to odd addresses too
        bytes->read(begin * 2, std::span(part).subspan(shift, count * 2));
        ASSERT_EQ(std::memcmp(part.data() + shift, whole.data() + begin, count * 2), 0)
            << begin << " " << count;
      }
    }
  }
}

TEST(F16Bytes, ReportsWhatFp16CannotHold) {
  std::vector<float> values(70 * 100, 0.25f);
  values[4321] = 1e5f;
  values[4400] = -65520.0f;
  values[17] = 65519.0f;  // rounds to 65504
  values[100] = 1e-9f;
  values[101] = -2.9802322387695312e-8f;  // 2^-25: ties to zero
  values[102] = 3e-8f;                    // the smallest subnormal
  values[103] = -0.0f;
  values[6999] = std::numeric_limits<float>::infinity();
  values[5000] = -std::numeric_limits<float>::infinity();
  values[5001] = std::numeric_limits<float>::quiet_NaN();
  const CheckpointTensor tensor = make_f32({70, 100}, values);
  const F16Report report = scan_f16(tensor);
  EXPECT_EQ(report.elements, 7000);
  EXPECT_EQ(report.overflows, 2);
  EXPECT_EQ(report.infinities, 2);
  EXPECT_EQ(report.nans, 1);
  EXPECT_EQ(report.flushed, 2);
  EXPECT_EQ(report.max_magnitude, 1e5f);
  EXPECT_EQ(report.first_overflow->index, 4321);
  EXPECT_EQ(report.first_overflow->value, 1e5f);
  EXPECT_EQ(report.first_infinity->index, 5000);
  EXPECT_EQ(report.first_nan->index, 5001);
  EXPECT_FALSE(report.is_finite());
  const std::vector<std::uint16_t> halves = read_all(F16Bytes(tensor));
  EXPECT_EQ(halves[103], 0x8000);
  EXPECT_EQ(halves[102], 0x0001);
  EXPECT_EQ(halves[17], 0x7bff);

  EXPECT_EQ(message_of([&] { require_finite_f16(tensor, report); }),
            "numeric: f.gguf: tensor 'x.weight' holds a NaN (nan at [50, 1]); allowed: numbers");
  F16Report without = report;
  without.nans = 0;
  EXPECT_EQ(message_of([&] { require_finite_f16(tensor, without); }),
            "numeric: f.gguf: tensor 'x.weight' holds an infinity (-inf at [50, 0], and 1 more); "
            "allowed: finite numbers");
  without.infinities = 0;
  EXPECT_EQ(message_of([&] { require_finite_f16(tensor, without); }),
            "numeric: f.gguf: tensor 'x.weight' holds a value too large for fp16 (100000 at "
            "[43, 21], and 1 more); allowed: magnitudes below 65520");
  without.overflows = 0;
  EXPECT_EQ(message_of([&] { require_finite_f16(tensor, without); }), "no error");
}

TEST(F16Bytes, AHalfFileWithInfinitiesIsNoticedToo) {
  std::vector<std::uint16_t> halves(9000, 0x3c00);
  halves[8000] = 0xfc00;
  halves[8999] = 0x7e00;
  const CheckpointTensor tensor = make_tensor(
      Encoding::kF16, {9000}, {reinterpret_cast<const char*>(halves.data()), halves.size() * 2});
  const F16Bytes bytes(tensor);
  EXPECT_EQ(read_all(bytes), halves);
  EXPECT_EQ(bytes.report().first_infinity->index, 8000);
  EXPECT_EQ(bytes.report().first_nan->index, 8999);
  EXPECT_EQ(bytes.report().max_magnitude, 1.0f);
}

TEST(F16Bytes, WhatIsReadTwiceIsCountedOnce) {
  std::vector<float> values(3000, 1e-9f);
  values[1500] = 1e6f;
  const F16Bytes bytes(make_f32({3000}, values));
  std::vector<std::byte> out(6000);
  const auto read = [&](std::size_t begin, std::size_t end) {
    bytes.read(begin * 2, std::span(out).subspan(0, (end - begin) * 2));
  };
  read(100, 200);
  read(150, 300);
  read(400, 500);
  EXPECT_EQ(bytes.report().elements, 300);
  read(0, 2000);
  read(0, 2000);
  read(1999, 2001);
  EXPECT_EQ(bytes.report().elements, 2001);
  read(0, 3000);
  EXPECT_EQ(bytes.report().elements, 3000);
  EXPECT_EQ(bytes.report().flushed, 2999);
  EXPECT_EQ(bytes.report().overflows, 1);
}

TEST(F16Bytes, ThreadsMayReadAtOnce) {
  std::vector<float> values(200'000);
  std::mt19937 random(6);
  for (float& value : values) value = static_cast<float>(random() % 2000) - 1000;
  values[123'456] = 1e6f;
  const CheckpointTensor tensor = make_f32({200, 1000}, values);
  const F16Bytes bytes(tensor);
  const std::vector<std::uint16_t> wanted = read_all(F16Bytes(tensor));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::uint16_t> part(7000);
      for (std::size_t at = 0; at + part.size() <= values.size(); at += 3500 + 100 * t) {
        bytes.read(at * 2, std::as_writable_bytes(std::span(part)));
        if (std::memcmp(part.data(), wanted.data() + at, part.size() * 2) != 0) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  read_all(bytes);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(bytes.report().elements, 200'000);
  EXPECT_EQ(bytes.report().overflows, 1);
  EXPECT_EQ(bytes.report().first_overflow->index, 123'456);
  ThreadPool pool(3);
  const F16Report scanned = scan_f16(tensor, &pool);
  EXPECT_EQ(scanned.elements, 200'000);
  EXPECT_EQ(scanned.first_overflow->index, 123'456);
}

TEST(F16Bytes, AnEmptyTensorIsEmpty) {
  const CheckpointTensor tensor = make_tensor(Encoding::kBF16, {0, 8}, "");
  EXPECT_EQ(f16_bytes(tensor)->size_bytes(), 0u);
  EXPECT_TRUE(decode_f32(tensor).empty());
  EXPECT_EQ(scan_f16(tensor).elements, 0);
}

}  // namespace
}  // namespace anemone
