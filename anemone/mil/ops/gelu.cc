#include "anemone/mil/ops/elementwise.h"

namespace anemone::mil {
namespace op::gelu {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats},
    {.name = "mode",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("EXACT")},
};

constexpr std::string_view kModes[] = {"EXACT", "TANH_APPROXIMATION", "SIGMOID_APPROXIMATION"};

std::vector<Type> infer(const Call& call) {
  one_of(call, "mode", kModes);
  return {call.type("x")};
}

double exact(double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); }

double by_tanh(double x) {
  return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x)));
}

double by_sigmoid(double x) { return x / (1 + std::exp(-1.702 * x)); }

std::vector<Tensor> eval(const Call& call) {
  const std::string mode = one_of(call, "mode", kModes);
  return {mapped(call.tensor("x"), mode == "EXACT"                ? exact
                                   : mode == "TANH_APPROXIMATION" ? by_tanh
                                                                  : by_sigmoid)};
}

}  // namespace op::gelu

ANEMONE_DEFINE_OP(gelu) = {
    .name = "gelu",
    .says =
        "y = x (1 + erf(x / sqrt(2))) / 2; by tanh: x (1 + tanh(sqrt(2 / pi) (x + 0.044715 "
        "x^3))) / 2; by sigmoid: x / (1 + e^(-1.702 x))",
    .inputs = op::gelu::kInputs,
    .infer = op::gelu::infer,
    .eval = op::gelu::eval,
    .unranked = true,
};

}  // namespace anemone::mil
