#include "anemone/engine/kernels/product_kernel.h"

namespace anemone::engine {
namespace {

// An operand as [batch..., rows, columns].
View as_matrices(const View& view, bool is_left, bool transposes) {
  View m = view;
  if (m.shape.size() == 1) {
    const auto at = is_left ? m.shape.begin() : m.shape.end();
    const auto stride_at = is_left ? m.strides.begin() : m.strides.end();
    m.shape.insert(at, 1);
    m.strides.insert(stride_at, 0);
    return m;
  }
  if (transposes) {
    std::swap(m.shape[m.shape.size() - 1], m.shape[m.shape.size() - 2]);
    std::swap(m.strides[m.strides.size() - 1], m.strides[m.strides.size() - 2]);
  }
  return m;
}

struct Matrix {
  std::int64_t rows, columns, row, column;  // extents and strides
};
Matrix matrix_of(const View& view) {
  const std::size_t rank = view.shape.size();
  return {view.shape[rank - 2], view.shape[rank - 1], view.strides[rank - 2],
          view.strides[rank - 1]};
}

// True if a product can read the matrix: it runs without gaps along one of its axes.
bool is_readable(const Matrix& m) {
  return m.row == 1 || m.column == 1 || m.rows == 1 || m.columns == 1;
}

std::unique_ptr<Kernel> plan(Lowering& l) {
  const mil::Type& type = l.output_type();
  if (!is_float(type.dtype) || !is_float(l.value("x").type.dtype) ||
      !is_float(l.value("y").type.dtype) || element_count(type.shape) == 0) {
    return nullptr;
  }
  const bool turn_x = l.call().boolean("transpose_x");
  const bool turn_y = l.call().boolean("transpose_y");
  View x = as_matrices(l.view("x"), true, turn_x);
  View y = as_matrices(l.view("y"), false, turn_y);
  if (!is_readable(matrix_of(x))) x = as_matrices(l.dense("x"), true, turn_x);
  if (!is_readable(matrix_of(y))) y = as_matrices(l.dense("y"), false, turn_y);
  const Matrix b = matrix_of(y);
  const bool y_along_k = b.row == 1 || b.rows == 1;
  // The factor that streams must run along k; if neither does, x is turned.
  const auto along_k = [](const Matrix& m) { return m.column == 1 || m.columns == 1; };
  if (!along_k(matrix_of(x)) && !y_along_k) x = l.rearranged(x);
  Matrix a = matrix_of(x);
  // Batch axes, both operands stretched to the output's.
  Shape batch(type.shape.begin(), type.shape.end());
  batch.resize(std::max(x.shape.size(), y.shape.size()) - 2);
  const auto batch_view = [&](const View& view) {
    View out = view;
    out.shape.resize(view.shape.size() - 2);
    out.strides.resize(view.shape.size() - 2);
    return stretched(out, batch);
  };
  Shape x_batch = batch_view(x);
  Shape y_batch = batch_view(y);
  Shape z_strides = row_major_strides(batch);
  for (std::int64_t& stride : z_strides) stride *= a.rows * b.columns;
  // Rows of x that all meet one y are one matrix. Not if y says of itself that it is several,
  // though they lie in one place (keys for several heads): attention takes those apart, and must do
  // as we do.
  const std::size_t lacks = batch.size() + 2 - y.shape.size();
  const auto is_one = [&](std::size_t axis) { return axis < lacks || y.shape[axis - lacks] == 1; };
  while (!batch.empty() &&
         ((y_batch.back() == 0 && is_one(batch.size() - 1)) || batch.back() == 1) &&
         (batch.back() == 1 || a.rows == 1 || x_batch.back() == a.rows * a.row)) {
    if (batch.back() != 1) {
      if (a.rows == 1) a.row = x_batch.back();
      a.rows *= batch.back();
    }
    batch.pop_back();
    x_batch.pop_back();
    y_batch.pop_back();
    z_strides.pop_back();
  }

  // z = x y as it stands, or its transpose y^T x^T: whichever has a left factor that is contiguous
  // along k, and then whichever streams the larger factor as it lies.
  Product p;
  p.k = a.columns;
  p.rounds = l.rounds();
  const bool turns = y_along_k && (!along_k(a) || b.columns >= a.rows);
  if (turns) {
    p.m = b.columns;
    p.n = a.rows;
    p.w_row = b.column;
    p.w_stored = y.stored;
    p.x_stored = x.stored;
    p.x_k = a.column;
    p.x_n = a.row;
    p.y_m = 1;
    p.y_n = b.columns;
  } else {
    p.m = a.rows;
    p.n = b.columns;
    p.w_row = a.row;
    p.w_stored = x.stored;
    p.x_stored = y.stored;
    p.x_k = b.row;
    p.x_n = b.column;
    p.y_m = b.columns;
    p.y_n = 1;
  }
  std::vector<ProductPlace> places;
  const std::int64_t x_bytes = width_bits(x.stored) / 8;
  const std::int64_t y_bytes = width_bits(y.stored) / 8;
  for (std::int64_t i = 0; i < element_count(batch); ++i) {
    std::int64_t rest = i, x_at = 0, y_at = 0, z_at = 0;
    for (std::size_t axis = batch.size(); axis-- > 0;) {
      const std::int64_t index = rest % batch[axis];
      rest /= batch[axis];
      x_at += index * x_batch[axis];
      y_at += index * y_batch[axis];
      z_at += index * z_strides[axis];
    }
    ProductPlace place{x_at * x_bytes, y_at * y_bytes,
                       z_at * static_cast<std::int64_t>(sizeof(float))};
    if (turns) std::swap(place.w, place.x);
    places.push_back(place);
  }
  const ProductPlan plan(p);
  ProductOperands at;
  at.w = l.read(turns ? y : x);
  at.x = l.read(turns ? x : y);
  const std::size_t scratch = ProductKernel::scratch_bytes(plan, places.size());
  if (scratch > 0) at.scratch = l.scratch(scratch);
  at.y = l.write();
  return std::make_unique<ProductKernel>(plan, std::move(places), at);
}

constexpr std::string_view kOps[] = {"matmul"};

}  // namespace

ANEMONE_DEFINE_KERNEL(matmul) = {.name = "matmul", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
