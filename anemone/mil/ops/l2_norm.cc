#include "anemone/mil/ops/epsilon.h"

namespace anemone::mil {
namespace op::l2_norm {

constexpr InputDef kInputs[] = {{.name = "x", .dtypes = kFloats, .min_rank = 3, .domain = 'T'},
                                free_epsilon_input(1e-6)};
constexpr Opset kRevised[] = {Opset::kIos17};

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const double small = epsilon(call);
  const auto size =
      static_cast<std::size_t>(element_count(Shape(x.shape().end() - 3, x.shape().end())));
  std::vector<double> y = x.to_doubles();
  for (std::size_t start = 0; start < y.size(); start += size) {
    double sum = small;
    for (std::size_t i = start; i < start + size; ++i) sum += y[i] * y[i];
    for (std::size_t i = start; i < start + size; ++i) y[i] /= std::sqrt(sum);
  }
  return {Tensor::from_doubles(x.dtype(), x.shape(), y)};
}

}  // namespace op::l2_norm

ANEMONE_DEFINE_OP(l2_norm) = {
    .name = "l2_norm",
    .revised = op::l2_norm::kRevised,
    .says = "y = x / sqrt(sum of x^2 + epsilon), the sum over the last three axes",
    .inputs = op::l2_norm::kInputs,
    .infer = op::infer_like_x,
    .eval = op::l2_norm::eval,
};

}  // namespace anemone::mil
