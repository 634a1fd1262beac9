#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::cond_test {

std::vector<Type> infer(std::vector<std::vector<Type>> outputs) {
  Call call(*find_op("cond"), Opset::kIos15, "it");
  call.bind("pred", {{bool_type({}), nullptr}});
  call.block_outputs = std::move(outputs);
  return checked_infer(call);
}

std::string refusal(std::vector<std::vector<Type>> outputs) {
  try {
    infer(std::move(outputs));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Cond, GivesWhatBothBlocksCanGive) {
  EXPECT_EQ(infer({{f32_type({2, 3}), i32_type({})}, {f32_type({4, 3}), i32_type({})}}),
            (std::vector<Type>{f32_type({kUnknown, 3}), i32_type({})}));
  EXPECT_EQ(find_op("cond")->blocks, 2);
}

TEST(Cond, RefusesBlocksThatDoNotAgree) {
  EXPECT_EQ(refusal({{f32_type({2})}}), "op 'it' (cond): has 1 blocks; expected 2");
  EXPECT_EQ(refusal({{f32_type({2})}, {}}),
            "op 'it' (cond): gives 1 values if true, but 0 if false");
  EXPECT_EQ(refusal({{f32_type({2})}, {f16_type({2})}}),
            "op 'it' (cond): gives tensor<fp32, [2]> if true, but tensor<fp16, [2]> if false");
}

}  // namespace anemone::mil::op::cond_test
