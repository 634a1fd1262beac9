#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// As for the projections.
constexpr Tolerance kSum{16, 8};

TEST(MatmulKernel, MultipliesEveryWayRound) {
  Numbers numbers(1);
  for (const auto& [m, k, n] : {std::array<std::int64_t, 3>{1, 1, 1},
                                {1, 20, 9},
                                {2, 33, 70},
                                {9, 17, 2},
                                {20, 40, 33},
                                {64, 70, 20},
                                {3, 130, 150}}) {
    for (const bool turn_x : {false, true}) {
      for (const bool turn_y : {false, true}) {
        const Shape x = turn_x ? Shape{1, 3, k, m} : Shape{1, 3, m, k};
        const Shape y = turn_y ? Shape{1, 3, n, k} : Shape{1, 3, k, n};
        check_op({"matmul",
                  "matmul",
                  {{"x", numbers.tensor(DType::kF16, x)}, {"y", numbers.tensor(DType::kF16, y)}},
                  {{"transpose_x", turn_x}, {"transpose_y", turn_y}},
                  kSum});
      }
    }
  }
}

TEST(MatmulKernel, BroadcastsBatches) {
  Numbers numbers(2);
  const std::pair<Shape, Shape> shapes[] = {{{2, 3, 4, 5}, {5, 6}},
                                            {{4, 5}, {2, 3, 5, 6}},
                                            {{2, 1, 4, 5}, {3, 5, 6}},
                                            {{3, 4, 5}, {1, 5, 6}},
                                            {{7, 1, 5}, {1, 5, 6}},
                                            {{5}, {5, 6}},
                                            {{4, 5}, {5}},
                                            {{5}, {5}},
                                            {{2, 4, 5}, {5}},
                                            {{1, 1, 30, 5}, {1, 8, 5, 20}}};
  for (const auto& [x, y] : shapes) {
    check_op({"matmul",
              "matmul",
              {{"x", numbers.tensor(DType::kF16, x)}, {"y", numbers.tensor(DType::kF16, y)}},
              {},
              kSum});
  }
}

TEST(MatmulKernel, ReadsAnFp16ConstantOnEitherSide) {
  Numbers numbers(3);
  for (const std::int64_t rows : {1, 3, 20}) {
    check_op({"matmul",
              "matmul",
              {{"x", numbers.tensor(DType::kF16, {rows, 50})}},
              {{"y", numbers.tensor(DType::kF16, {50, 40})}},
              kSum});
    check_op({"matmul",
              "matmul",
              {{"y", numbers.tensor(DType::kF16, {50, rows})}},
              {{"x", numbers.tensor(DType::kF16, {40, 50})}},
              kSum});
  }
}

TEST(MatmulKernel, SharesOutLargeProducts) {
  Numbers numbers(4);
  for (const std::int64_t rows : {2, 24}) {
    check_op({"matmul",
              "matmul",
              {{"x", numbers.tensor(DType::kF16, {4, rows, 64})},
               {"y", numbers.tensor(DType::kF16, {4, 500, 64})}},
              {{"transpose_y", true}},
              kSum});
    check_op({"matmul",
              "matmul",
              {{"x", numbers.tensor(DType::kF16, {4, rows, 300})},
               {"y", numbers.tensor(DType::kF16, {4, 300, 64})}},
              {},
              kSum});
  }
}

}  // namespace
}  // namespace anemone::engine
