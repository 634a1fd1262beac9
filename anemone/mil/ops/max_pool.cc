#include "anemone/mil/ops/pooling.h"

namespace anemone::mil {
namespace op::max_pool {

std::vector<Tensor> eval(const Call& call) {
  return pooled(call, [](const WindowView& window) {
    double top = -std::numeric_limits<double>::infinity();
    for (const double x : window.elements) top = x > top ? x : top;
    return top;
  });
}

}  // namespace op::max_pool

ANEMONE_DEFINE_OP(max_pool) = {
    .name = "max_pool",
    .says = "y = greatest x in the window; padding never wins",
    .inputs = op::kPoolInputs,
    .infer = op::infer_pool,
    .eval = op::max_pool::eval,
};

}  // namespace anemone::mil
