#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::address_space {

constexpr std::string_view kFacts[] = {"W03"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kMoreAne},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, experiments/26"}};

void look_at_program(Check& check) {
  const std::uint64_t bytes = check.program().weight_bytes;
  if (bytes > 3'000'000'000)
    check.report("the package holds " + megabytes(bytes) +
                 " of weights; a process has about 3 to 3.75 GB of address space on the engine");
}

}  // namespace rule::address_space

ANEMONE_DEFINE_RULE(address_space) =
    sourced({.id = "address-space",
             .facts = rule::address_space::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M1, M4 Max"},
             .looks_at = "the size of the weights: over 3 GB",
             .says = "a process has about 3 to 3.75 GB of the engine's address space",
             .rewrite = "cut it into packages and unload what is not in use",
             .sources = rule::address_space::kSources,
             .program = rule::address_space::look_at_program});

}  // namespace anemone::lint
