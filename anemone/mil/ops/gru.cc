#include "anemone/mil/ops/recurrent.h"

namespace anemone::mil {
namespace op::gru {

constexpr InputDef later(InputDef input) {
  input.since = Opset::kIos18;
  return input;
}

// Gates in the order r, o, z.
constexpr InputDef kInputs[] = {
    recurrent_input("x", 3, false, false),
    recurrent_input("initial_h", 2, false, false),
    recurrent_input("weight_ih", 2, true, false),
    recurrent_input("weight_hh", 2, true, false),
    recurrent_input("bias", 1, true, true),
    word_input("direction", "forward"),
    kOutputSequence,
    word_input("recurrent_activation", "sigmoid"),
    word_input("activation", "tanh"),
    {.name = "reset_after",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .otherwise = false,
     .since = Opset::kIos18},
    later(recurrent_input("input_bias", 1, true, true)),
};
constexpr Opset kRevised[] = {Opset::kIos17, Opset::kIos18};

std::vector<Type> infer(const Call& call) {
  check_direction(call);
  scalar_activation(call, "recurrent_activation");
  scalar_activation(call, "activation");
  const std::int64_t size = hidden_size(call, 3, "weight_ih", "weight_hh");
  for (const std::string_view bias : {"bias", "input_bias"}) {
    if (call.has(bias)) require_shape(call, bias, {3 * size});
  }
  require_initial(call, "initial_h", size);
  return recurrent_types(call, size, 1);
}

// reset_after: r works on what weight_hh made of h, and `bias` belongs to that; else on h itself.
// Source: coremltools 9.0, mil/ops/tests/iOS14 and iOS18 test_recurrent.py.
std::vector<Tensor> eval(const Call& call) {
  const std::vector<Type> types = infer(resolved(call));
  const Cell cell = cell_of(call, "");
  const std::size_t n = cell.hidden;
  const Scalar gate = scalar_activation(call, "recurrent_activation");
  const Scalar activation = scalar_activation(call, "activation");
  const bool reset_after = call.boolean("reset_after");
  const Tensor* given = call.find_tensor("input_bias");
  const std::vector<double> input_bias = given ? given->to_doubles() : std::vector<double>(3 * n);
  std::vector<double> reset(n);
  std::vector<double> gated(n);
  return unrolled(call, types, n, [&](const double* x, const double* h, double* next) {
    const auto from_input = [&](std::size_t row) {
      return cell.from_input(row, x) + input_bias[row];
    };
    const auto from_hidden = [&](std::size_t row, const double* state) {
      return cell.from_hidden(row, state) + cell.offset(row);
    };
    for (std::size_t i = 0; i < n; ++i) {
      reset[i] = gate(from_input(i) + from_hidden(i, h));
      gated[i] = reset[i] * h[i];
    }
    for (std::size_t i = 0; i < n; ++i) {
      const double z = gate(from_input(2 * n + i) + from_hidden(2 * n + i, h));
      const double recalled =
          reset_after ? reset[i] * from_hidden(n + i, h) : from_hidden(n + i, gated.data());
      next[i] = (1 - z) * activation(from_input(n + i) + recalled) + z * h[i];
    }
  });
}

}  // namespace op::gru

ANEMONE_DEFINE_OP(gru) = {
    .name = "gru",
    .revised = op::gru::kRevised,
    .says =
        "h = (1 - z) activation(W_o x + R_o (r h) + b_o) + z h, step by step, r and z gates of "
        "x and h (reset_after: r (R_o h + b_o)); gives the steps (or the last) and the last",
    .inputs = op::gru::kInputs,
    .infer = op::gru::infer,
    .eval = op::gru::eval,
};

}  // namespace anemone::mil
