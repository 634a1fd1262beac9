#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::phone_layers_test {

constexpr Example kExamples[] = {
    {.fact = "W05",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] s0 = softmax(x = x, axis = i32(-1));
      f16[1,4] s1 = softmax(x = x, axis = i32(-1));
      f16[1,4] s2 = softmax(x = x, axis = i32(-1));
      f16[1,4] s3 = softmax(x = x, axis = i32(-1));
      f16[1,4] s4 = softmax(x = x, axis = i32(-1));
      f16[1,4] s5 = softmax(x = x, axis = i32(-1));
      f16[1,4] s6 = softmax(x = x, axis = i32(-1));
      f16[1,4] s7 = softmax(x = x, axis = i32(-1));
      f16[1,4] s8 = softmax(x = x, axis = i32(-1));
      f16[1,4] s9 = softmax(x = x, axis = i32(-1));
      f16[1,4] s10 = softmax(x = x, axis = i32(-1));
      f16[1,4] s11 = softmax(x = x, axis = i32(-1));
      f16[1,4] s12 = softmax(x = x, axis = i32(-1));
      f16[1,4] s13 = softmax(x = x, axis = i32(-1));
      f16[1,4] s14 = softmax(x = x, axis = i32(-1));
      f16[1,4] s15 = softmax(x = x, axis = i32(-1));
      f16[1,4] s16 = softmax(x = x, axis = i32(-1));
      f16[1,4] s17 = softmax(x = x, axis = i32(-1));
      f16[1,4] s18 = softmax(x = x, axis = i32(-1));
      f16[1,4] s19 = softmax(x = x, axis = i32(-1));
      f16[1,4] s20 = softmax(x = x, axis = i32(-1));
      f16[1,4] s21 = softmax(x = x, axis = i32(-1));
      f16[1,4] s22 = softmax(x = x, axis = i32(-1));
      f16[1,4] s23 = softmax(x = x, axis = i32(-1));
      f16[1,4] y = relu(x = s0);)",
     .message = "about 24 layers in one program"},
    {.fact = "W05",
     .ports = "f16[1,4] x",
     .statements =
         R"(
      f16[1,4] s0 = softmax(x = x, axis = i32(-1));
      f16[1,4] s1 = softmax(x = x, axis = i32(-1));
      f16[1,4] s2 = softmax(x = x, axis = i32(-1));
      f16[1,4] s3 = softmax(x = x, axis = i32(-1));
      f16[1,4] s4 = softmax(x = x, axis = i32(-1));
      f16[1,4] s5 = softmax(x = x, axis = i32(-1));
      f16[1,4] s6 = softmax(x = x, axis = i32(-1));
      f16[1,4] s7 = softmax(x = x, axis = i32(-1));
      f16[1,4] s8 = softmax(x = x, axis = i32(-1));
      f16[1,4] s9 = softmax(x = x, axis = i32(-1));
      f16[1,4] s10 = softmax(x = x, axis = i32(-1));
      f16[1,4] s11 = softmax(x = x, axis = i32(-1));
      f16[1,4] s12 = softmax(x = x, axis = i32(-1));
      f16[1,4] s13 = softmax(x = x, axis = i32(-1));
      f16[1,4] s14 = softmax(x = x, axis = i32(-1));
      f16[1,4] s15 = softmax(x = x, axis = i32(-1));
      f16[1,4] s16 = softmax(x = x, axis = i32(-1));
      f16[1,4] s17 = softmax(x = x, axis = i32(-1));
      f16[1,4] s18 = softmax(x = x, axis = i32(-1));
      f16[1,4] s19 = softmax(x = x, axis = i32(-1));
      f16[1,4] s20 = softmax(x = x, axis = i32(-1));
      f16[1,4] s21 = softmax(x = x, axis = i32(-1));
      f16[1,4] s22 = softmax(x = x, axis = i32(-1));
      f16[1,4] y = relu(x = s0);)"},
};

}  // namespace rule::phone_layers_test

ANEMONE_RULE_EXAMPLES(phone_layers) = rule::phone_layers_test::kExamples;

}  // namespace anemone::lint
