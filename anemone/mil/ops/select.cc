#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::select {

constexpr InputDef kInputs[] = {
    {.name = "cond", .dtypes = kBools},
    {.name = "a", .dtypes = kNumbers | kBools, .domain = 'T'},
    {.name = "b", .dtypes = kNumbers | kBools, .domain = 'T'},
};

std::vector<Type> infer(const Call& call) {
  const auto shape = broadcast(call.shape("cond"), broadcast_shape(call, "a", "b"));
  if (!shape) {
    call.fail("parameter 'cond' has shape " + anemone::to_string(call.shape("cond")) +
              ", which does not broadcast with that of a and b, " +
              anemone::to_string(broadcast_shape(call, "a", "b")));
  }
  return {Type::tensor(promoted(call.dtype("a"), call.dtype("b")), *shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const std::vector<double> cond = call.tensor("cond").to_doubles();
  const Tensor a = convert(call.tensor("a"), type.dtype).resident();
  const Tensor b = convert(call.tensor("b"), type.dtype).resident();
  const Shape cond_strides = stretched_strides(call.tensor("cond").shape(), type.shape);
  const Shape a_strides = stretched_strides(a.shape(), type.shape);
  const Shape b_strides = stretched_strides(b.shape(), type.shape);
  Elements y(type.dtype, type.shape);
  std::int64_t to = 0;
  for_each_index(type.shape, [&](const Shape& index) {
    const bool first = cond[static_cast<std::size_t>(dot(index, cond_strides))] != 0;
    y.copy(to++, first ? a : b, dot(index, first ? a_strides : b_strides));
  });
  return {y.finish()};
}

}  // namespace op::select

ANEMONE_DEFINE_OP(select) = {
    .name = "select",
    .says = "y = cond ? a : b, broadcast",
    .inputs = op::select::kInputs,
    .infer = op::select::infer,
    .eval = op::select::eval,
};

}  // namespace anemone::mil
