#include "anemone/mil/ops/random.h"

namespace anemone::mil {
namespace op::random_uniform {

constexpr InputDef kInputs[] = {kRandomShape, distribution_input("low", 0.0),
                                distribution_input("high", 1.0), kSeed};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kBounds[] = {"low", "high"};
  return infer_random(call, kBounds);
}

std::vector<Tensor> eval(const Call& call) {
  const double low = call.number("low");
  const double high = call.number("high");
  return drawn(call, [&](Random& random) { return low + (high - low) * random.uniform(); });
}

}  // namespace op::random_uniform

ANEMONE_DEFINE_OP(random_uniform) = {
    .name = "random_uniform",
    .says = "numbers drawn evenly from low up to high",
    .inputs = op::random_uniform::kInputs,
    .infer = op::random_uniform::infer,
    .eval = op::random_uniform::eval,
    .effect = Effect::kRandom,
};

}  // namespace anemone::mil
