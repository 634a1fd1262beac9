#include "anemone/mil/ops/sampling.h"

namespace anemone::mil {
namespace op::resize {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1},
    {.name = "shape",
     .dtypes = kInt32 | bit(DType::kI16) | bit(DType::kU16) | bit(DType::kU32),
     .min_rank = 1,
     .max_rank = 1},
    {.name = "resized_dims", .dtypes = bit(DType::kU32) | kInt32, .max_rank = 0, .is_const = true},
    {.name = "interpolation_mode",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("LINEAR")},
    sampling_mode_input(),
};

// The last resized_dims extents come from the end of `shape`; 0 keeps that of x.
// Source: coremltools 9.0, mil/ops/defs/iOS17/image_resizing.py.
std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kModes[] = {"LINEAR", "NEAREST_NEIGHBOR"};
  one_of(call, "interpolation_mode", kModes);
  one_of(call, "sampling_mode", kSamplingModes);
  Type type = call.type("x");
  const std::int64_t count = call.integer("resized_dims");
  const Tensor* wanted = call.find_tensor("shape");
  const std::int64_t given = wanted ? wanted->count() : call.shape("shape")[0];
  if (count < 0 || count > type.rank() ||
      (given != kUnknown && (count > given || given > type.rank()))) {
    call.fail("resizes " + std::to_string(count) + " axes of rank " + std::to_string(type.rank()) +
              " by a shape of " + (given == kUnknown ? "?" : std::to_string(given)));
  }
  const std::vector<std::int64_t> extents =
      wanted ? wanted->to_ints() : std::vector<std::int64_t>{};
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t& extent = type.shape[static_cast<std::size_t>(type.rank() - count + i)];
    const std::int64_t target =
        wanted ? extents[static_cast<std::size_t>(given - count + i)] : kUnknown;
    if (target == 0) continue;
    if (target != kUnknown || wanted != nullptr) check_sampled_axis(call, extent, target);
    extent = target;
  }
  return {type};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const std::string mode = call.text("sampling_mode");
  const bool linear = call.text("interpolation_mode") == "LINEAR";
  const auto first = static_cast<std::size_t>(x.rank() - call.integer("resized_dims"));
  Field field = field_of(x);
  for (std::size_t axis = first; axis < type.shape.size(); ++axis) {
    std::vector<double> points = grid(mode, field.shape[axis], type.shape[axis]);
    if (!linear) {
      for (double& point : points) point = std::floor(point + 0.5);
    }
    field = sampled(field, axis, points);
  }
  return {Tensor::from_doubles(type.dtype, type.shape, field.values)};
}

}  // namespace op::resize

ANEMONE_DEFINE_OP(resize) = {
    .name = "resize",
    .since = Opset::kIos17,
    .says =
        "the last resized_dims axes of x resized to the end of shape (0 keeps an extent), "
        "linearly or to the nearest element of the grid that sampling_mode lays",
    .inputs = op::resize::kInputs,
    .infer = op::resize::infer,
    .eval = op::resize::eval,
};

}  // namespace anemone::mil
