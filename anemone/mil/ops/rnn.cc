#include "anemone/mil/ops/recurrent.h"

namespace anemone::mil {
namespace op::rnn {

constexpr InputDef kInputs[] = {
    recurrent_input("x", 3, false, false),
    recurrent_input("initial_h", 2, false, false),
    recurrent_input("weight_ih", 2, true, false),
    recurrent_input("weight_hh", 2, true, false),
    recurrent_input("bias", 1, true, true),
    word_input("direction", "forward"),
    kOutputSequence,
    word_input("activation", "tanh"),
};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Type> infer(const Call& call) {
  check_direction(call);
  scalar_activation(call, "activation");
  const std::int64_t size = hidden_size(call, 1, "weight_ih", "weight_hh");
  if (call.has("bias")) require_shape(call, "bias", {size});
  require_initial(call, "initial_h", size);
  return recurrent_types(call, size, 1);
}

std::vector<Tensor> eval(const Call& call) {
  const std::vector<Type> types = infer(resolved(call));
  const Cell cell = cell_of(call, "");
  const Scalar activation = scalar_activation(call, "activation");
  return unrolled(call, types, cell.hidden, [&](const double* x, const double* h, double* next) {
    for (std::size_t i = 0; i < cell.hidden; ++i) {
      next[i] = activation(cell.from_input(i, x) + cell.from_hidden(i, h) + cell.offset(i));
    }
  });
}

}  // namespace op::rnn

ANEMONE_DEFINE_OP(rnn) = {
    .name = "rnn",
    .revised = op::rnn::kRevised,
    .says =
        "h = activation(weight_ih x + weight_hh h + bias), step by step; gives the steps (or "
        "the last) and the last",
    .inputs = op::rnn::kInputs,
    .infer = op::rnn::infer,
    .eval = op::rnn::eval,
};

}  // namespace anemone::mil
