#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

TEST(BatchNormKernel, NormalizesEachChannelByItsNumbers) {
  Numbers numbers(1);
  for (const std::int64_t length : {1, 15, 17, 200}) {
    for (const bool whole : {false, true}) {
      mil::Builder::Bindings constants = {{"mean", numbers.tensor(DType::kF16, {3})},
                                          {"variance", numbers.tensor(DType::kF16, {3}, 0.1, 2)}};
      if (whole) {
        constants.emplace_back("gamma", numbers.tensor(DType::kF16, {3}));
        constants.emplace_back("beta", numbers.tensor(DType::kF16, {3}));
        constants.emplace_back("epsilon", Tensor::scalar(DType::kF16, 1e-3));
      }
      // A difference of numbers about 2, times at most 4.
      check_op({"batch_norm",
                "batch_norm",
                {{"x", numbers.tensor(DType::kF16, {2, 3, length})}},
                constants,
                {4, 4}});
    }
  }
}

}  // namespace
}  // namespace anemone::engine
