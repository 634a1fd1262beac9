#include "anemone/mil/ops/pooling.h"

namespace anemone::mil {
namespace op::l2_pool {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3, .max_rank = 4},
    kPoolKernel,
    kPoolStrides,
    kPoolPadType,
    kPoolPad,
    kPoolCeilMode,
};

std::vector<Tensor> eval(const Call& call) {
  return pooled(call, [](const WindowView& window) {
    double sum = 0;
    for (const double x : window.elements) sum += x * x;
    return std::sqrt(sum);
  });
}

}  // namespace op::l2_pool

ANEMONE_DEFINE_OP(l2_pool) = {
    .name = "l2_pool",
    .says = "y = sqrt(sum of x^2 in the window)",
    .inputs = op::l2_pool::kInputs,
    .infer = op::infer_pool,
    .eval = op::l2_pool::eval,
};

}  // namespace anemone::mil
