#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::identity {

constexpr InputDef kInputs[] = {
    {.name = "x", .kinds = kTensors | kLists | bit(Type::Kind::kDictionary)}};

std::vector<Tensor> eval(const Call& call) { return {call.tensor("x")}; }

}  // namespace op::identity

ANEMONE_DEFINE_OP(identity) = {
    .name = "identity",
    .says = "y = x",
    .inputs = op::identity::kInputs,
    .infer = op::infer_like_x,
    .eval = op::identity::eval,
    .unranked = true,
};

}  // namespace anemone::mil
