#include "anemone/mil/ops/random.h"

namespace anemone::mil {
namespace op::random_categorical {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kFloats, .min_rank = 1},
    {.name = "mode",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("logits")},
    {.name = "size",
     .dtypes = kInt32,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::int64_t{1}},
    kSeed,
};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kModes[] = {"logits", "probs"};
  one_of(call, "mode", kModes);
  Type type = call.type("x");
  const std::int64_t size = call.integer("size");
  if (size < 1) call.fail("parameter 'size' is " + std::to_string(size));
  if (type.shape.back() == 0) call.fail("draws from no categories");
  type.shape.back() = size;
  return {type};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  const Tensor& x = call.tensor("x");
  const bool logits = call.text("mode") == "logits";
  const auto count = static_cast<std::size_t>(x.shape().back());
  const auto size = static_cast<std::size_t>(call.integer("size"));
  std::vector<double> weights = x.to_doubles();
  Random random(call);
  std::vector<double> y;
  for (std::size_t start = 0; start < weights.size(); start += count) {
    const std::span<double> line(weights.data() + start, count);
    if (logits) {
      const double top = *std::max_element(line.begin(), line.end());
      for (double& weight : line) weight = std::exp(weight - top);
    }
    double total = 0;
    for (const double weight : line) total += weight;
    for (std::size_t i = 0; i < size; ++i) {
      double left = random.uniform() * total;
      std::size_t choice = 0;
      while (choice + 1 < count && left >= line[choice]) left -= line[choice++];
      y.push_back(static_cast<double>(choice));
    }
  }
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::random_categorical

ANEMONE_DEFINE_OP(random_categorical) = {
    .name = "random_categorical",
    .says = "size indices along the last axis of x, drawn by its probabilities or their logits",
    .inputs = op::random_categorical::kInputs,
    .infer = op::random_categorical::infer,
    .eval = op::random_categorical::eval,
    .effect = Effect::kRandom,
};

}  // namespace anemone::mil
