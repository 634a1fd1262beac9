#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::fp32_program {

constexpr std::string_view kFacts[] = {"T01"};
constexpr Source kSources[] = {{Confidence::kApple, from::kTypedExecution},
                               {Confidence::kMeasured,
                                "jafreck/ironmill@a750b7d (fp32 MobileNetV2: CPU_AND_NE 5.3 ms, "
                                "CPU_ONLY 5.3 ms, fp16 0.5 ms)"}};

void look_at_function(Check& check) {
  const std::uint64_t wide = check.function().fp32_ops();
  if (wide == 0 || check.function().has_half_op()) return;
  check.report("all " + counted(wide, "floating-point op") +
               " are typed fp32: the Neural Engine is barred");
}

}  // namespace rule::fp32_program

ANEMONE_DEFINE_RULE(fp32_program) =
    sourced({.id = "fp32-program",
             .facts = rule::fp32_program::kFacts,
             .severity = Severity::kBarred,
             .confidence = Confidence::kApple,
             .looks_at = "floating-point ops of a function",
             .says = "a function whose arithmetic is all fp32 never runs on the Neural Engine, "
                     "whatever compute units are asked for",
             .rewrite = "type the program fp16 (compute_precision FLOAT16)",
             .sources = rule::fp32_program::kSources,
             .function = rule::fp32_program::look_at_function});

}  // namespace anemone::lint
