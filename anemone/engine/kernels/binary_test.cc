#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// One operation on floats, rounded once, as the reference does it: nothing to tolerate.
constexpr Tolerance kExact{};

TEST(BinaryKernel, AgreesToTheBitAtEveryLength) {
  Numbers numbers(1);
  for (const char* op : {"add", "sub", "mul", "real_div", "maximum", "minimum"}) {
    for (const std::int64_t n : {1, 3, 4, 5, 15, 16, 17, 33}) {
      check_op({op,
                "binary",
                {{"x", numbers.tensor(DType::kF16, {n}, -8, 8)},
                 {"y", numbers.tensor(DType::kF16, {n}, 1, 8)}},
                {},
                kExact});
    }
  }
}

TEST(BinaryKernel, BroadcastsEitherOperandOverAnyAxes) {
  Numbers numbers(2);
  const std::pair<Shape, Shape> shapes[] = {{{2, 3, 17}, {17}},
                                            {{2, 3, 17}, {3, 1}},
                                            {{17}, {2, 1, 17}},
                                            {{2, 1, 5}, {1, 7, 1}},
                                            {{1, 6, 1, 9}, {6, 1, 1}},
                                            {{}, {4, 5}},
                                            {{}, {}}};
  for (const auto& [x, y] : shapes) {
    check_op({"sub",
              "binary",
              {{"x", numbers.tensor(DType::kF16, x)}, {"y", numbers.tensor(DType::kF16, y)}},
              {},
              kExact});
  }
}

TEST(BinaryKernel, SharesOutLargeOperands) {
  Numbers numbers(3);
  check_op(
      {"mul",
       "binary",
       {{"x", numbers.tensor(DType::kF16, {3, 20011})}, {"y", numbers.tensor(DType::kF16, {3, 1})}},
       {},
       kExact});
  check_op(
      {"add",
       "binary",
       {{"x", numbers.tensor(DType::kF16, {50021})}, {"y", numbers.tensor(DType::kF16, {50021})}},
       {},
       kExact});
}

TEST(BinaryKernel, OverflowsToInfinityInFp16) {
  const std::vector<float> x = {65504, 65504, -65504, 60000, 6e-8f};
  const std::vector<float> y = {16, 15, -65504, 2, 6e-8f};
  for (const char* op : {"add", "mul"}) {
    check_op({op,
              "binary",
              {{"x", Tensor::from_floats(DType::kF16, {5}, x)},
               {"y", Tensor::from_floats(DType::kF16, {5}, y)}},
              {},
              kExact});
  }
}

TEST(BinaryKernel, KeepsNotANumberFromEitherSide) {
  for (const char* op : {"add", "sub", "mul", "real_div", "maximum", "minimum"}) {
    for (const std::int64_t n : {1, 4, 15, 33}) {
      std::vector<float> some(static_cast<std::size_t>(n), 0.5f);
      some[0] = some.back() = NAN;
      const Tensor bad = Tensor::from_floats(DType::kF16, {n}, some);
      const Tensor good = Tensor::scalar(DType::kF16, 2);
      check_op({op, "binary", {{"x", bad}, {"y", good}}, {}, kExact});
      check_op({op, "binary", {{"x", good}, {"y", bad}}, {}, kExact});
    }
  }
}

TEST(BinaryKernel, WrapsIntegers) {
  const Tensor x = Tensor::from_ints(DType::kI32, {4},
                                     std::vector<std::int64_t>{2147483647, -2147483648, 7, -3});
  const Tensor y = Tensor::from_ints(DType::kI32, {4}, std::vector<std::int64_t>{1, 1, -9, 5});
  for (const char* op : {"add", "sub", "mul", "maximum", "minimum"}) {
    check_op({op, "binary", {{"x", x}, {"y", y}}, {}, kExact});
  }
}

}  // namespace
}  // namespace anemone::engine
