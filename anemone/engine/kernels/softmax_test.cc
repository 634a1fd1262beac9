#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// exp and a sum of up to 300 positive terms, one after another where there are no vectors.
constexpr Tolerance kSum{16};

TEST(SoftmaxKernel, NormalizesRowsAndColumns) {
  Numbers numbers(1);
  for (const std::int64_t n : {1, 3, 4, 5, 15, 16, 17, 70}) {
    const Tensor x = numbers.tensor(DType::kF16, {2, n, 5}, -9, 9);
    for (const int axis : {0, 1, 2, -1}) {
      check_op({"softmax", "softmax", {{"x", x}}, {{"axis", axis}}, kSum});
    }
    check_op({"softmax",
              "softmax",
              {{"x", numbers.tensor(DType::kF16, {3, n}, -9, 9)}},
              {{"axis", 1}},
              kSum});
  }
}

TEST(SoftmaxKernel, GivesNothingToWhatIsMasked) {
  std::vector<float> x(100, -1e4f);
  x[3] = 1;
  x[17] = 2;
  check_op({"softmax",
            "softmax",
            {{"x", Tensor::from_floats(DType::kF16, {1, 100}, x)}},
            {{"axis", -1}},
            kSum});
}

TEST(SoftmaxKernel, SharesOutLargeOperands) {
  Numbers numbers(2);
  const Tensor x = numbers.tensor(DType::kF16, {3, 70, 300}, -9, 9);
  for (const int axis : {1, 2})
    check_op({"softmax", "softmax", {{"x", x}}, {{"axis", axis}}, kSum});
}

}  // namespace
}  // namespace anemone::engine
