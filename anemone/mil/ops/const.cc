#include "anemone/mil/op.h"

namespace anemone::mil {
namespace op::const_ {

// A const's value is its output's constant, not a parameter; nothing is ever inferred or computed.
std::vector<Type> infer(const Call& call) { call.fail("a const carries its type with its value"); }

}  // namespace op::const_

ANEMONE_DEFINE_OP(const) = {
    .name = "const",
    .says = "a value known when the program was written",
    .infer = op::const_::infer,
};

}  // namespace anemone::mil
