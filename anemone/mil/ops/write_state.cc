#include "anemone/mil/op.h"

namespace anemone::mil {
namespace op::write_state {

constexpr InputDef kInputs[] = {{.name = "input", .kinds = kStates}, {.name = "data"}};

std::vector<Type> infer(const Call& call) {
  if (!agrees(call.type("input").wrapped(), call.type("data"))) {
    call.fail("parameter 'data' is " + to_string(call.type("data")) + ", but the state holds " +
              to_string(call.type("input").wrapped()));
  }
  return {};
}

}  // namespace op::write_state

// Its converter knows it as coreml_update_state, which is no op of the file.
// Source: coremltools 9.0, mil/backend/mil/load.py.
ANEMONE_DEFINE_OP(write_state) = {
    .name = "write_state",
    .since = Opset::kIos18,
    .says = "from here on the state holds data",
    .inputs = op::write_state::kInputs,
    .infer = op::write_state::infer,
    .effect = Effect::kWritesState,
};

}  // namespace anemone::mil
