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
