#include "anemone/mil/op.h"

namespace anemone::mil {
namespace op::while_loop {

constexpr InputDef kInputs[] = {
    {.name = "loop_vars", .is_variadic = true, .kinds = kTensors | kLists}};

std::vector<Type> infer(const Call& call) {
  if (call.block_outputs.size() != 2) {
    call.fail("has " + std::to_string(call.block_outputs.size()) + " blocks; expected 2");
  }
  const std::vector<Type>& condition = call.block_outputs[0];
  // Core ML also takes a tensor of one element.
  // Source: coremltools 9.0, mil/ops/tests/iOS14/test_control_flow.py (TestWhileLoop).
  const bool is_one_bool = condition.size() == 1 && condition[0].dtype == DType::kBool &&
                           condition[0].is_tensor() &&
                           (!condition[0].is_static() || element_count(condition[0].shape) == 1);
  if (!is_one_bool) call.fail("has a condition block that does not give one bool");
  const std::vector<Type>& body = call.block_outputs[1];
  const auto variables = call.arguments("loop_vars");
  if (body.size() != variables.size()) {
    call.fail("has " + std::to_string(variables.size()) + " loop variables, but its body gives " +
              std::to_string(body.size()) + " values");
  }
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Type& before = variables[i].type;
    if (before.kind != body[i].kind || before.dtype != body[i].dtype ||
        (before.has_rank && body[i].has_rank && before.rank() != body[i].rank())) {
      call.fail("takes " + to_string(before) + " as loop variable " + std::to_string(i) +
                ", but its body gives " + to_string(body[i]));
    }
  }
  return body;
}

}  // namespace op::while_loop

ANEMONE_DEFINE_OP(while_loop) = {
    .name = "while_loop",
    .says = "the loop variables after the second block has run for as long as the first gave true",
    .inputs = op::while_loop::kInputs,
    .infer = op::while_loop::infer,
    .blocks = 2,
};

}  // namespace anemone::mil
