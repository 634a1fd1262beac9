#include "anemone/mil/ops/constexpr.h"

namespace anemone::mil {
namespace op::constexpr_lut_to_dense {

// Before iOS 18 indices are bytes [M] with bits packed into them, lut a vector, and shape the
// extents; from then on the indices' own dtype and shape say all that.
constexpr InputDef kInputs[] = {
    {.name = "indices", .dtypes = kIndexDTypes, .min_rank = 1, .is_const = true},
    {.name = "lut", .dtypes = kTableDTypes, .min_rank = 1, .max_rank = 7, .is_const = true},
    kPackedShape,
    kVectorAxis,
};
constexpr Opset kRevised[] = {Opset::kIos18};

struct Table {
  Tensor indices;
  Tensor lut;
};

Table packed_table(const Call& call) {
  const Shape shape = packed_shape(call);
  const Tensor& lut = call.tensor("lut");
  DType dtype = DType::kU8;
  switch (lut.rank() == 1 ? lut.shape()[0] : 0) {
    case 2:
      dtype = DType::kU1;
      break;
    case 4:
      dtype = DType::kU2;
      break;
    case 16:
      dtype = DType::kU4;
      break;
    case 64:
      dtype = DType::kU6;
      break;
    case 256:
      break;
    default:
      call.fail("parameter 'lut' has shape " + anemone::to_string(lut.shape()) +
                "; expected a vector of 2, 4, 16, 64 or 256");
  }
  if (call.dtype("indices") != DType::kU8 || call.type("indices").rank() != 1) {
    call.fail("parameter 'indices' is " + to_string(call.type("indices")) +
              "; expected a vector of uint8");
  }
  Shape table(shape.size(), 1);
  table.push_back(lut.shape()[0]);
  table.push_back(1);
  return {unpacked(call, "indices", dtype, shape), lut.reshaped(table)};
}

std::vector<Type> infer(const Call& call) {
  if (call.opset() < Opset::kIos18) {
    return {Type::tensor(call.dtype("lut"), packed_table(call).indices.shape())};
  }
  const Type& indices = call.type("indices");
  return {Type::tensor(call.dtype("lut"),
                       table_shape(call, indices.shape, indices.dtype, call.shape("lut")))};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  if (call.opset() < Opset::kIos18) {
    const Table table = packed_table(call);
    return {looked_up(table.indices, table.lut, 0)};
  }
  const Tensor& indices = call.tensor("indices");
  return {looked_up(indices, call.tensor("lut"), vector_axis(call, indices.shape()))};
}

}  // namespace op::constexpr_lut_to_dense

ANEMONE_DEFINE_OP(constexpr_lut_to_dense) = {
    .name = "constexpr_lut_to_dense",
    .since = Opset::kIos16,
    .revised = op::constexpr_lut_to_dense::kRevised,
    .says =
        "each index replaced by its entry of its group's table; entries that are vectors "
        "spread over vector_axis",
    .inputs = op::constexpr_lut_to_dense::kInputs,
    .infer = op::constexpr_lut_to_dense::infer,
    .eval = op::constexpr_lut_to_dense::eval,
};

}  // namespace anemone::mil
