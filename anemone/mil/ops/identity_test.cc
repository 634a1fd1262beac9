#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::identity_test {

TEST(Identity, GivesBackWhatItTakes) {
  const Tensor words = Tensor::from_strings({2}, {"sea", "anemone"});
  EXPECT_EQ(Try("identity").with("x", words).value(), words);
  EXPECT_EQ(Try("identity").with("x", f16({2}, {1, 2})).value(), f16({2}, {1, 2}));
  EXPECT_EQ(Try("identity").with("x", f32_type({kUnknown, 2})).type(), f32_type({kUnknown, 2}));
  const Type list = Type::list(DType::kF32, {2}, 4);
  EXPECT_EQ(Try("identity").with("x", list).type(), list);
}

TEST(Identity, RefusesStates) {
  EXPECT_EQ(Try("identity").with("x", Type::state(DType::kF16, {2})).refusal(),
            "op 'it' (identity): parameter 'x' is state<tensor<fp16, [2]>>; a tensor is wanted");
  EXPECT_EQ(Try("identity").refusal(), "op 'it' (identity): lacks parameter 'x'");
}

}  // namespace anemone::mil::op::identity_test
