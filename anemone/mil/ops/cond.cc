#include "anemone/mil/op.h"

namespace anemone::mil {
namespace op::cond {

constexpr InputDef kInputs[] = {{.name = "pred", .dtypes = kBools, .max_rank = 0}};

// Each output as both blocks can give it: an extent in which they differ is not known.
std::vector<Type> infer(const Call& call) {
  if (call.block_outputs.size() != 2) {
    call.fail("has " + std::to_string(call.block_outputs.size()) + " blocks; expected 2");
  }
  std::vector<Type> outputs = call.block_outputs[0];
  const std::vector<Type>& others = call.block_outputs[1];
  if (outputs.size() != others.size()) {
    call.fail("gives " + std::to_string(outputs.size()) + " values if true, but " +
              std::to_string(others.size()) + " if false");
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Type& output = outputs[i];
    const Type& other = others[i];
    if (output == other) continue;
    const bool fits = output.kind == other.kind && output.dtype == other.dtype &&
                      output.parts == other.parts &&
                      (!output.has_rank || !other.has_rank || output.rank() == other.rank());
    if (!fits) {
      call.fail("gives " + to_string(output) + " if true, but " + to_string(other) + " if false");
    }
    if (!other.has_rank) {
      output.has_rank = false;
      output.shape.clear();
    }
    if (!output.has_rank) continue;
    for (std::size_t d = 0; d < output.shape.size(); ++d) {
      if (output.shape[d] != other.shape[d]) output.shape[d] = kUnknown;
    }
    if (output.length != other.length) output.length = kUnknown;
  }
  return outputs;
}

}  // namespace op::cond

ANEMONE_DEFINE_OP(cond) = {
    .name = "cond",
    .says = "what the first block gives if pred, else what the second gives",
    .inputs = op::cond::kInputs,
    .infer = op::cond::infer,
    .blocks = 2,
};

}  // namespace anemone::mil
