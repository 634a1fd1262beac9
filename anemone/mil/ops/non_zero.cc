#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::non_zero {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kMovable}};

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const std::vector<double> values = x.to_doubles();
  std::vector<std::int64_t> rows;
  std::size_t next = 0;
  std::int64_t count = 0;
  for_each_index(x.shape(), [&](const Shape& index) {
    if (values[next++] == 0) return;
    ++count;
    rows.insert(rows.end(), index.begin(), index.end());
  });
  return {Tensor::from_ints(DType::kI32, {count, x.rank()}, rows)};
}

std::vector<Type> infer(const Call& call) {
  const Tensor* x = call.find_tensor("x");
  std::int64_t count = kUnknown;
  if (x != nullptr) {
    const std::vector<double> values = x->to_doubles();
    count = std::count_if(values.begin(), values.end(), [](double v) { return v != 0; });
  }
  return {Type::tensor(DType::kI32, {count, call.type("x").rank()})};
}

}  // namespace op::non_zero

ANEMONE_DEFINE_OP(non_zero) = {
    .name = "non_zero",
    .says = "the indices of the elements that are not 0, one a row",
    .inputs = op::non_zero::kInputs,
    .infer = op::non_zero::infer,
    .eval = op::non_zero::eval,
};

}  // namespace anemone::mil
