#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::reverse_sequence {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .min_rank = 1, .ios17_dtypes = kMovableIos17},
    {.name = "lengths",
     .dtypes = kInt32,
     .min_rank = 1,
     .max_rank = 1,
     .ios17_dtypes = kIndexIos17},
    {.name = "seq_axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{0}},
    {.name = "batch_axis",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{0}},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  call.axis("seq_axis", x.rank());
  const auto batch = static_cast<std::size_t>(call.axis("batch_axis", x.rank()));
  require_shape(call, "lengths", {x.shape[batch]});
  return {x};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& x = call.tensor("x");
  const auto along = static_cast<std::size_t>(call.axis("seq_axis", x.rank()));
  const auto batch = static_cast<std::size_t>(call.axis("batch_axis", x.rank()));
  const std::vector<std::int64_t> lengths = call.tensor("lengths").to_ints();
  for (const std::int64_t length : lengths) {
    if (length < 0 || length > x.shape()[along]) {
      call.fail("parameter 'lengths' holds " + std::to_string(length) + "; allowed: 0 to " +
                std::to_string(x.shape()[along]));
    }
  }
  const Shape strides = row_major_strides(x.shape());
  return {rearranged(x, x.shape(), [&](Shape index) {
    const std::int64_t length = lengths[static_cast<std::size_t>(index[batch])];
    if (index[along] < length) index[along] = length - 1 - index[along];
    return dot(index, strides);
  })};
}

}  // namespace op::reverse_sequence

ANEMONE_DEFINE_OP(reverse_sequence) = {
    .name = "reverse_sequence",
    .revised = op::reverse_sequence::kRevised,
    .says =
        "x with the first lengths[b] elements along seq_axis from back to front, b along "
        "batch_axis",
    .inputs = op::reverse_sequence::kInputs,
    .infer = op::reverse_sequence::infer,
    .eval = op::reverse_sequence::eval,
};

}  // namespace anemone::mil
