#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// Sums of terms of either sign: the error goes with the terms.
constexpr Tolerance kSum{8, 4};

TEST(ReduceKernel, ReducesRowsColumnsAndEverything) {
  Numbers numbers(1);
  for (const char* op : {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min",
                         "reduce_sum_square", "reduce_l2_norm"}) {
    for (const std::int64_t n : {1, 3, 4, 5, 15, 16, 17, 70}) {
      const Tensor x = numbers.tensor(DType::kF16, {2, n, 7}, -2, 2);
      for (const std::int64_t axis : {0, 1, 2}) {
        check_op({op,
                  "reduce",
                  {{"x", x}},
                  {{"axes", std::vector<std::int64_t>{axis}}, {"keep_dims", axis == 1}},
                  kSum});
      }
      check_op({op,
                "reduce",
                {{"x", numbers.tensor(DType::kF16, {5, n}, -2, 2)}},
                {{"axes", std::vector<std::int64_t>{-1}}, {"keep_dims", true}},
                kSum});
    }
  }
  const Tensor x = numbers.tensor(DType::kF16, {3, 4, 5});
  check_op({"reduce_sum", "reduce", {{"x", x}}, {}, kSum});
  check_op({"reduce_max", "reduce", {{"x", x}}, {{"axes", std::vector<std::int64_t>{1, 2}}}, kSum});
  check_op({"reduce_sum", "eval", {{"x", x}}, {{"axes", std::vector<std::int64_t>{0, 2}}}, kSum});
}

TEST(ReduceKernel, KeepsNotANumberFromAnyPlace) {
  for (const char* op : {"reduce_sum", "reduce_max", "reduce_min"}) {
    for (const std::int64_t n : {1, 5, 16, 70}) {
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
        std::vector<float> x(static_cast<std::size_t>(n * 3), 0.5f);
        x[static_cast<std::size_t>(at * 3 + 1)] = NAN;
        const Tensor columns = Tensor::from_floats(DType::kF16, {n, 3}, x);
        const Tensor row = Tensor::from_floats(DType::kF16, {1, n * 3}, x);
        check_op({op, "reduce", {{"x", columns}}, {{"axes", std::vector<std::int64_t>{0}}}, kSum});
        check_op({op, "reduce", {{"x", row}}, {{"axes", std::vector<std::int64_t>{1}}}, kSum});
      }
    }
  }
}

TEST(ReduceKernel, SharesOutLargeOperands) {
  Numbers numbers(2);
  const Tensor x = numbers.tensor(DType::kF16, {300, 130});
  for (const std::int64_t axis : {0, 1}) {
    check_op({"reduce_mean",
              "reduce",
              {{"x", x}},
              {{"axes", std::vector<std::int64_t>{axis}}, {"keep_dims", true}},
              kSum});
  }
}

}  // namespace
}  // namespace anemone::engine
