#include "anemone/coreml/arrays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "anemone/base/half.h"

namespace anemone::coreml {
namespace {

using ::testing::ElementsAre;

// [2, 3], rows of 4 elements.
ArrayView padded(DType dtype, std::int64_t size_bytes) {
  return {.dtype = dtype, .shape = {2, 3}, .strides = {4, 1}, .size_bytes = size_bytes};
}

TEST(Arrays, CopyIntoPaddedRowsAndOut) {
  const std::vector<float> from = {1, 2, 3, 4, 5, 6};
  std::vector<f16> array(8, to_f16(-1));
  const ArrayView view = padded(DType::kF16, 16);
  ASSERT_EQ(problem_of(view, 6), "");
  copy_in({"x", DType::kF32, from.data(), 6}, view, array.data());
  EXPECT_EQ(to_float(array[2]), 3);
  EXPECT_EQ(to_float(array[3]), -1) << "padding is left alone";
  EXPECT_EQ(to_float(array[4]), 4);
  std::vector<float> to(6);
  copy_out(view, array.data(), {"x", DType::kF32, to.data(), 6});
  EXPECT_EQ(to, from);
  std::vector<f16> halves(6);
  copy_out(view, array.data(), {"x", DType::kF16, halves.data(), 6});
  EXPECT_EQ(to_float(halves[5]), 6);
}

TEST(Arrays, FollowAnyOrderOfAxes) {
  // [2, 3] as it lies when the first axis is the inner one; and an axis that stands still.
  const ArrayView columns{
      .dtype = DType::kF32, .shape = {2, 3}, .strides = {1, 2}, .size_bytes = 24};
  const std::vector<float> from = {1, 2, 3, 4, 5, 6};
  std::vector<float> array(6);
  ASSERT_EQ(problem_of(columns, 6), "");
  copy_in({"x", DType::kF32, from.data(), 6}, columns, array.data());
  EXPECT_THAT(array, ElementsAre(1, 4, 2, 5, 3, 6));
  std::vector<float> to(6);
  copy_out(columns, array.data(), {"x", DType::kF32, to.data(), 6});
  EXPECT_EQ(to, from);
  const ArrayView scalar{.dtype = DType::kF32, .shape = {}, .strides = {}, .size_bytes = 4};
  ASSERT_EQ(problem_of(scalar, 1), "");
  copy_out(scalar, array.data(), {"x", DType::kF32, to.data(), 1});
  EXPECT_EQ(to[0], 1);
}

TEST(Arrays, ConvertBetweenNumbers) {
  const ArrayView ints{.dtype = DType::kI32, .shape = {4}, .strides = {1}, .size_bytes = 16};
  const float values[] = {-2.7f, 3e9f, std::nanf(""), 2.5f};
  std::int32_t numbers[4];
  copy_in({"x", DType::kF32, values, 4}, ints, numbers);
  EXPECT_THAT(numbers, ElementsAre(-2, std::numeric_limits<std::int32_t>::max(), 0, 2));
  const ArrayView bytes{.dtype = DType::kI8, .shape = {4}, .strides = {1}, .size_bytes = 4};
  std::int8_t small[4];
  copy_in({"x", DType::kF32, values, 4}, bytes, small);
  EXPECT_THAT(small, ElementsAre(-2, 127, 0, 2));
  const ArrayView doubles{.dtype = DType::kF64, .shape = {4}, .strides = {1}, .size_bytes = 32};
  double wide[4];
  const std::int32_t exact[] = {1, -2, 16777217, 0};
  copy_in({"x", DType::kI32, exact, 4}, doubles, wide);
  EXPECT_THAT(wide, ElementsAre(1, -2, 16777217, 0));
  std::uint8_t flags[4];
  copy_out(doubles, wide, {"x", DType::kBool, flags, 4});
  EXPECT_THAT(flags, ElementsAre(1, 1, 1, 0));
}

TEST(Arrays, TellWhatIsWrongWithAView) {
  EXPECT_EQ(problem_of(padded(DType::kF16, 13), 6), "has strides that lead past its 13 bytes");
  EXPECT_EQ(problem_of(padded(DType::kF16, 14), 6), "");
  EXPECT_EQ(problem_of(padded(DType::kF16, 16), 8),
            "has the shape [2, 3]; 8 elements were expected");
  EXPECT_EQ(
      problem_of({.dtype = DType::kF16, .shape = {2, 3}, .strides = {1}, .size_bytes = 99}, 6),
      "has 1 strides; its shape [2, 3] asks for 2");
  EXPECT_EQ(
      problem_of({.dtype = DType::kF16, .shape = {2, 3}, .strides = {-3, 1}, .size_bytes = 99}, 6),
      "has a stride of -3");
  EXPECT_EQ(problem_of({.dtype = DType::kString, .shape = {1}, .strides = {1}, .size_bytes = 9}, 1),
            "has an element type that is not known");
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(
      problem_of(
          {.dtype = DType::kF16, .shape = {3, 3}, .strides = {kHuge, kHuge}, .size_bytes = 9}, 9),
      "has strides that lead past its 9 bytes");
}

}  // namespace
}  // namespace anemone::coreml
