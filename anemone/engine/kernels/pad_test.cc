#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using Ints = std::vector<std::int64_t>;

TEST(PadKernel, PutsElementsAroundInEveryMode) {
  Numbers numbers(1);
  for (const char* mode : {"constant", "reflect", "replicate"}) {
    check_op({"pad",
              "pad",
              {{"x", numbers.tensor(DType::kF16, {2, 3, 5, 7})}},
              {{"pad", Ints{1, 2, 3, 4}},
               {"mode", mode},
               {"constant_val", Tensor::scalar(DType::kF16, 1.5)}},
              {}});
    check_op({"pad",
              "pad",
              {{"x", numbers.tensor(DType::kF16, {2, 3})}},
              {{"pad", Ints{1, 0, 0, 2}}, {"mode", mode}},
              {}});
  }
  check_op({"pad",
            "pad",
            {{"x", numbers.tensor(DType::kF16, {1, 4, 40, 41})}},
            {{"pad", Ints{0, 0, 0, 32, 0, 0, 0, 0}}},
            {}});
  // Mirrors whose run through x begins anew.
  check_op({"pad",
            "pad",
            {{"x", numbers.tensor(DType::kF16, {2})}},
            {{"pad", Ints{1, 1}}, {"mode", "reflect"}},
            {}});
  check_op({"pad",
            "pad",
            {{"x", numbers.tensor(DType::kF16, {1})}},
            {{"pad", Ints{3, 2}}, {"mode", "replicate"}},
            {}});
}

}  // namespace
}  // namespace anemone::engine
