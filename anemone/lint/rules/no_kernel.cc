#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::no_kernel {

constexpr std::string_view kFacts[] = {"O13"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"argsort",
                                     "non_zero",
                                     "one_hot",
                                     "reverse_sequence",
                                     "sliding_windows",
                                     "random_bernoulli",
                                     "random_categorical",
                                     "random_normal",
                                     "random_uniform",
                                     "crop_resize"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::no_kernel

ANEMONE_DEFINE_RULE(no_kernel) = sourced(
    {.id = "no-kernel",
     .facts = rule::no_kernel::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .looks_at = "argsort, non_zero, one_hot, reverse_sequence, sliding_windows, random_bernoulli, "
                 "random_categorical, random_normal, random_uniform, crop_resize",
     .says = "these ops have no kernel",
     .rewrite = "do it on the host, or say it otherwise",
     .sources = rule::no_kernel::kSources,
     .moves = true,
     .ops = rule::no_kernel::kOps,
     .op = rule::no_kernel::look});

}  // namespace anemone::lint
