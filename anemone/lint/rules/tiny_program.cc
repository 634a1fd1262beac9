#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::tiny_program {

constexpr std::string_view kFacts[] = {"O38"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "ask-meridian.uk, \"eligibility is not placement\" (tiny 0 of 77 ops, realistic 217 of 217)"},
    {Confidence::kMeasured,
     "videlalvaro/ane-book@4ab89e2, experiments/27 (floor of about 14 MB of int8)"},
    {Confidence::kMeasured, "vx-lang issues 436 and 437"},
    {Confidence::kMeasured, "aosama/astronomical issue 540"}};

void look_at_program(Check& check) {
  const std::uint64_t bytes = check.program().weight_bytes;
  if (bytes >= 14'000'000) return;
  check.report("the package holds " + megabytes(bytes) +
               " of weights: programs under about 14 MB were seen on the CPU");
}

}  // namespace rule::tiny_program

ANEMONE_DEFINE_RULE(tiny_program) = sourced(
    {.id = "tiny-program",
     .facts = rule::tiny_program::kFacts,
     .severity = Severity::kSilent,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "macOS 15 to 26"},
     .looks_at = "the weights of the package: under 14 MB",
     .says = "the planner sends small programs to the CPU, though every op of them is supported",
     .rewrite = "judge placement on a program of at least 20 MB, never on a tiny one",
     .sources = rule::tiny_program::kSources,
     .program = rule::tiny_program::look_at_program});

}  // namespace anemone::lint
