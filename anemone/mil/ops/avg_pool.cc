#include "anemone/mil/ops/pooling.h"

namespace anemone::mil {
namespace op::avg_pool {

constexpr InputDef kInputs[] = {
    kPoolX,
    kPoolKernel,
    kPoolStrides,
    kPoolPadType,
    kPoolPad,
    kPoolCeilMode,
    {.name = "exclude_padding_from_average",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .otherwise = false},
};

std::vector<Tensor> eval(const Call& call) {
  const bool exclude = call.boolean("exclude_padding_from_average");
  return pooled(call, [&](const WindowView& window) {
    const auto seen = static_cast<std::int64_t>(window.elements.size());
    const std::int64_t count = exclude ? seen : window.places;
    double sum = 0;
    for (const double x : window.elements) sum += x;
    return count == 0 ? 0.0 : sum / static_cast<double>(count);
  });
}

}  // namespace op::avg_pool

ANEMONE_DEFINE_OP(avg_pool) = {
    .name = "avg_pool",
    .says = "y = mean of x in the window, padding counted as 0 unless excluded",
    .inputs = op::avg_pool::kInputs,
    .infer = op::infer_pool,
    .eval = op::avg_pool::eval,
};

}  // namespace anemone::mil
