#include "anemone/lint/examples.h"

namespace anemone::lint {
namespace rule::narrow_ids_test {

constexpr Example kExamples[] = {
    {.fact = "T10",
     .ports = "i32[1] x",
     .statements =
         R"(
      i16[1] ids = cast(x = x, dtype = s("int16"));
      f16[1,1] y = gather(x = f16[32769,1](=1), indices = ids, axis = i32(0));)",
     .message = "ids of int16 cannot name all 32,769 rows"},
    {.fact = "T10",
     .ports = "i32[1] x",
     .statements = R"(f16[1,1] y = gather(x = f16[65537,1](=1), indices = x, axis = i32(0));)",
     .message = "ids of 65,537 rows: where the engine took the gather they were cast to 16 bits"},
    {.fact = "T10",
     .ports = "i32[1] x",
     .statements = R"(f16[1,1] y = gather(x = f16[65536,1](=1), indices = x, axis = i32(0));)"},
    {.fact = "T10",
     .ports = "i32[1] x",
     .statements =
         R"(
      i16[1] ids = cast(x = x, dtype = s("int16"));
      f16[1,1] y = gather(x = f16[32768,1](=1), indices = ids, axis = i32(0));)"},
};

}  // namespace rule::narrow_ids_test

ANEMONE_RULE_EXAMPLES(narrow_ids) = rule::narrow_ids_test::kExamples;

}  // namespace anemone::lint
