#include <gtest/gtest.h>

#include "anemone/mil/builder.h"

namespace anemone::mil::op::const_test {

TEST(Const, IsMadeOnceForEqualSmallValuesAndForTheSameSharedOne) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos18));
  EXPECT_EQ(b.constant("a", Tensor::scalar(DType::kI32, 3)),
            b.constant("b", Tensor::scalar(DType::kI32, 3)));
  EXPECT_NE(b.constant("c", Tensor::scalar(DType::kI32, 4)),
            b.constant("d", Tensor::scalar(DType::kF32, 4)));
  const auto weight = std::make_shared<const Tensor>(
      Tensor::from_floats(DType::kF16, {64}, std::vector<float>(64)));
  EXPECT_EQ(b.constant("w", weight), b.constant("again", weight));
  EXPECT_EQ(b.function().body.ops.size(), 4u);
  EXPECT_EQ(b.constant("w", weight)->type, Type::tensor(DType::kF16, {64}));
}

}  // namespace anemone::mil::op::const_test
