#include "anemone/mil/op.h"

namespace anemone::mil {
namespace op::read_state {

constexpr InputDef kInputs[] = {{.name = "input", .kinds = kStates}};

std::vector<Type> infer(const Call& call) { return {call.type("input").wrapped()}; }

}  // namespace op::read_state

ANEMONE_DEFINE_OP(read_state) = {
    .name = "read_state",
    .since = Opset::kIos18,
    .says = "what the state holds at this point",
    .inputs = op::read_state::kInputs,
    .infer = op::read_state::infer,
    .effect = Effect::kReadsState,
};

}  // namespace anemone::mil
