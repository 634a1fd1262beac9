#include "anemone/mil/ops/scattering.h"

namespace anemone::mil {
namespace op::scatter_along_axis {

constexpr InputDef kInputs[] = {kScatterData, kScatterIndices, kScatterUpdates,
                                kScatterAxis, kScatterMode,    kValidateIndices};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& data = call.type("data");
  const auto axis = static_cast<std::size_t>(call.axis("axis", data.rank()));
  scatter_mode(call);
  Shape wanted = data.shape;
  if (call.shape("indices").size() == wanted.size()) wanted[axis] = call.shape("indices")[axis];
  require_shape(call, "indices", wanted);
  require_shape(call, "updates", call.shape("indices"));
  validate_known_indices(call, data.shape[axis]);
  return {data};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& data = call.tensor("data");
  const auto axis = static_cast<std::size_t>(call.axis("axis", data.rank()));
  const std::vector<std::int64_t> indices = call.tensor("indices").to_ints();
  const Shape strides = row_major_strides(data.shape());
  std::size_t next = 0;
  return {scattered(call, [&](Shape at) {
    at[axis] = written_index(call, indices[next++], data.shape()[axis]);
    return at[axis] == kNowhere ? kNowhere : dot(at, strides);
  })};
}

}  // namespace op::scatter_along_axis

ANEMONE_DEFINE_OP(scatter_along_axis) = {
    .name = "scatter_along_axis",
    .revised = op::scatter_along_axis::kRevised,
    .says =
        "data, with each update worked into data[.., indices[.., i, ..], ..] along axis by "
        "mode",
    .inputs = op::scatter_along_axis::kInputs,
    .infer = op::scatter_along_axis::infer,
    .eval = op::scatter_along_axis::eval,
};

}  // namespace anemone::mil
