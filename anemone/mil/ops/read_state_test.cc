#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::read_state_test {

TEST(ReadState, GivesTheTensorInside) {
  EXPECT_EQ(Try("read_state").with("input", Type::state(DType::kF16, {2, 8})).types(),
            (std::vector<Type>{f16_type({2, 8})}));
  EXPECT_EQ(find_op("read_state")->effect, Effect::kReadsState);
}

TEST(ReadState, RefusesWhatIsNoState) {
  EXPECT_EQ(Try("read_state").with("input", f16_type({2, 8})).refusal(),
            "op 'it' (read_state): parameter 'input' is tensor<fp16, [2, 8]>; a state is wanted");
  EXPECT_EQ(Try("read_state", Opset::kIos17).with("input", Type::state(DType::kF16, {2})).refusal(),
            "op 'it' (read_state): exists from ios18 on, but the function speaks ios17");
}

}  // namespace anemone::mil::op::read_state_test
