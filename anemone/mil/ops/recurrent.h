#pragma once

#include "anemone/mil/ops/elements.h"

// What rnn, gru and lstm share. x is [S, B, I]; gates are stacked along the rows of the weights.
namespace anemone::mil::op {

constexpr InputDef recurrent_input(std::string_view parameter, int rank, bool is_const,
                                   bool is_optional) {
  return {.name = parameter,
          .dtypes = bit(DType::kF32),
          .min_rank = rank,
          .max_rank = rank,
          .is_const = is_const,
          .is_optional = is_optional,
          .domain = 'T',
          .ios17_dtypes = kFloats};
}

constexpr InputDef word_input(std::string_view parameter, std::string_view otherwise) {
  return {.name = parameter,
          .dtypes = kStrings,
          .max_rank = 0,
          .is_const = true,
          .otherwise = otherwise};
}

inline constexpr InputDef kOutputSequence = {.name = "output_sequence",
                                             .dtypes = kBools,
                                             .max_rank = 0,
                                             .is_const = true,
                                             .otherwise = false};

using Scalar = double (*)(double);

// hard_sigmoid and scaled_tanh have the constants that Core ML's layers have by default; under
// those scaled_tanh is tanh.
// Source: coremltools 9.0, mil/ops/tests/iOS14/test_recurrent.py (_apply_act).
inline Scalar scalar_activation(const Call& call, std::string_view parameter) {
  std::string word = call.text(parameter);
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word == "tanh" || word == "scaled_tanh") return [](double x) { return std::tanh(x); };
  if (word == "sigmoid") return [](double x) { return 1 / (1 + std::exp(-x)); };
  if (word == "hard_sigmoid" || word == "sigmoid_hard") {
    return [](double x) { return std::clamp(0.2 * x + 0.5, 0.0, 1.0); };
  }
  if (word == "relu") return [](double x) { return x < 0 ? 0 : x; };
  if (word == "linear") return [](double x) { return x; };
  call.fail("parameter '" + std::string(parameter) + "' is '" + call.text(parameter) +
            "'; allowed: tanh, scaled_tanh, sigmoid, hard_sigmoid, relu, linear");
}

// Checks [gates H, I], [gates H, H] and what hangs on them; gives H.
inline std::int64_t hidden_size(const Call& call, std::int64_t gates, std::string_view weight_ih,
                                std::string_view weight_hh) {
  const std::int64_t size = call.shape(weight_hh)[1];
  if (size < 1) {
    call.fail("parameter '" + std::string(weight_hh) + "' has shape " +
              anemone::to_string(call.shape(weight_hh)));
  }
  const std::int64_t rows = times(call, gates, size);
  require_shape(call, weight_hh, {rows, size});
  require_shape(call, weight_ih, {rows, call.shape("x")[2]});
  return size;
}

// An initial state holds a row for every element of the batch; rows behind these are not read.
// coremltools asks for no number of rows, and writes one a step where a packed sequence is batch
// first, which Core ML runs.
// Source: coremltools 9.0, torch/test/test_torch_ops.py (TestLSTMWithPackedSequence).
inline void require_initial(const Call& call, std::string_view parameter, std::int64_t width) {
  const std::int64_t batch = call.shape("x")[1];
  const std::int64_t rows = call.shape(parameter)[0];
  const bool is_enough = rows == kUnknown || batch == kUnknown || rows >= batch;
  require_shape(call, parameter, {is_enough ? rows : batch, width});
}

// The weights of one direction in double, rows of one gate after those of another.
struct Cell {
  std::size_t inputs = 0;
  std::size_t hidden = 0;
  std::vector<double> weight_ih, weight_hh, bias;  // bias may be empty

  // Row `row` of weight_ih times x, and of weight_hh times h.
  double from_input(std::size_t row, const double* x) const {
    double sum = 0;
    for (std::size_t i = 0; i < inputs; ++i) sum += weight_ih[row * inputs + i] * x[i];
    return sum;
  }
  double from_hidden(std::size_t row, const double* h) const {
    double sum = 0;
    for (std::size_t i = 0; i < hidden; ++i) sum += weight_hh[row * hidden + i] * h[i];
    return sum;
  }
  double offset(std::size_t row) const { return bias.empty() ? 0 : bias[row]; }
};

inline Cell cell_of(const Call& call, const std::string& suffix) {
  Cell cell;
  const Tensor& ih = call.tensor("weight_ih" + suffix);
  cell.inputs = static_cast<std::size_t>(ih.shape()[1]);
  cell.hidden = static_cast<std::size_t>(call.tensor("weight_hh" + suffix).shape()[1]);
  cell.weight_ih = ih.to_doubles();
  cell.weight_hh = call.tensor("weight_hh" + suffix).to_doubles();
  const Tensor* bias = call.find_tensor("bias" + suffix);
  if (bias != nullptr) cell.bias = bias->to_doubles();
  return cell;
}

// [S or 1, B, width] and [B, width], as many of the latter as there are states.
inline std::vector<Type> recurrent_types(const Call& call, std::int64_t width, std::size_t states) {
  const Type& x = call.type("x");
  const Shape state = {x.shape[1], width};
  const std::int64_t steps = call.boolean("output_sequence") ? x.shape[0] : 1;
  if (x.shape[0] == 0) call.fail("parameter 'x' has no steps");
  std::vector<Type> types = {Type::tensor(x.dtype, {steps, x.shape[1], width})};
  types.insert(types.end(), states, Type::tensor(x.dtype, state));
  return types;
}

// The outputs of an op of one direction and one state, `step(x, h, next)` giving the next hidden
// values. A reverse sequence comes out in the order in which it was read, last element first.
// Source: coremltools 9.0, mil/ops/tests/iOS14/test_recurrent.py.
template <typename Step>
std::vector<Tensor> unrolled(const Call& call, const std::vector<Type>& types, std::size_t hidden,
                             Step step) {
  const std::vector<double> x = call.tensor("x").to_doubles();
  const Shape& shape = call.tensor("x").shape();
  const auto steps = static_cast<std::size_t>(shape[0]);
  const auto batch = static_cast<std::size_t>(shape[1]);
  const auto inputs = static_cast<std::size_t>(shape[2]);
  const bool reverse = call.text("direction") == "reverse";
  std::vector<double> h = call.tensor("initial_h").to_doubles();
  h.resize(batch * hidden);
  std::vector<double> next(h.size());
  std::vector<double> sequence;
  for (std::size_t s = 0; s < steps; ++s) {
    const std::size_t from = reverse ? steps - 1 - s : s;
    for (std::size_t b = 0; b < batch; ++b) {
      step(x.data() + (from * batch + b) * inputs, h.data() + b * hidden, next.data() + b * hidden);
    }
    h = next;
    if (types[0].shape[0] == 1 && s + 1 < steps) continue;
    sequence.insert(sequence.end(), h.begin(), h.end());
  }
  return {Tensor::from_doubles(types[0].dtype, types[0].shape, sequence),
          Tensor::from_doubles(types[1].dtype, types[1].shape, h)};
}

inline void check_direction(const Call& call) {
  constexpr std::string_view kDirections[] = {"forward", "reverse"};
  one_of(call, "direction", kDirections);
}

}  // namespace anemone::mil::op
