#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

TEST(CompareKernel, ComparesFloatsAndIntegers) {
  Numbers numbers(1);
  for (const char* op : {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}) {
    for (const DType dtype : {DType::kF16, DType::kI32}) {
      // Few different numbers, so that some are equal.
      Tensor x = convert(numbers.tensor(DType::kI32, {3, 17}, 0, 3), dtype);
      Tensor y = convert(numbers.tensor(DType::kI32, {3, 1}, 0, 3), dtype);
      check_op({op, "compare", {{"x", x}, {"y", y}}, {}, {}});
      check_op({op, "compare", {{"x", y}, {"y", x}}, {}, {}});
    }
  }
}

}  // namespace
}  // namespace anemone::engine
