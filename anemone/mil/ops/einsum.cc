#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::einsum {

constexpr InputDef kInputs[] = {
    {.name = "values",
     .dtypes = kFloats,
     .min_rank = 3,
     .max_rank = 4,
     .is_variadic = true,
     .domain = 'T'},
    {.name = "equation", .dtypes = kStrings, .max_rank = 0, .is_const = true},
};

// The equation with its letters renamed in the order of their appearance: "abcd,adce->abce".
std::string renamed(const std::string& equation) {
  std::string letters;
  std::string result;
  for (const char c : equation) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (!is_letter) {
      if (c != ' ') result += c;
      continue;
    }
    if (letters.find(c) == std::string::npos) letters += c;
    const std::size_t place = letters.find(c);
    result += place < 26 ? static_cast<char>('a' + place) : '?';
  }
  return result;
}

// The two operands as [B, C, H, W] and [B, W, H, U], B being 1 for rank 3.
struct Operands {
  Shape x, y;
};

Operands operands(const Call& call) {
  const auto values = call.arguments("values");
  if (values.size() != 2) {
    call.fail("parameter 'values' has " + std::to_string(values.size()) + " values; expected 2");
  }
  Operands o{values[0].type.shape, values[1].type.shape};
  const std::string equation = call.text("equation");
  const std::string form = renamed(equation);
  // Source: coremltools 9.0, mil/ops/defs/iOS15/linear.py (the two equations there are).
  const bool is_four = form == "abcd,adce->abce";
  if ((!is_four && form != "abc,cbd->abd") || o.x.size() != (is_four ? 4u : 3u) ||
      o.y.size() != o.x.size()) {
    call.fail("has equation '" + equation + "' on ranks " + std::to_string(o.x.size()) + " and " +
              std::to_string(o.y.size()) +
              "; allowed: nchw,nwhu->nchu on rank 4, chw,whr->chr on rank 3");
  }
  if (!is_four) {
    o.x.insert(o.x.begin(), 1);
    o.y.insert(o.y.begin(), 1);
  }
  return o;
}

Shape joined_shape(const Call& call, const Operands& o) {
  const auto batch = broadcast(std::span(o.x).first(1), std::span(o.y).first(1));
  const auto height = broadcast(std::span(o.x).subspan(2, 1), std::span(o.y).subspan(2, 1));
  if (!batch || !height || !may_equal(o.x[3], o.y[1])) {
    call.fail("cannot multiply " + anemone::to_string(call.arguments("values")[0].type.shape) +
              " with " + anemone::to_string(call.arguments("values")[1].type.shape) + " as '" +
              call.text("equation") + "'");
  }
  return {batch->front(), o.x[1], height->front(), o.y[3]};
}

std::vector<Type> infer(const Call& call) {
  Shape shape = joined_shape(call, operands(call));
  const Type& first = call.arguments("values")[0].type;
  if (first.rank() == 3) shape.erase(shape.begin());
  return {Type::tensor(first.dtype, shape)};
}

std::vector<Tensor> eval(const Call& call) {
  const Call known = resolved(call);
  const Type type = infer(known).front();
  const Operands o = operands(known);
  const Shape shape = joined_shape(known, o);
  const std::vector<double> x = call.arguments("values")[0].value->to_doubles();
  const std::vector<double> y = call.arguments("values")[1].value->to_doubles();
  Shape x_strides = row_major_strides(o.x);
  Shape y_strides = row_major_strides(o.y);
  for (const std::size_t axis : {0u, 2u}) {
    if (o.x[axis] == 1) x_strides[axis] = 0;
    if (o.y[axis] == 1) y_strides[axis] = 0;
  }
  std::vector<double> z;
  for_each_index(shape, [&](const Shape& at) {
    double sum = 0;
    for (std::int64_t w = 0; w < o.x[3]; ++w) {
      const std::int64_t i = dot(Shape{at[0], at[1], at[2], w}, x_strides);
      const std::int64_t j = dot(Shape{at[0], w, at[2], at[3]}, y_strides);
      sum += x[static_cast<std::size_t>(i)] * y[static_cast<std::size_t>(j)];
    }
    z.push_back(sum);
  });
  return {Tensor::from_doubles(type.dtype, type.shape, z)};
}

}  // namespace op::einsum

ANEMONE_DEFINE_OP(einsum) = {
    .name = "einsum",
    .says =
        "z[n, c, h, u] = sum over w of x[n, c, h, w] y[n, w, h, u]; n and h broadcast, n may be "
        "absent",
    .inputs = op::einsum::kInputs,
    .infer = op::einsum::infer,
    .eval = op::einsum::eval,
};

}  // namespace anemone::mil
