#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::program_size {

constexpr std::string_view kFacts[] = {"W04"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeLlm},
                               {Confidence::kMeasured, from::kIronmillConstraints}};

void look_at_program(Check& check) {
  const std::uint64_t bytes = check.program().weight_bytes;
  if (bytes > 2'000'000'000)
    check.report("the package holds " + megabytes(bytes) +
                 " of weights; the private route takes about 2 GB");
}

}  // namespace rule::program_size

ANEMONE_DEFINE_RULE(program_size) = sourced(
    {.id = "program-size",
     .facts = rule::program_size::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kConflict,
     .scope = {.says = "the private route"},
     .looks_at = "the size of the weights: over 2 GB",
     .says = "programs of the private route hold about 2 GB of weights, or 8 MB by another account",
     .rewrite = "cut it into packages",
     .disagreement =
         "ANEForge says about 2 GB a program, ironmill about 8 MB of fp16 a sub-program",
     .sources = rule::program_size::kSources,
     .is_direct = true,
     .program = rule::program_size::look_at_program});

}  // namespace anemone::lint
