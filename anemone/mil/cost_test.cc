#include "anemone/mil/cost.h"

#include <gtest/gtest.h>

#include "anemone/mil/text.h"

namespace anemone::mil {
namespace {

// The cost of the op that gives `y` in a function of these ports and statements.
Cost cost_in(const std::string& ports, const std::string& statements) {
  const Program program = parse(
      "program(1.0)\n{\n  func main<ios18>(" + ports + ") {\n" + statements + "  } -> (y);\n}\n",
      "t.mil");
  for (const auto& op : program.functions.front()->body.ops) {
    if (!op->outputs.empty() && op->output()->name == "y") return cost_of(*op);
  }
  ADD_FAILURE() << "no y";
  return {};
}

TEST(Cost, CountsAProductByItsTypes) {
  const Cost cost = cost_in(
      "tensor<fp16, [1, 3, 4]> x",
      "tensor<fp16, [1, 3, 2]> y = linear(x = x, weight = tensor<fp16, [2, 4]>([[1, 2, 3, 4], [5, "
      "6, 7, 8]]));\n");
  EXPECT_EQ(cost.read_bytes, 24u);
  EXPECT_EQ(cost.written_bytes, 12u);
  EXPECT_EQ(cost.weight_bytes, 16u);
  EXPECT_EQ(cost.flops, 2u * 6 * 4);
  EXPECT_TRUE(cost.is_exact);
  EXPECT_EQ(cost.bytes(), 52u);
}

TEST(Cost, CountsAttentionScoresAndConvolutions) {
  EXPECT_EQ(cost_in("tensor<fp16, [2, 3, 8]> a, tensor<fp16, [2, 5, 8]> b",
                    "tensor<fp16, [2, 3, 5]> y = matmul(x = a, y = b, transpose_x = bool(false), "
                    "transpose_y = bool(true));\n")
                .flops,
            2u * 2 * 3 * 5 * 8);
  EXPECT_EQ(cost_in("tensor<fp16, [1, 2, 1, 7]> x",
                    "tensor<fp16, [1, 3, 1, 7]> y = conv(x = x, weight = tensor<fp16, [3, 2, 1, "
                    "1]>([[[[1]], [[1]]], [[[1]], [[1]]], [[[1]], [[1]]]]));\n")
                .flops,
            2u * 21 * 2);
}

TEST(Cost, CountsCompressedWeightsAsTheyAreStored) {
  const Cost cost = cost_in(
      "tensor<fp16, [1, 4]> x",
      "tensor<fp16, [2, 4]> w = constexpr_affine_dequantize(quantized_data = tensor<int8, [2, "
      "4]>([[1, 2, 3, 4], [5, 6, 7, 8]]), zero_point = int8(0), scale = fp16(0.5), axis = "
      "int32(0));\n"
      "tensor<fp16, [1, 2]> y = linear(x = x, weight = w);\n");
  EXPECT_EQ(cost.weight_bytes, 8u + 1 + 2 + 4);
  EXPECT_EQ(cost.read_bytes, 8u);
}

TEST(Cost, CountsOnlyWhatASliceOrAnUpdateTouches) {
  EXPECT_EQ(cost_in("tensor<fp16, [64, 4]> x",
                    "tensor<fp16, [1, 4]> y = slice_by_index(x = x, begin = tensor<int32, [2]>([3, "
                    "0]), end = tensor<int32, [2]>([4, 4]));\n")
                .read_bytes,
            8u);
  const Cost cost =
      cost_in("tensor<fp16, [64, 4]> x, tensor<fp16, [1, 4]> u",
              "tensor<fp16, [64, 4]> y = slice_update(x = x, update = u, begin = tensor<int32, "
              "[2]>([3, 0]), end = tensor<int32, [2]>([4, 4]));\n");
  EXPECT_EQ(cost.read_bytes, 8u);
  EXPECT_EQ(cost.written_bytes, 8u);
  EXPECT_EQ(cost.flops, 0u);
}

TEST(Cost, SaysThatAnUnknownExtentMakesItALowerBound) {
  const Cost cost = cost_in("tensor<fp16, [1, ?]> x", "tensor<fp16, [1, ?]> y = relu(x = x);\n");
  EXPECT_FALSE(cost.is_exact);
  EXPECT_EQ(cost.written_bytes, 2u);
  EXPECT_EQ(cost_in("tensor<fp16, [2, 3]> x",
                    "tensor<fp16, [3, 2]> y = reshape(x = x, shape = "
                    "tensor<int32, [2]>([3, 2]));\n")
                .bytes(),
            0u);
}

TEST(Cost, StopsAtTheLargestNumberRatherThanOverflow) {
  EXPECT_EQ(cost_in("tensor<fp16, [16777216, 16777216]> x",
                    "tensor<fp16, [16777216, 16777216]> y = matmul(x = x, y = x);\n")
                .flops,
            UINT64_MAX);
}

}  // namespace
}  // namespace anemone::mil
