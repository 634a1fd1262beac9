#include "anemone/mil/ops/epsilon.h"

namespace anemone::mil {
namespace op::log {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kFloats, .domain = 'T'},
                                epsilon_input(1e-45)};
constexpr Opset kRevised[] = {Opset::kIos17};

double y(double x) { return std::log(x); }

}  // namespace op::log

ANEMONE_DEFINE_OP(log) = {
    .name = "log",
    .revised = op::log::kRevised,
    .says = "y = log(x + epsilon)",
    .inputs = op::log::kInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_with_epsilon<op::log::y>,
    .unranked = true,
};

}  // namespace anemone::mil
