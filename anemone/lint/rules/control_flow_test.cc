#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::control_flow_test {

constexpr Example kExamples[] = {
    {.fact = "O14",
     .ports = "b x",
     .statements =
         R"(
      f16 y = cond(pred = x) { f16 p = const()[name = s("p"), val = f16(1)];
      } -> (p), { f16 q = const()[name = s("q"), val = f16(2)];
      } -> (q);)",
     .message = "cond has no kernel on the Neural Engine"},
    {.fact = "O14",
     .ports = "b x",
     .statements = R"(f16 y = select(cond = x, a = f16(1), b = f16(2));)"},
};

}  // namespace rule::control_flow_test

ANEMONE_RULE_EXAMPLES(control_flow) = rule::control_flow_test::kExamples;

}  // namespace anemone::lint
