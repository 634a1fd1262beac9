#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::shape {

constexpr InputDef kInputs[] = {{.name = "x"}};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  return {Type::tensor(DType::kI32, {x.has_rank ? x.rank() : kUnknown})};
}

// Needs no value where the type says all.
std::vector<Tensor> eval(const Call& call) {
  const Type& x = call.type("x");
  const Shape& shape = x.is_static() ? x.shape : call.tensor("x").shape();
  for (const std::int64_t extent : shape) {
    if (extent > std::numeric_limits<std::int32_t>::max()) {
      call.fail("an extent of " + std::to_string(extent) + " does not fit int32");
    }
  }
  return {Tensor::ints(shape)};
}

}  // namespace op::shape

ANEMONE_DEFINE_OP(shape) = {
    .name = "shape",
    .says = "the extents of x",
    .inputs = op::shape::kInputs,
    .infer = op::shape::infer,
    .eval = op::shape::eval,
    .unranked = true,
};

}  // namespace anemone::mil
