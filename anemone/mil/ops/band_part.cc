#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::band_part {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .min_rank = 2},
    {.name = "lower",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{-1}},
    {.name = "upper",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{-1}},
};

std::vector<Type> infer(const Call& call) { return {call.type("x")}; }

std::vector<Tensor> eval(const Call& call) {
  const Tensor x = call.tensor("x").resident();
  const std::int64_t lower = call.integer("lower");
  const std::int64_t upper = call.integer("upper");
  Elements y(x.dtype(), x.shape());
  std::int64_t at = 0;
  for_each_index(x.shape(), [&](const Shape& index) {
    const std::int64_t row = index[index.size() - 2];
    const std::int64_t column = index[index.size() - 1];
    if ((lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper)) {
      y.copy(at, x, at);
    }
    ++at;
  });
  return {y.finish()};
}

}  // namespace op::band_part

ANEMONE_DEFINE_OP(band_part) = {
    .name = "band_part",
    .says =
        "x, but 0 further than lower below and upper above the diagonal of the last two axes; "
        "negative is no bound",
    .inputs = op::band_part::kInputs,
    .infer = op::band_part::infer,
    .eval = op::band_part::eval,
};

}  // namespace anemone::mil
