#include <limits>

#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using Ints = std::vector<std::int64_t>;

// A sum of c * taps products in float against one in double; its error goes with the terms.
constexpr Tolerance kSum{16, 8};

OpCase conv(Numbers& numbers, const Shape& x, const Shape& weight,
            mil::Builder::Bindings constants = {}, const char* op = "conv") {
  constants.emplace_back("weight", numbers.tensor(DType::kF16, weight));
  return {op, "convolution", {{"x", numbers.tensor(DType::kF16, x)}}, std::move(constants), kSum};
}

TEST(ConvolutionKernel, TakesKernelsOfAnySize) {
  Numbers numbers(1);
  check_op(conv(numbers, {1, 4, 5, 5}, {2, 4, 3, 3}));
  check_op(conv(numbers, {2, 3, 9, 17}, {7, 3, 2, 5}));
  check_op(conv(numbers, {1, 3, 40}, {5, 3, 7}));
  check_op(conv(numbers, {1, 2, 3, 4, 5}, {3, 2, 2, 3, 2}));
  check_op(conv(numbers, {1, 20, 13, 11}, {31, 20, 3, 3},
                {{"bias", numbers.tensor(DType::kF16, {31})}}));
}

TEST(ConvolutionKernel, CutsPlacesChannelsAndDepthAtEveryWidth) {
  Numbers numbers(2);
  for (const std::int64_t width : {1, 15, 16, 17, 63, 64, 65, 130}) {
    check_op(conv(numbers, {1, 3, 1, width + 2}, {5, 3, 1, 3}));
  }
  for (const std::int64_t channels : {1, 6, 24, 25, 150}) {
    check_op(conv(numbers, {1, 2, 3, 6}, {channels, 2, 2, 2}));
  }
  for (const std::int64_t depth : {31, 64, 65, 130}) {
    check_op(conv(numbers, {1, depth, 3, 6}, {3, depth, 2, 2}));
  }
}

TEST(ConvolutionKernel, StridesDilatesAndPads) {
  Numbers numbers(3);
  for (const std::int64_t stride : {1, 2, 3}) {
    for (const std::int64_t dilation : {1, 2}) {
      check_op(conv(numbers, {2, 3, 11, 40}, {4, 3, 3, 2},
                    {{"strides", Ints{stride, 4 - stride}},
                     {"dilations", Ints{dilation, 3 - dilation}},
                     {"pad_type", "custom"},
                     {"pad", Ints{1, 2, 3, 0}}}));
    }
  }
  for (const char* pad_type : {"valid", "same", "same_lower"}) {
    check_op(conv(numbers, {1, 2, 10, 9}, {3, 2, 4, 3},
                  {{"strides", Ints{2, 2}}, {"pad_type", pad_type}}));
  }
  check_op(conv(numbers, {1, 4, 5, 5}, {2, 4, 1, 1}, {{"strides", Ints{2, 2}}}));
  // Padding alone is seen by whole windows.
  check_op(conv(numbers, {1, 1, 2, 2}, {2, 1, 2, 2},
                {{"pad_type", "custom"}, {"pad", Ints{3, 3, 3, 3}}}));
}

TEST(ConvolutionKernel, SlidesOverPlanesOfEveryWidth) {
  Numbers numbers(10);
  // Rows of less than a vector, of vectors and little more, of several; stretched by padding.
  for (const std::int64_t width : {1, 2, 3, 5, 7, 8, 14, 16, 17, 28, 33, 60, 64, 100}) {
    for (const std::int64_t stride : {1, 2}) {
      check_op(conv(numbers, {2, 3, 9, width}, {7, 3, 3, 3},
                    {{"strides", Ints{stride, stride}},
                     {"pad_type", "custom"},
                     {"pad", Ints{1, 1, 1, 2}},
                     {"bias", numbers.tensor(DType::kF16, {7})}}));
    }
  }
  // Windows without padding, of one row or column, spread out, and far apart.
  check_op(conv(numbers, {1, 4, 12, 40}, {9, 4, 1, 5}));
  check_op(conv(numbers, {1, 4, 40, 12}, {9, 4, 5, 1}));
  check_op(conv(numbers, {1, 2, 20, 64}, {6, 2, 3, 3}, {{"dilations", Ints{3, 2}}}));
  check_op(conv(numbers, {1, 2, 32, 64}, {6, 2, 4, 4}, {{"strides", Ints{4, 4}}}));
  check_op(conv(numbers, {1, 2, 32, 64}, {6, 2, 2, 2}, {{"strides", Ints{3, 3}}}));
}

TEST(ConvolutionKernel, SlidesWithManyChannelsAndGroups) {
  Numbers numbers(11);
  check_op(conv(numbers, {1, 40, 7, 7}, {50, 40, 3, 3}, {{"pad_type", "same"}}));
  check_op(conv(numbers, {2, 36, 10, 14}, {27, 12, 3, 3}, {{"groups", 3}, {"pad_type", "same"}}));
  // Stored as fp16, as large inputs are.
  check_op(conv(numbers, {1, 2, 256, 514}, {2, 2, 2, 3}, {{"strides", Ints{2, 2}}}));
}

TEST(ConvolutionKernel, KeepsToThePlacesThatSeeWhatIsNoNumber) {
  // Zeros outside a plane, and what lies there in memory, reach no sum.
  Tensor x = Numbers(12).tensor(DType::kF16, {2, 2, 7, 7});
  auto values = x.to_doubles();
  values[48] = std::numeric_limits<double>::infinity();   // the last place of the first plane
  values[98] = std::numeric_limits<double>::quiet_NaN();  // the first of the second image
  x = Tensor::from_doubles(DType::kF16, x.shape(), values);
  check_op({"conv",
            "convolution",
            {{"x", x}},
            {{"weight", Numbers(13).tensor(DType::kF16, {7, 2, 3, 3}, 0.5, 1)},
             {"pad_type", "custom"},
             {"pad", Ints{1, 1, 1, 1}}},
            kSum});
}

TEST(ConvolutionKernel, KeepsGroupsApart) {
  Numbers numbers(4);
  check_op(conv(numbers, {2, 6, 7, 7}, {9, 2, 3, 3},
                {{"groups", 3}, {"bias", numbers.tensor(DType::kF16, {9})}}));
  check_op(conv(numbers, {1, 4, 5, 5}, {4, 2, 1, 1}, {{"groups", 2}}));
  check_op(conv(numbers, {1, 2, 5, 5}, {16, 1, 3, 3}, {{"groups", 2}}));
}

TEST(ConvolutionKernel, DropsALastAxisOnWhichNothingHappens) {
  Numbers numbers(5);
  check_op(conv(numbers, {2, 1, 64, 1}, {8, 1, 16, 1}, {{"strides", Ints{4, 1}}}));
  check_op(conv(numbers, {2, 3, 9, 1, 1}, {4, 3, 3, 1, 1}));
}

TEST(ConvolutionKernel, ReadsFp32WeightsAndSharesOutLargeOnes) {
  Numbers numbers(6);
  check_op({"conv",
            "convolution",
            {{"x", numbers.tensor(DType::kF32, {1, 9, 6, 6})}},
            {{"weight", numbers.tensor(DType::kF32, {200, 9, 3, 3})}},
            kSum,
            DType::kF32});
}

TEST(ConvolutionKernel, TransposesConvolutions) {
  Numbers numbers(7);
  const auto transposed = [&](const Shape& x, const Shape& weight,
                              mil::Builder::Bindings constants = {}) {
    check_op(conv(numbers, x, weight, std::move(constants), "conv_transpose"));
  };
  transposed({1, 4, 5, 6}, {4, 3, 3, 3});
  transposed({2, 4, 5, 6}, {4, 3, 2, 2}, {{"strides", Ints{2, 2}}});
  transposed({1, 4, 9}, {4, 2, 4},
             {{"strides", Ints{3}}, {"bias", numbers.tensor(DType::kF16, {2})}});
  transposed({1, 6, 5, 4}, {6, 2, 3, 3},
             {{"strides", Ints{2, 1}},
              {"dilations", Ints{1, 2}},
              {"groups", 3},
              {"pad_type", "custom"},
              {"pad", Ints{1, 0, 1, 1}}});
  transposed({1, 3, 5, 5}, {3, 2, 3, 3}, {{"strides", Ints{2, 2}}, {"pad_type", "same"}});
  transposed({1, 2, 3, 3, 3}, {2, 2, 2, 2, 2}, {{"strides", Ints{2, 2, 2}}});
}

TEST(ConvolutionKernel, ReadsWhatLiesAnyhow) {
  // x as a transpose left it, with channels last.
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  Numbers numbers(8);
  const Tensors inputs = {{"x", numbers.tensor(DType::kF16, {1, 9, 8, 3})}};
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {1, 9, 8, 3}));
  mil::Value* turned = b.add("transpose", "turned", {{"x", x}, {"perm", Ints{0, 3, 1, 2}}});
  b.set_outputs({b.add("conv", "y",
                       {{"x", turned},
                        {"weight", numbers.tensor(DType::kF16, {4, 3, 3, 3})},
                        {"pad_type", "custom"},
                        {"pad", Ints{1, 1, 1, 1}}})});
  const auto executable = Executable::compile(program, "main");
  EXPECT_EQ(executable->plan_text().find("copy"), std::string::npos) << executable->plan_text();
  expect_close(run_plan(*executable, nullptr, inputs).at("y"),
               Reference(program).run("main", inputs).at("y"), DType::kF16, kSum, "y");
}

TEST(ConvolutionKernel, TurnsTheWeightsOfATransposedOneWhenThePlanIsMade) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  Numbers numbers(9);
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {1, 3, 4, 4}));
  b.set_outputs({b.add("conv_transpose", "y",
                       {{"x", x}, {"weight", numbers.tensor(DType::kF16, {3, 2, 3, 3})}})});
  const std::string text = Executable::compile(program, "main")->plan_text();
  EXPECT_NE(text.find("function main: 1 steps"), std::string::npos) << text;
}

}  // namespace
}  // namespace anemone::engine
