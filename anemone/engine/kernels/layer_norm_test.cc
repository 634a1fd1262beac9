#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// Two sums, a root, a division; the difference from the mean cancels, hence the floor.
constexpr Tolerance kNorm{8, 1};

mil::Builder::Bindings with(std::vector<std::int64_t> axes, Tensor gamma, Tensor beta) {
  return {{"axes", axes},
          {"gamma", std::move(gamma)},
          {"beta", std::move(beta)},
          {"epsilon", Tensor::scalar(DType::kF16, 1e-3)}};
}

TEST(LayerNormKernel, NormalizesRowsAndColumns) {
  Numbers numbers(1);
  for (const std::int64_t n : {2, 3, 4, 5, 15, 16, 17, 70}) {
    const Tensor gamma = numbers.tensor(DType::kF16, {n});
    const Tensor beta = numbers.tensor(DType::kF16, {n});
    check_op({"layer_norm",
              "layer_norm",
              {{"x", numbers.tensor(DType::kF16, {3, n}, -3, 5)}},
              with({-1}, gamma, beta),
              kNorm});
    for (const std::int64_t s : {1, 5, 33}) {
      check_op({"layer_norm",
                "layer_norm",
                {{"x", numbers.tensor(DType::kF16, {2, n, 1, s}, -3, 5)}},
                with({1}, gamma, beta),
                kNorm});
    }
  }
}

TEST(LayerNormKernel, TakesSeveralAxesAndNoGain) {
  Numbers numbers(2);
  const Tensor x = numbers.tensor(DType::kF16, {3, 4, 5}, -3, 5);
  check_op(
      {"layer_norm", "layer_norm", {{"x", x}}, {{"axes", std::vector<std::int64_t>{1, 2}}}, kNorm});
  check_op({"layer_norm", "layer_norm", {{"x", x}}, {}, kNorm});
  check_op({"layer_norm", "eval", {{"x", x}}, {{"axes", std::vector<std::int64_t>{0, 2}}}, kNorm});
}

TEST(LayerNormKernel, SharesOutLargeOperands) {
  Numbers numbers(3);
  const Tensor x = numbers.tensor(DType::kF16, {1, 700, 1, 64}, -3, 5);
  check_op(
      {"layer_norm", "layer_norm", {{"x", x}}, {{"axes", std::vector<std::int64_t>{1}}}, kNorm});
}

}  // namespace
}  // namespace anemone::engine
