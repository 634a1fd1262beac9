#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

TEST(PreluKernel, HasASlopeForEachChannel) {
  Numbers numbers(1);
  for (const Shape& shape : {Shape{2, 3, 5, 7}, Shape{1, 3, 1, 1}, Shape{1, 3, 64, 130}}) {
    check_op({"prelu",
              "prelu",
              {{"x", numbers.tensor(DType::kF16, shape, -4, 4)}},
              {{"alpha", Tensor::from_floats(DType::kF16, {3}, std::vector<float>{0.25f, -2, 0})}},
              {}});
  }
}

TEST(PreluKernel, TakesOneSlopeForOtherRanks) {
  Numbers numbers(2);
  const Tensor alpha = Tensor::from_floats(DType::kF16, {2}, std::vector<float>{0.1f, 0.1f});
  for (const Shape& shape : {Shape{3, 2, 9}, Shape{1, 2, 3, 4, 5}}) {
    check_op({"prelu",
              "prelu",
              {{"x", numbers.tensor(DType::kF16, shape, -4, 4)}},
              {{"alpha", alpha}},
              {}});
  }
}

TEST(PreluKernel, KeepsNotANumber) {
  const std::vector<float> x = {NAN, -1, HUGE_VALF, -HUGE_VALF, -0.0f, 2};
  check_op({"prelu",
            "prelu",
            {{"x", Tensor::from_floats(DType::kF16, {1, 2, 3, 1}, x)}},
            {{"alpha", Tensor::from_floats(DType::kF16, {2}, std::vector<float>{0.5f, 3})}},
            {}});
}

}  // namespace
}  // namespace anemone::engine
