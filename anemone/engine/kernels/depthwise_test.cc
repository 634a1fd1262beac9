#include <limits>

#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using Ints = std::vector<std::int64_t>;

// At most 35 products in float against a sum in double.
constexpr Tolerance kSum{4, 4};

TEST(DepthwiseKernel, SlidesOverEachChannelAlone) {
  Numbers numbers(1);
  for (const std::int64_t width : {3, 6, 15, 16, 18, 33, 70, 300}) {
    for (const std::int64_t size : {1, 3}) {
      check_op({"conv",
                "depthwise",
                {{"x", numbers.tensor(DType::kF16, {2, 3, 5, width})}},
                {{"weight", numbers.tensor(DType::kF16, {3, 1, size, 3})},
                 {"bias", numbers.tensor(DType::kF16, {3})},
                 {"groups", 3}},
                kSum});
    }
  }
}

TEST(DepthwiseKernel, StridesDilatesAndPads) {
  Numbers numbers(2);
  for (const std::int64_t stride : {1, 2, 3, 5}) {
    for (const std::int64_t dilation : {1, 2, 3}) {
      check_op({"conv",
                "depthwise",
                {{"x", numbers.tensor(DType::kF16, {1, 2, 17, 40})}},
                {{"weight", numbers.tensor(DType::kF16, {4, 1, 3, 5})},
                 {"groups", 2},
                 {"strides", Ints{stride, stride == 5 ? 1 : stride}},
                 {"dilations", Ints{dilation, 1}},
                 {"pad_type", "custom"},
                 {"pad", Ints{1, 2, 4, 0}}},
                kSum});
    }
  }
}

TEST(DepthwiseKernel, LooksOverEveryEdge) {
  Numbers numbers(5);
  // Heights around the rows that are done at a time, widths around every vector, windows of every
  // height that is read in place and one that is not, wider than the plane as well.
  for (const std::int64_t stride : {1, 2}) {
    for (const std::int64_t tall : {1, 2, 3, 4, 5, 7}) {
      for (const std::int64_t side : {2, 8, 12, 17, 29}) {
        check_op({"conv",
                  "depthwise",
                  {{"x", numbers.tensor(DType::kF16, {2, 2, side + tall, side})}},
                  {{"weight", numbers.tensor(DType::kF16, {4, 1, tall, 3})},
                   {"bias", numbers.tensor(DType::kF16, {4})},
                   {"groups", 2},
                   {"strides", Ints{stride, stride}},
                   {"dilations", Ints{1, tall == 5 ? 2 : 1}},
                   {"pad_type", "custom"},
                   {"pad", Ints{tall, 1, 2, 3}}},
                  kSum});
      }
    }
  }
}

TEST(DepthwiseKernel, TakesWideWindows) {
  Numbers numbers(6);
  for (const std::int64_t wide : {5, 7, 16, 17}) {
    check_op({"conv",
              "depthwise",
              {{"x", numbers.tensor(DType::kF16, {1, 4, 9, 21})}},
              {{"weight", numbers.tensor(DType::kF16, {4, 1, 5, wide})},
               {"groups", 4},
               {"pad_type", "same"}},
              Tolerance{8, 8}});
  }
}

TEST(DepthwiseKernel, KeepsToThePlacesThatSeeWhatIsNoNumber) {
  // Zeros outside the plane, and what lies there in memory, reach no sum.
  Tensor x = Numbers(7).tensor(DType::kF16, {1, 3, 6, 6});
  auto values = x.to_doubles();
  values[35] = std::numeric_limits<double>::infinity();   // the last place of the first plane
  values[72] = std::numeric_limits<double>::quiet_NaN();  // the first of the last
  x = Tensor::from_doubles(DType::kF16, x.shape(), values);
  for (const std::int64_t stride : {1, 2}) {
    check_op({"conv",
              "depthwise",
              {{"x", x}},
              {{"weight", Numbers(8).tensor(DType::kF16, {3, 1, 3, 3}, 0.5, 1)},
               {"groups", 3},
               {"strides", Ints{stride, stride}},
               {"pad_type", "custom"},
               {"pad", Ints{1, 1, 1, 1}}},
              kSum});
  }
}

TEST(DepthwiseKernel, CutsTallPlanesIntoBands) {
  Numbers numbers(3);
  check_op(
      {"conv",
       "depthwise",
       {{"x", numbers.tensor(DType::kF16, {1, 2, 90, 700})}},
       {{"weight", numbers.tensor(DType::kF16, {2, 1, 3, 3})}, {"groups", 2}, {"pad_type", "same"}},
       kSum});
}

TEST(DepthwiseKernel, TakesOneSpatialAxis) {
  Numbers numbers(4);
  check_op({"conv",
            "depthwise",
            {{"x", numbers.tensor(DType::kF16, {1, 4, 50})}},
            {{"weight", numbers.tensor(DType::kF16, {4, 1, 4})}, {"groups", 4}},
            kSum});
  check_op({"conv",
            "depthwise",
            {{"x", numbers.tensor(DType::kF32, {1, 4, 50, 1})}},
            {{"weight", numbers.tensor(DType::kF32, {4, 1, 4, 1})}, {"groups", 4}},
            kSum,
            DType::kF32});
}

}  // namespace
}  // namespace anemone::engine
