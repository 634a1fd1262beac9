#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::phone_size {

constexpr std::string_view kFacts[] = {"W01"};
constexpr Source kSources[] = {
    {Confidence::kApple, "apple/coremltools, docs-guides/source/mlmodel-utilities.md"},
    {Confidence::kApple, "apple/ml-stable-diffusion, README (--chunk-unet)"},
    {Confidence::kApple,
     "apple/coreai-models@86b363d, working-with-coreai/references/guidance.md (2 GB, OS 27)"}};

void look_at_program(Check& check) {
  const std::uint64_t bytes = check.program().weight_bytes;
  if (bytes > 1'000'000'000)
    check.report("the package holds " + megabytes(bytes) +
                 " of weights; iPhones were documented to take 1 GB");
}

}  // namespace rule::phone_size

ANEMONE_DEFINE_RULE(phone_size) = sourced(
    {.id = "phone-size",
     .facts = rule::phone_size::kFacts,
     .severity = Severity::kRejected,
     .confidence = Confidence::kApple,
     .scope = {.says = "iPhones (2 GB in the text for OS 27)", .devices = Scope::Devices::kPhones},
     .looks_at = "the size of the weights: over 1 GB",
     .says = "a package of more than 1 GB is refused on iPhones",
     .rewrite = "cut it into packages",
     .sources = rule::phone_size::kSources,
     .program = rule::phone_size::look_at_program});

}  // namespace anemone::lint
