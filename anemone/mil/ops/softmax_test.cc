#include <gtest/gtest.h>

#include "anemone/mil/op.h"

namespace anemone::mil::op::softmax_test {

TEST(Softmax, SumsToOneAlongItsAxisAndKeepsTheOrder) {
  const std::vector<float> values = {0, 1, 1000, 0, 0, 0};
  const Tensor x = Tensor::from_floats(DType::kF32, {2, 3}, values);
  const Tensor axis = Tensor::scalar(DType::kI32, 0);
  Call call(*find_op("softmax"), Opset::kIos18, "y");
  call.bind("x", {{Type::tensor(DType::kF32, {2, 3}), &x}});
  call.bind("axis", {{Type::scalar(DType::kI32), &axis}});
  EXPECT_EQ(checked_infer(call), (std::vector<Type>{Type::tensor(DType::kF32, {2, 3})}));
  const auto y = find_op("softmax")->eval(call).front().to_floats();
  EXPECT_EQ(y[0], 0.5f);
  EXPECT_NEAR(y[1], std::exp(1.0) / (1 + std::exp(1.0)), 1e-7);
  EXPECT_EQ(y[2], 1.0f);
  EXPECT_EQ(y[5], 0.0f);
}

}  // namespace anemone::mil::op::softmax_test
