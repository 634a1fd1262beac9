#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::squeeze {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .ios17_dtypes = kMovableIos17},
    {.name = "axes", .dtypes = kInt32, .max_rank = 1, .is_const = true, .is_optional = true},
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const auto given = call.find_integers("axes");
  std::vector<bool> named(x.shape.size(), !given);
  if (given) {
    for (const std::int64_t axis : checked_axes(call, "axes", *given, x.rank())) {
      const std::int64_t extent = x.shape[static_cast<std::size_t>(axis)];
      if (extent != 1 && extent != kUnknown) {
        call.fail("squeezes axis " + std::to_string(axis) + ", which has " +
                  std::to_string(extent) + " elements");
      }
      named[static_cast<std::size_t>(axis)] = true;
    }
  }
  Shape shape;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    // An axis that is not known to be 1 stays.
    // Source: coremltools 9.0, mil/ops/defs/iOS15/tensor_transformation.py.
    if (!named[i] || x.shape[i] != 1) shape.push_back(x.shape[i]);
  }
  return {Type::tensor(x.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  return {call.tensor("x").reshaped(resolved_type(call).shape)};
}

}  // namespace op::squeeze

ANEMONE_DEFINE_OP(squeeze) = {
    .name = "squeeze",
    .revised = op::squeeze::kRevised,
    .says =
        "x without the named axes, whose extent is 1 (without all such axes where none are "
        "named)",
    .inputs = op::squeeze::kInputs,
    .infer = op::squeeze::infer,
    .eval = op::squeeze::eval,
};

}  // namespace anemone::mil
