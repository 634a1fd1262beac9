#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::mac_size {

constexpr std::string_view kFacts[] = {"W02"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "videlalvaro/ane-book@4ab89e2, 04, experiments/26, journal/055 and 109 (M4 Max)"},
    {Confidence::kMeasured, from::kDecodeLayouts},
    {Confidence::kMeasured, from::kMobius}};

void look_at_program(Check& check) {
  const std::uint64_t bytes = check.program().weight_bytes;
  if (bytes > 900'000'000)
    check.report("the package holds " + megabytes(bytes) +
                 " of weights; reported limits lie between 0.25 and 2.3 GB");
}

}  // namespace rule::mac_size

ANEMONE_DEFINE_RULE(mac_size) = sourced(
    {.id = "mac-size",
     .facts = rule::mac_size::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kConflict,
     .scope = {.says = "Macs; depends on chip and graph", .devices = Scope::Devices::kMacs},
     .looks_at = "the size of the weights: over 0.9 GB",
     .says = "reports of the largest package that a Mac takes differ by ten times",
     .rewrite = "packages of 200 to 500 MB",
     .disagreement =
         "trouble at 250 MB (ane-book's text), 1.0 to 1.4 GB (CoreML-LLM), 1.5 GB and 2.3 GB "
         "(ane-book); 2,015.8 MB (ane-book, M4 Max) and about 1.2 GB (mobius, M5 Pro) ran whole",
     .sources = rule::mac_size::kSources,
     .program = rule::mac_size::look_at_program});

}  // namespace anemone::lint
