#include "anemone/mil/ops/constexpr.h"

namespace anemone::mil {
namespace op::constexpr_sparse_to_dense {

// Before iOS 18 the mask is bytes [M] with a bit for each element, and shape the extents.
constexpr InputDef kInputs[] = {
    {.name = "nonzero_data",
     .dtypes = kShiftScaleDTypes,
     .min_rank = 1,
     .max_rank = 1,
     .is_const = true},
    {.name = "mask", .dtypes = bit(DType::kU1) | bit(DType::kU8), .min_rank = 1, .is_const = true},
    kPackedShape,
};
constexpr Opset kRevised[] = {Opset::kIos18};

Tensor packed_mask(const Call& call) {
  if (call.dtype("mask") != DType::kU8 || call.type("mask").rank() != 1) {
    call.fail("parameter 'mask' is " + to_string(call.type("mask")) +
              "; expected a vector of uint8");
  }
  return unpacked(call, "mask", DType::kU1, packed_shape(call));
}

std::vector<Type> infer(const Call& call) {
  const DType dtype = call.dtype("nonzero_data");
  if (call.opset() < Opset::kIos18) {
    const Tensor mask = packed_mask(call);
    check_sparse(call, "nonzero_data", mask);
    return {Type::tensor(dtype, mask.shape())};
  }
  if (call.dtype("mask") != DType::kU1) {
    call.fail("parameter 'mask' is " + std::string(name(call.dtype("mask"))) + "; allowed: uint1");
  }
  const Tensor* mask = call.find_tensor("mask");
  if (mask != nullptr) check_sparse(call, "nonzero_data", *mask);
  return {Type::tensor(dtype, call.shape("mask"))};
}

std::vector<Tensor> eval(const Call& call) {
  resolved_type(call);
  return {dense(call.tensor("nonzero_data"),
                call.opset() < Opset::kIos18 ? packed_mask(call) : call.tensor("mask"))};
}

}  // namespace op::constexpr_sparse_to_dense

ANEMONE_DEFINE_OP(constexpr_sparse_to_dense) = {
    .name = "constexpr_sparse_to_dense",
    .since = Opset::kIos16,
    .revised = op::constexpr_sparse_to_dense::kRevised,
    .says = "nonzero_data in its order where the mask is set, 0 elsewhere",
    .inputs = op::constexpr_sparse_to_dense::kInputs,
    .infer = op::constexpr_sparse_to_dense::infer,
    .eval = op::constexpr_sparse_to_dense::eval,
};

}  // namespace anemone::mil
