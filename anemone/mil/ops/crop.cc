#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::crop {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 3},
    {.name = "crop_height", .dtypes = kInt32, .min_rank = 1, .max_rank = 1, .is_const = true},
    {.name = "crop_width", .dtypes = kInt32, .min_rank = 1, .max_rank = 1, .is_const = true},
};

std::vector<Type> infer(const Call& call) {
  Type type = call.type("x");
  std::size_t axis = type.shape.size() - 2;
  for (const std::string_view parameter : {"crop_height", "crop_width"}) {
    require_shape(call, parameter, {2});
    const std::vector<std::int64_t> amounts = call.integers(parameter);
    std::int64_t& extent = type.shape[axis++];
    if (amounts[0] < 0 || amounts[1] < 0 ||
        (extent != kUnknown && amounts[0] + amounts[1] > extent)) {
      call.fail("parameter '" + std::string(parameter) + "' takes " + std::to_string(amounts[0]) +
                " and " + std::to_string(amounts[1]) + " off " +
                (extent == kUnknown ? "?" : std::to_string(extent)) + " elements");
    }
    if (extent != kUnknown) extent -= amounts[0] + amounts[1];
  }
  return {type};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const Shape strides = row_major_strides(x.shape());
  const std::size_t rank = strides.size();
  const std::int64_t start = call.integers("crop_height")[0] * strides[rank - 2] +
                             call.integers("crop_width")[0] * strides[rank - 1];
  return {rearranged(x, type.shape, [&](const Shape& at) { return start + dot(at, strides); })};
}

}  // namespace op::crop

ANEMONE_DEFINE_OP(crop) = {
    .name = "crop",
    .says = "x without so many elements before and behind its last two axes",
    .inputs = op::crop::kInputs,
    .infer = op::crop::infer,
    .eval = op::crop::eval,
};

}  // namespace anemone::mil
