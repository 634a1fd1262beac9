#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::matmul {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kNumbers, .min_rank = 1, .domain = 'T'},
    {.name = "y", .dtypes = kNumbers, .min_rank = 1, .domain = 'T', .ios17_domain = 'U'},
    {.name = "transpose_x", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
    {.name = "transpose_y", .dtypes = kBools, .max_rank = 0, .is_const = true, .otherwise = false},
};
constexpr Opset kRevised[] = {Opset::kIos17};

// Both operands as matrices: batch extents, then rows and columns.
struct Matrices {
  Shape x_batch, y_batch, batch;
  std::int64_t rows = 0, inner = 0, columns = 0;
  bool drop_rows = false, drop_columns = false;  // an operand was a vector
};

Matrices matrices(const Call& call) {
  Shape x = call.shape("x");
  Shape y = call.shape("y");
  Matrices m;
  m.drop_rows = x.size() == 1;
  m.drop_columns = y.size() == 1;
  // A vector's transpose means nothing.
  // Source: coremltools 9.0, mil/ops/defs/iOS15/linear.py.
  if (m.drop_rows && call.boolean("transpose_x")) {
    call.fail("transposes 'x', which has rank 1");
  }
  if (m.drop_rows) x.insert(x.begin(), 1);
  if (m.drop_columns) y.push_back(1);
  if (call.boolean("transpose_x")) std::swap(x[x.size() - 1], x[x.size() - 2]);
  if (call.boolean("transpose_y") && !m.drop_columns) {
    std::swap(y[y.size() - 1], y[y.size() - 2]);
  }
  m.rows = x[x.size() - 2];
  m.inner = x[x.size() - 1];
  m.columns = y[y.size() - 1];
  m.x_batch.assign(x.begin(), x.end() - 2);
  m.y_batch.assign(y.begin(), y.end() - 2);
  const auto batch = broadcast(m.x_batch, m.y_batch);
  if (!may_equal(m.inner, y[y.size() - 2]) || !batch) {
    call.fail("cannot multiply x, " + anemone::to_string(call.shape("x")) +
              (call.boolean("transpose_x") ? " transposed" : "") + ", with y, " +
              anemone::to_string(call.shape("y")) +
              (call.boolean("transpose_y") ? " transposed" : ""));
  }
  m.batch = *batch;
  return m;
}

bool is_fixed(const Call& call, std::string_view parameter) {
  const Argument& argument = call.arguments(parameter).front();
  return argument.value != nullptr || argument.is_folded;
}

// Of two dtypes, that of the operand that is no constant.
// Source: coremltools 9.0, mil/ops/defs/iOS17/linear.py.
DType output_dtype(const Call& call) {
  const DType x = call.dtype("x");
  const DType y = call.dtype("y");
  if (x == y) return x;
  const bool x_fixed = is_fixed(call, "x");
  if (x_fixed == is_fixed(call, "y")) return promoted(x, y);
  return x_fixed ? y : x;
}

std::vector<Type> infer(const Call& call) {
  const Matrices m = matrices(call);
  Shape shape = m.batch;
  if (!m.drop_rows) shape.push_back(m.rows);
  if (!m.drop_columns) shape.push_back(m.columns);
  return {Type::tensor(output_dtype(call), shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Call known = resolved(call);
  const Type type = infer(known).front();
  const Matrices m = matrices(known);
  const std::vector<double> x = call.tensor("x").to_doubles();
  const std::vector<double> y = call.tensor("y").to_doubles();
  const bool turn_x = call.boolean("transpose_x");
  const bool turn_y = call.boolean("transpose_y") && !m.drop_columns;
  std::vector<double> z;
  for_each_pair(m.x_batch, m.y_batch, m.batch, [&](std::size_t i, std::size_t j) {
    const double* a = x.data() + i * static_cast<std::size_t>(m.rows * m.inner);
    const double* b = y.data() + j * static_cast<std::size_t>(m.inner * m.columns);
    for (std::int64_t r = 0; r < m.rows; ++r) {
      for (std::int64_t c = 0; c < m.columns; ++c) {
        double sum = 0;
        for (std::int64_t k = 0; k < m.inner; ++k) {
          sum += a[turn_x ? k * m.rows + r : r * m.inner + k] *
                 b[turn_y ? c * m.inner + k : k * m.columns + c];
        }
        z.push_back(sum);
      }
    }
  });
  return {Tensor::from_doubles(type.dtype, type.shape, z)};
}

}  // namespace op::matmul

ANEMONE_DEFINE_OP(matmul) = {
    .name = "matmul",
    .revised = op::matmul::kRevised,
    .says = "z = x y over the last two axes, the others broadcast",
    .inputs = op::matmul::kInputs,
    .infer = op::matmul::infer,
    .eval = op::matmul::eval,
};

}  // namespace anemone::mil
