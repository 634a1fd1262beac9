#include "anemone/mil/ops/scattering.h"

namespace anemone::mil {
namespace op::scatter {

constexpr InputDef kInputs[] = {kScatterData, kScatterIndices, kScatterUpdates,
                                kScatterAxis, kScatterMode,    kValidateIndices};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& data = call.type("data");
  const std::int64_t axis = call.axis("axis", data.rank());
  scatter_mode(call);
  require_shape(call, "updates",
                joined(joined(extents(data.shape, 0, axis), call.shape("indices")),
                       extents(data.shape, axis + 1, data.rank())));
  validate_known_indices(call, data.shape[static_cast<std::size_t>(axis)]);
  return {data};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& data = call.tensor("data");
  const auto axis = static_cast<std::size_t>(call.axis("axis", data.rank()));
  const std::vector<std::int64_t> indices = call.tensor("indices").to_ints();
  const Shape index_strides = row_major_strides(call.tensor("indices").shape());
  const Shape strides = row_major_strides(data.shape());
  const std::size_t taken = index_strides.size();
  return {scattered(call, [&](const Shape& at) {
    std::int64_t which = 0;
    std::int64_t to = 0;
    for (std::size_t i = 0; i < axis; ++i) to += at[i] * strides[i];
    for (std::size_t i = 0; i < taken; ++i) which += at[axis + i] * index_strides[i];
    for (std::size_t i = axis + 1; i < strides.size(); ++i) to += at[i - 1 + taken] * strides[i];
    const std::int64_t index = indices[static_cast<std::size_t>(which)];
    const std::int64_t place = written_index(call, index, data.shape()[axis]);
    return place == kNowhere ? kNowhere : to + place * strides[axis];
  })};
}

}  // namespace op::scatter

ANEMONE_DEFINE_OP(scatter) = {
    .name = "scatter",
    .revised = op::scatter::kRevised,
    .says = "data, with updates[.., i, ..] worked into data[.., indices[i], ..] along axis by mode",
    .inputs = op::scatter::kInputs,
    .infer = op::scatter::infer,
    .eval = op::scatter::eval,
};

}  // namespace anemone::mil
