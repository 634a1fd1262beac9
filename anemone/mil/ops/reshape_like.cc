#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::reshape_like {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "ref_tensors", .is_variadic = true},
    {.name = "begins", .dtypes = kInt32, .max_rank = 0, .is_const = true, .is_variadic = true},
    {.name = "ends", .dtypes = kInt32, .max_rank = 0, .is_const = true, .is_variadic = true},
    {.name = "end_masks", .dtypes = kBools, .max_rank = 0, .is_const = true, .is_variadic = true},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::int64_t nth(const Call& call, std::string_view parameter, std::size_t i) {
  return call.arguments(parameter)[i].value->resident().integer(0);
}

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const auto refs = call.arguments("ref_tensors");
  for (const std::string_view parameter : {"begins", "ends", "end_masks"}) {
    if (call.arguments(parameter).size() != refs.size()) {
      call.fail("parameter '" + std::string(parameter) + "' has " +
                std::to_string(call.arguments(parameter).size()) + " values; expected " +
                std::to_string(refs.size()));
    }
  }
  Shape shape;
  for (std::size_t i = 0; i < refs.size(); ++i) {
    const Shape& ref = refs[i].type.shape;
    const auto rank = static_cast<std::int64_t>(ref.size());
    const auto place = [&](std::int64_t index) {
      return std::clamp<std::int64_t>(index < 0 ? index + rank : index, 0, rank);
    };
    const std::int64_t begin = place(nth(call, "begins", i));
    const std::int64_t end = nth(call, "end_masks", i) != 0 ? rank : place(nth(call, "ends", i));
    if (begin < end) shape.insert(shape.end(), ref.begin() + begin, ref.begin() + end);
  }
  if (x.is_static() && is_known(shape) &&
      checked_element_count(shape) != checked_element_count(x.shape)) {
    call.fail("cannot make " + anemone::to_string(shape) + " of x, " + anemone::to_string(x.shape));
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  return {call.tensor("x").reshaped(resolved_type(call).shape)};
}

}  // namespace op::reshape_like

ANEMONE_DEFINE_OP(reshape_like) = {
    .name = "reshape_like",
    .since = Opset::kIos16,
    .revised = op::reshape_like::kRevised,
    .says = "x under the extents begins[i] to ends[i] of every ref_tensors[i], one after the other",
    .inputs = op::reshape_like::kInputs,
    .infer = op::reshape_like::infer,
    .eval = op::reshape_like::eval,
};

}  // namespace anemone::mil
