#include "anemone/mil/ops/scattering.h"

namespace anemone::mil {
namespace op::scatter_nd {

constexpr InputDef kInputs[] = {
    kScatterData,     {.name = "indices", .dtypes = kInt32, .min_rank = 1},
    kScatterUpdates,  kScatterMode,
    kValidateIndices,
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  const Type& data = call.type("data");
  const Shape& indices = call.shape("indices");
  scatter_mode(call);
  const std::int64_t depth = indices.back();
  if (depth == kUnknown || depth > data.rank()) {
    call.fail("parameter 'indices' has shape " + anemone::to_string(indices) +
              ", whose last extent must be at most the rank of data, " +
              std::to_string(data.rank()));
  }
  require_shape(call, "updates",
                joined(extents(indices, 0, static_cast<std::int64_t>(indices.size()) - 1),
                       extents(data.shape, depth, data.rank())));
  return {data};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  const Tensor& data = call.tensor("data");
  const Shape& indices_shape = call.tensor("indices").shape();
  const std::vector<std::int64_t> indices = call.tensor("indices").to_ints();
  const Shape index_strides = row_major_strides(indices_shape);
  const Shape strides = row_major_strides(data.shape());
  const std::size_t lead = indices_shape.size() - 1;
  const auto depth = static_cast<std::size_t>(indices_shape.back());
  return {scattered(call, [&](const Shape& at) {
    std::int64_t which = 0;
    std::int64_t to = 0;
    for (std::size_t i = 0; i < lead; ++i) which += at[i] * index_strides[i];
    for (std::size_t i = 0; i < depth; ++i) {
      const std::int64_t index = indices[static_cast<std::size_t>(which) + i];
      const std::int64_t place = written_index(call, index, data.shape()[i]);
      if (place == kNowhere) return kNowhere;
      to += place * strides[i];
    }
    for (std::size_t i = lead; i < at.size(); ++i) to += at[i] * strides[depth + i - lead];
    return to;
  })};
}

}  // namespace op::scatter_nd

ANEMONE_DEFINE_OP(scatter_nd) = {
    .name = "scatter_nd",
    .revised = op::scatter_nd::kRevised,
    .says =
        "data, with updates[i, ..] worked into data[indices[i, 0], indices[i, 1], .., ..] by "
        "mode",
    .inputs = op::scatter_nd::kInputs,
    .infer = op::scatter_nd::infer,
    .eval = op::scatter_nd::eval,
};

}  // namespace anemone::mil
