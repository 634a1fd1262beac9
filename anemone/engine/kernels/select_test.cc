#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

TEST(SelectKernel, ChoosesBroadcastElementsOfAnyDtype) {
  Numbers numbers(1);
  const Tensor cond = numbers.tensor(DType::kBool, {3, 17}, 0, 2);
  for (const DType dtype : {DType::kF16, DType::kI32, DType::kBool}) {
    const Tensor a = numbers.tensor(dtype, {3, 17}, 0, 2);
    check_op({"select",
              "select",
              {{"cond", cond}, {"a", a}, {"b", numbers.tensor(dtype, {17}, 0, 2)}},
              {},
              {}});
    check_op({"select",
              "select",
              {{"cond", cond}, {"a", numbers.tensor(dtype, {}, 0, 2)}, {"b", a}},
              {},
              {}});
  }
}

TEST(SelectKernel, TakesConstantSides) {
  Numbers numbers(2);
  check_op({"select",
            "select",
            {{"cond", numbers.tensor(DType::kBool, {1, 1, 5, 40}, 0, 2)}},
            {{"a", Tensor::scalar(DType::kF16, 0)}, {"b", Tensor::scalar(DType::kF16, -1e4)}},
            {}});
}

}  // namespace
}  // namespace anemone::engine
