#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::feature_floor_test {

constexpr Example kExamples[] = {
    {.fact = "R10",
     .ports = "state<f16[1,32]> kv",
     .statements = R"(f16[1,32] y = read_state(input = kv);)",
     .message = "read_state exists from ios18 on; the target is ios17",
     .target = "ios17"},
    {.fact = "R10",
     .ports = "state<f16[1,32]> kv",
     .statements = R"(f16[1,32] y = read_state(input = kv);)",
     .target = "macos15"},
};

}  // namespace rule::feature_floor_test

ANEMONE_RULE_EXAMPLES(feature_floor) = rule::feature_floor_test::kExamples;

}  // namespace anemone::lint
