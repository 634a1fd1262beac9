#include "anemone/mil/ops/random.h"

namespace anemone::mil {
namespace op::random_normal {

constexpr InputDef kInputs[] = {kRandomShape, distribution_input("mean", 0.0),
                                distribution_input("stddev", 1.0), kSeed};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kMoments[] = {"mean", "stddev"};
  return infer_random(call, kMoments);
}

std::vector<Tensor> eval(const Call& call) {
  const double mean = call.number("mean");
  const double deviation = call.number("stddev");
  return drawn(call, [&](Random& random) { return mean + deviation * random.normal(); });
}

}  // namespace op::random_normal

ANEMONE_DEFINE_OP(random_normal) = {
    .name = "random_normal",
    .says = "numbers drawn from the normal distribution of mean and stddev",
    .inputs = op::random_normal::kInputs,
    .infer = op::random_normal::infer,
    .eval = op::random_normal::eval,
    .effect = Effect::kRandom,
};

}  // namespace anemone::mil
