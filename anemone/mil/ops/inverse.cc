#include "anemone/mil/ops/epsilon.h"

namespace anemone::mil {
namespace op::inverse {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kFloats, .domain = 'T'},
                                epsilon_input(1e-4)};
constexpr Opset kRevised[] = {Opset::kIos17};

double y(double x) { return 1 / x; }

}  // namespace op::inverse

ANEMONE_DEFINE_OP(inverse) = {
    .name = "inverse",
    .revised = op::inverse::kRevised,
    .says = "y = 1 / (x + epsilon)",
    .inputs = op::inverse::kInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_with_epsilon<op::inverse::y>,
    .unranked = true,
};

}  // namespace anemone::mil
