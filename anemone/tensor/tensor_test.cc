#include "anemone/tensor/tensor.h"

#include <gtest/gtest.h>

#include <numeric>

namespace anemone {
namespace {

TEST(Shape, ProductsThatWouldOverflowAreAbsent) {
  const Shape huge = {std::int64_t{1} << 40, std::int64_t{1} << 40};
  EXPECT_FALSE(checked_element_count(huge).has_value());
  EXPECT_FALSE(checked_element_count(Shape{2, -1}).has_value());
  EXPECT_EQ(checked_element_count(Shape{}), 1);
  EXPECT_EQ(checked_element_count(Shape{3, 0, 5}), 0);
}

TEST(Shape, BroadcastsAsNumpyDoes) {
  EXPECT_EQ(broadcast(Shape{4, 1, 3}, Shape{2, 1}), (Shape{4, 2, 3}));
  EXPECT_EQ(broadcast(Shape{}, Shape{2}), (Shape{2}));
  EXPECT_FALSE(broadcast(Shape{2}, Shape{3}).has_value());
  EXPECT_EQ(broadcast(Shape{kUnknown}, Shape{3}), (Shape{3}));
  EXPECT_EQ(broadcast(Shape{kUnknown}, Shape{1}), (Shape{kUnknown}));
}

TEST(Tensor, PacksSubByteElementsFromTheLowBitUp) {
  const std::vector<std::int64_t> values = {1, 7, 2, 5, 0, 6, 3, 4, 7};
  const Tensor u3 = Tensor::from_ints(DType::kU3, {9}, values);
  EXPECT_EQ(u3.size_bytes(), 4u);  // 27 bits
  EXPECT_EQ(u3.to_ints(), values);
  EXPECT_EQ(std::to_integer<int>(u3.data()[0]), 1 | 7 << 3 | (2 & 3) << 6);
  const std::vector<std::int64_t> nibbles = {-8, 7, -1};
  EXPECT_EQ(Tensor::from_ints(DType::kI4, {3}, nibbles).to_ints(), nibbles);
}

TEST(Tensor, RoundsADoubleToHalfOnce) {
  // 1 + 2^-11 + 2^-40 lies just above a tie; by way of float it would land on the tie and go down.
  const double value = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);
  EXPECT_EQ(Tensor::scalar(DType::kF16, value).number(0), 1 + std::ldexp(1, -10));
  EXPECT_EQ(Tensor::scalar(DType::kF16, -value).number(0), -1 - std::ldexp(1, -10));
  const double below = 1 + std::ldexp(1, -11) - std::ldexp(1, -40);
  EXPECT_EQ(Tensor::scalar(DType::kF16, below).number(0), 1);
}

TEST(Tensor, ConvertsFloatsToIntegersByCuttingAndSaturating) {
  const std::vector<double> values = {-1.9, 1.9, 300, -300};
  const Tensor from = Tensor::from_doubles(DType::kF32, {4}, values);
  EXPECT_EQ(convert(from, DType::kI8).to_ints(), (std::vector<std::int64_t>{-1, 1, 127, -128}));
  EXPECT_EQ(convert(from, DType::kBool).to_ints(), (std::vector<std::int64_t>{1, 1, 1, 1}));
}

TEST(Tensor, ComparesBitsAndNotNumbers) {
  EXPECT_FALSE(Tensor::scalar(DType::kF32, 0.0) == Tensor::scalar(DType::kF32, -0.0));
  EXPECT_TRUE(Tensor::scalar(DType::kF32, NAN) == Tensor::scalar(DType::kF32, NAN));
}

}  // namespace
}  // namespace anemone
