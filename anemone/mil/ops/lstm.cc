#include "anemone/mil/ops/recurrent.h"

namespace anemone::mil {
namespace op::lstm {

// Gates in the order i, f, o, z; peepholes i, f, o.
constexpr InputDef kInputs[] = {
    recurrent_input("x", 3, false, false),
    recurrent_input("initial_h", 2, false, false),
    recurrent_input("initial_c", 2, false, false),
    recurrent_input("weight_ih", 2, true, false),
    recurrent_input("weight_hh", 2, true, false),
    recurrent_input("bias", 1, true, true),
    recurrent_input("peephole", 1, true, true),
    recurrent_input("weight_ih_back", 2, true, true),
    recurrent_input("weight_hh_back", 2, true, true),
    recurrent_input("bias_back", 1, true, true),
    recurrent_input("peephole_back", 1, true, true),
    word_input("direction", "forward"),
    kOutputSequence,
    word_input("recurrent_activation", "sigmoid"),
    word_input("cell_activation", "tanh"),
    word_input("activation", "tanh"),
    recurrent_input("clip", 0, true, true),
};
constexpr Opset kRevised[] = {Opset::kIos17};

bool is_bidirectional(const Call& call) { return call.text("direction") == "bidirectional"; }

std::int64_t checked_size(const Call& call, const std::string& suffix) {
  const std::int64_t size = hidden_size(call, 4, "weight_ih" + suffix, "weight_hh" + suffix);
  if (call.has("bias" + suffix)) require_shape(call, "bias" + suffix, {4 * size});
  if (call.has("peephole" + suffix)) require_shape(call, "peephole" + suffix, {3 * size});
  return size;
}

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kDirections[] = {"forward", "reverse", "bidirectional"};
  one_of(call, "direction", kDirections);
  for (const std::string_view parameter :
       {"recurrent_activation", "cell_activation", "activation"}) {
    scalar_activation(call, parameter);
  }
  const std::int64_t size = checked_size(call, "");
  std::int64_t width = size;
  if (is_bidirectional(call)) {
    if (checked_size(call, "_back") != size) {
      call.fail("has " + std::to_string(size) + " hidden values forward and others backward");
    }
    width *= 2;
  }
  require_initial(call, "initial_h", width);
  require_initial(call, "initial_c", width);
  return recurrent_types(call, width, 2);
}

// One direction: the hidden values of every step in the order of their making, and the last states.
struct Pass {
  std::vector<std::vector<double>> steps;
  std::vector<double> h, c;
};

// `offset`: where this direction's part of the initial states begins.
Pass run(const Call& call, const std::string& suffix, bool reverse, std::size_t offset) {
  const Cell cell = cell_of(call, suffix);
  const std::size_t n = cell.hidden;
  const Scalar gate = scalar_activation(call, "recurrent_activation");
  const Scalar cell_activation = scalar_activation(call, "cell_activation");
  const Scalar activation = scalar_activation(call, "activation");
  const Tensor* given = call.find_tensor("peephole" + suffix);
  const std::vector<double> peephole = given ? given->to_doubles() : std::vector<double>(3 * n);
  const double clip =
      call.has("clip") ? call.number("clip") : std::numeric_limits<double>::infinity();
  const std::vector<double> x = call.tensor("x").to_doubles();
  const auto steps = static_cast<std::size_t>(call.tensor("x").shape()[0]);
  const auto batch = static_cast<std::size_t>(call.tensor("x").shape()[1]);
  const auto stride = static_cast<std::size_t>(call.tensor("initial_h").shape()[1]);
  const std::vector<double> first_h = call.tensor("initial_h").to_doubles();
  const std::vector<double> first_c = call.tensor("initial_c").to_doubles();
  Pass pass;
  for (std::size_t b = 0; b < batch; ++b) {
    for (std::size_t i = 0; i < n; ++i) {
      pass.h.push_back(first_h[b * stride + offset + i]);
      pass.c.push_back(first_c[b * stride + offset + i]);
    }
  }
  for (std::size_t s = 0; s < steps; ++s) {
    const std::vector<double> before = pass.h;
    const std::size_t from = reverse ? steps - 1 - s : s;
    for (std::size_t b = 0; b < batch; ++b) {
      const double* input = x.data() + (from * batch + b) * cell.inputs;
      const double* h = before.data() + b * n;
      for (std::size_t i = 0; i < n; ++i) {
        const auto sum = [&](std::size_t row) {
          return cell.from_input(row, input) + cell.from_hidden(row, h) + cell.offset(row);
        };
        double& c = pass.c[b * n + i];
        const double in = gate(sum(i) + peephole[i] * c);
        const double forget = gate(sum(n + i) + peephole[n + i] * c);
        c = std::clamp(forget * c + in * cell_activation(sum(3 * n + i)), -clip, clip);
        const double out = gate(sum(2 * n + i) + peephole[2 * n + i] * c);
        pass.h[b * n + i] = out * activation(c);
      }
    }
    pass.steps.push_back(pass.h);
  }
  return pass;
}

std::vector<Tensor> eval(const Call& call) {
  const std::vector<Type> types = infer(resolved(call));
  if (call.has("clip") && !(call.number("clip") >= 0)) {
    call.fail("parameter 'clip' is " + std::to_string(call.number("clip")));
  }
  const auto batch = static_cast<std::size_t>(call.tensor("x").shape()[1]);
  const auto n = static_cast<std::size_t>(call.tensor("weight_hh").shape()[1]);
  std::vector<Pass> passes = {run(call, "", call.text("direction") == "reverse", 0)};
  const bool sequence = call.boolean("output_sequence");
  if (is_bidirectional(call)) {
    passes.push_back(run(call, "_back", true, n));
    // Side by side both directions are in the order of x; what is asked for alone is the last each
    // has made.
    // Source: coremltools 9.0, mil/ops/tests/iOS14/test_recurrent.py.
    if (sequence) std::reverse(passes[1].steps.begin(), passes[1].steps.end());
  }
  const std::size_t steps = passes[0].steps.size();
  std::vector<double> y, h, c;
  for (std::size_t s = sequence ? 0 : steps - 1; s < steps; ++s) {
    for (std::size_t b = 0; b < batch; ++b) {
      for (const Pass& pass : passes) {
        y.insert(y.end(), &pass.steps[s][b * n], &pass.steps[s][b * n] + n);
      }
    }
  }
  for (std::size_t b = 0; b < batch; ++b) {
    for (const Pass& pass : passes) {
      h.insert(h.end(), &pass.h[b * n], &pass.h[b * n] + n);
      c.insert(c.end(), &pass.c[b * n], &pass.c[b * n] + n);
    }
  }
  return {Tensor::from_doubles(types[0].dtype, types[0].shape, y),
          Tensor::from_doubles(types[1].dtype, types[1].shape, h),
          Tensor::from_doubles(types[2].dtype, types[2].shape, c)};
}

}  // namespace op::lstm

ANEMONE_DEFINE_OP(lstm) = {
    .name = "lstm",
    .revised = op::lstm::kRevised,
    .says =
        "c = f c + i cell_activation(W_z x + R_z h + b_z), h = o activation(c), step by step, "
        "i, f and o gates of x, h and c; gives the steps (or the last), the last h and c",
    .inputs = op::lstm::kInputs,
    .infer = op::lstm::infer,
    .eval = op::lstm::eval,
};

}  // namespace anemone::mil
