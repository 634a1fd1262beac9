#include "anemone/mil/ops/random.h"

namespace anemone::mil {
namespace op::random_bernoulli {

constexpr InputDef kInputs[] = {kRandomShape, distribution_input("prob", 0.5), kSeed};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kProbability[] = {"prob"};
  const double prob = call.number("prob");
  if (!(prob >= 0 && prob <= 1)) {
    call.fail("parameter 'prob' is " + std::to_string(prob) + "; allowed: 0 to 1");
  }
  return infer_random(call, kProbability);
}

std::vector<Tensor> eval(const Call& call) {
  const double prob = call.number("prob");
  return drawn(call, [&](Random& random) { return random.uniform() < prob ? 1.0 : 0.0; });
}

}  // namespace op::random_bernoulli

ANEMONE_DEFINE_OP(random_bernoulli) = {
    .name = "random_bernoulli",
    .says = "1 with probability prob, else 0",
    .inputs = op::random_bernoulli::kInputs,
    .infer = op::random_bernoulli::infer,
    .eval = op::random_bernoulli::eval,
    .effect = Effect::kRandom,
};

}  // namespace anemone::mil
