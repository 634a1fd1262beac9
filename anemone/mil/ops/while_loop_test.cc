#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::while_loop_test {

std::vector<Type> infer(std::vector<Type> variables, std::vector<std::vector<Type>> outputs) {
  Call call(*find_op("while_loop"), Opset::kIos15, "it");
  std::vector<Argument> arguments;
  for (Type& type : variables) arguments.push_back({std::move(type), nullptr});
  call.bind("loop_vars", std::move(arguments));
  call.block_outputs = std::move(outputs);
  return checked_infer(call);
}

std::string refusal(std::vector<Type> variables, std::vector<std::vector<Type>> outputs) {
  try {
    infer(std::move(variables), std::move(outputs));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(WhileLoop, GivesWhatItsBodyGives) {
  const Type list = Type::list(DType::kF32, {2}, kUnknown);
  EXPECT_EQ(infer({i32_type({}), list}, {{bool_type({})}, {i32_type({}), list}}),
            (std::vector<Type>{i32_type({}), list}));
  EXPECT_EQ(infer({i32_type({})}, {{bool_type({1})}, {i32_type({})}}),
            (std::vector<Type>{i32_type({})}));
  EXPECT_EQ(find_op("while_loop")->blocks, 2);
}

TEST(WhileLoop, RefusesBlocksThatDoNotFit) {
  EXPECT_EQ(refusal({i32_type({})}, {{i32_type({})}, {i32_type({})}}),
            "op 'it' (while_loop): has a condition block that does not give one bool");
  EXPECT_EQ(refusal({i32_type({})}, {{bool_type({2})}, {i32_type({})}}),
            "op 'it' (while_loop): has a condition block that does not give one bool");
  EXPECT_EQ(refusal({i32_type({})}, {{bool_type({})}, {}}),
            "op 'it' (while_loop): has 1 loop variables, but its body gives 0 values");
  EXPECT_EQ(refusal({i32_type({2})}, {{bool_type({})}, {f32_type({2})}}),
            "op 'it' (while_loop): takes tensor<int32, [2]> as loop variable 0, but its body gives "
            "tensor<fp32, [2]>");
}

}  // namespace anemone::mil::op::while_loop_test
