#include "anemone/mil/ops/epsilon.h"

namespace anemone::mil {
namespace op::rsqrt {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kFloats, .domain = 'T'},
                                epsilon_input(1e-12)};
constexpr Opset kRevised[] = {Opset::kIos17};

double y(double x) { return 1 / std::sqrt(x); }

}  // namespace op::rsqrt

ANEMONE_DEFINE_OP(rsqrt) = {
    .name = "rsqrt",
    .revised = op::rsqrt::kRevised,
    .says = "y = 1 / sqrt(x + epsilon)",
    .inputs = op::rsqrt::kInputs,
    .infer = op::infer_like_x,
    .eval = op::eval_with_epsilon<op::rsqrt::y>,
    .unranked = true,
};

}  // namespace anemone::mil
