#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

constexpr std::int64_t kLengths[] = {1, 3, 4, 5, 15, 16, 17, 40};

TEST(UnaryKernel, AgreesWithTheDefinitions) {
  struct Row {
    const char* op;
    double low, high;
    Tolerance tolerance;
  };
  // exp is within 2 units of float's last place and what is built from it a few more; in fp16 that
  // can turn a rounding, which is 1 unit there.
  const Tolerance exact{}, few{8};
  const Row rows[] = {{"abs", -9, 9, exact},     {"relu", -9, 9, exact},  {"relu6", -9, 9, exact},
                      {"square", -9, 9, exact},  {"sqrt", 0, 99, exact},  {"exp", -20, 10, few},
                      {"sigmoid", -20, 20, few}, {"silu", -20, 20, few},  {"tanh", -6, 6, few},
                      {"erf", -5, 5, few},       {"erf", -1, 1, few},     {"ceil", -9, 9, exact},
                      {"floor", -9, 9, exact},   {"round", -9, 9, exact}, {"softsign", -9, 9, few}};
  Numbers numbers(1);
  for (const Row& row : rows) {
    for (const std::int64_t n : kLengths) {
      check_op({row.op,
                "unary",
                {{"x", numbers.tensor(DType::kF16, {n}, row.low, row.high)}},
                {},
                row.tolerance});
    }
  }
}

TEST(UnaryKernel, TakesItsNumbers) {
  Numbers numbers(2);
  const Tensor epsilon = Tensor::scalar(DType::kF16, 0.25);
  const Tolerance two{2};  // a root and a division
  for (const char* op : {"rsqrt", "inverse"}) {
    check_op({op,
              "unary",
              {{"x", numbers.tensor(DType::kF16, {21}, 0.1, 4)}},
              {{"epsilon", epsilon}},
              two});
    check_op({op, "unary", {{"x", numbers.tensor(DType::kF16, {21}, 0.1, 4)}}, {}, two});
  }
  check_op({"clip",
            "unary",
            {{"x", numbers.tensor(DType::kF16, {21}, -4, 4)}},
            {{"alpha", Tensor::scalar(DType::kF16, -1)}, {"beta", Tensor::scalar(DType::kF16, 2)}},
            {}});
}

TEST(UnaryKernel, HasReluInAllItsForms) {
  Numbers numbers(6);
  const auto number = [](double value) { return Tensor::scalar(DType::kF16, value); };
  for (const std::int64_t n : kLengths) {
    Tensor x = numbers.tensor(DType::kF16, {n}, -4, 4);
    check_op({"leaky_relu", "unary", {{"x", x}}, {{"alpha", number(0.1)}}, {}});
    check_op({"leaky_relu", "unary", {{"x", x}}, {{"alpha", number(-3)}}, {}});
    check_op({"thresholded_relu", "unary", {{"x", x}}, {{"alpha", number(1)}}, {}});
    for (const char* op : {"clamped_relu", "linear_activation", "sigmoid_hard"}) {
      // A sum may cancel: units of numbers near 4.
      check_op({op, "unary", {{"x", x}}, {{"alpha", number(0.25)}, {"beta", number(0.5)}}, {2, 4}});
    }
  }
  const std::vector<float> ends = {NAN, -0.0f, 0, 0.5f, 1.5f, 2.5f, -0.5f, HUGE_VALF, -HUGE_VALF};
  const Tensor x = Tensor::from_floats(DType::kF16, {9}, ends);
  for (const char* op : {"ceil", "floor", "round"}) check_op({op, "unary", {{"x", x}}, {}, {}});
  for (const char* op : {"leaky_relu", "thresholded_relu"}) {
    check_op({op, "unary", {{"x", x}}, {{"alpha", number(0.5)}}, {}});
  }
  for (const char* op : {"clamped_relu", "linear_activation", "sigmoid_hard"}) {
    check_op({op, "unary", {{"x", x}}, {{"alpha", number(0.5)}, {"beta", number(0.25)}}, {}});
  }
}

TEST(UnaryKernel, HasGelusForms) {
  Numbers numbers(3);
  const Tensor x = numbers.tensor(DType::kF16, {37}, -4, 4);
  // 1 + tanh cancels where x is negative: the error is that of numbers near 1.
  check_op({"gelu", "unary", {{"x", x}}, {{"mode", "TANH_APPROXIMATION"}}, {8, 1}});
  check_op({"gelu", "unary", {{"x", x}}, {{"mode", "SIGMOID_APPROXIMATION"}}, {8}});
  for (const double reach : {1.0, 4.0, 12.0}) {
    for (const std::int64_t n : kLengths) {
      const Tensor spread = numbers.tensor(DType::kF16, {n}, -reach, reach);
      // Far below zero the exponential of a square has a few more units to lose.
      check_op({"gelu", "unary", {{"x", spread}}, {{"mode", "EXACT"}}, {16, 1e-6}});
    }
  }
  check_op({"gelu", "unary", {{"x", x}}, {}, {16, 1e-6}});
}

TEST(UnaryKernel, GoesToTheEndsOfItsRange) {
  const std::vector<float> x = {-65504, -104, -88,   -17,   -0.0f,     0,
                                6e-8f,  11,   11.1f, 65504, HUGE_VALF, -HUGE_VALF};
  const Tensor ends = Tensor::from_floats(DType::kF16, {12}, x);
  const Tolerance few{8};
  for (const char* op : {"exp", "sigmoid", "tanh", "erf", "gelu"}) {
    check_op({op, "unary", {{"x", ends}}, {}, few});
  }
}

// What went wrong must be seen to the end: a NaN that turns into a number is a fault that hides.
TEST(UnaryKernel, KeepsNotANumber) {
  for (const std::int64_t n : kLengths) {
    std::vector<float> x(static_cast<std::size_t>(n), 0.5f);
    x[0] = x.back() = NAN;
    const Tensor numbers = Tensor::from_floats(DType::kF16, {n}, x);
    for (const char* op : {"abs", "relu", "relu6", "square", "sqrt", "rsqrt", "inverse", "exp",
                           "sigmoid", "silu", "tanh", "erf", "gelu"}) {
      check_op({op, "unary", {{"x", numbers}}, {}, Tolerance{8}});
    }
    check_op(
        {"clip",
         "unary",
         {{"x", numbers}},
         {{"alpha", Tensor::scalar(DType::kF16, -1)}, {"beta", Tensor::scalar(DType::kF16, 2)}},
         {}});
  }
}

TEST(UnaryKernel, TakesPowersThatAreRoots) {
  const std::vector<float> x = {0, -0.0f, 6e-8f, 1, 2, 3, 65504, HUGE_VALF, -HUGE_VALF, -1};
  Numbers numbers(5);
  for (const double power : {2.0, 0.5, -0.5}) {
    const Tensor y = Tensor::scalar(DType::kF16, power);
    check_op({"pow", "unary", {{"x", Tensor::from_floats(DType::kF16, {10}, x)}}, {{"y", y}}, {2}});
    for (const std::int64_t n : kLengths) {
      check_op({"pow", "unary", {{"x", numbers.tensor(DType::kF16, {n}, 0, 9)}}, {{"y", y}}, {2}});
    }
  }
  check_op({"pow",
            "eval",
            {{"x", numbers.tensor(DType::kF16, {5}, 0, 2)}},
            {{"y", Tensor::scalar(DType::kF16, 3)}},
            {}});
}

TEST(UnaryKernel, SharesOutLargeOperands) {
  Numbers numbers(4);
  check_op({"relu", "unary", {{"x", numbers.tensor(DType::kF16, {50021})}}, {}, {}});
}

}  // namespace
}  // namespace anemone::engine
