#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// A sum of k products in float against one in double. Its error goes with the terms, of which
// k = 300 of size 1/3 make a sum of about 6.
constexpr Tolerance kSum{16, 8};

TEST(ProjectionKernel, MultipliesAsLinear) {
  Numbers numbers(1);
  for (const std::int64_t rows : {1, 2, 3, 5, 8, 9, 17, 33, 64, 67}) {
    for (const auto& [m, k] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 7}, {24, 64}, {33, 130}, {50, 300}}) {
      check_op({"linear",
                "projection",
                {{"x", numbers.tensor(DType::kF16, {1, rows, k})}},
                {{"weight", numbers.tensor(DType::kF16, {m, k})},
                 {"bias", numbers.tensor(DType::kF16, {m})}},
                kSum});
    }
  }
}

TEST(ProjectionKernel, MultipliesAsAPointwiseConvolution) {
  Numbers numbers(2);
  for (const std::int64_t s : {1, 2, 4, 7, 8, 16, 31, 64, 130}) {
    for (const auto& [m, k] : {std::pair<std::int64_t, std::int64_t>{3, 5}, {50, 300}}) {
      check_op({"conv",
                "projection",
                {{"x", numbers.tensor(DType::kF16, {2, k, 1, s})}},
                {{"weight", numbers.tensor(DType::kF16, {m, k, 1, 1})}},
                kSum});
    }
  }
  check_op({"conv",
            "projection",
            {{"x", numbers.tensor(DType::kF16, {1, 20, 4, 3})}},
            {{"weight", numbers.tensor(DType::kF16, {6, 20, 1, 1})},
             {"bias", numbers.tensor(DType::kF16, {6})}},
            kSum});
}

TEST(ProjectionKernel, ReadsFp32Weights) {
  Numbers numbers(3);
  for (const std::int64_t rows : {1, 5, 20}) {
    check_op({"linear",
              "projection",
              {{"x", numbers.tensor(DType::kF32, {rows, 70})}},
              {{"weight", numbers.tensor(DType::kF32, {31, 70})}},
              kSum,
              DType::kF32});
  }
}

TEST(ProjectionKernel, SharesOutLargeWeights) {
  Numbers numbers(4);
  for (const std::int64_t rows : {1, 16}) {
    check_op({"linear",
              "projection",
              {{"x", numbers.tensor(DType::kF16, {rows, 300})}},
              {{"weight", numbers.tensor(DType::kF16, {601, 300})}},
              kSum});
  }
}

TEST(ProjectionKernel, LeavesIntegersAlone) {
  Numbers numbers(6);
  check_op({"linear",
            "eval",
            {{"x", numbers.tensor(DType::kF16, {2, 4}, 0, 9)}},
            {{"weight", numbers.tensor(DType::kI32, {3, 4}, 0, 9)},
             {"bias", numbers.tensor(DType::kI32, {3}, 0, 9)}},
            {}});
}

}  // namespace
}  // namespace anemone::engine
