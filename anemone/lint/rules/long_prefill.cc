#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::long_prefill {

constexpr std::string_view kFacts[] = {"S10"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/IPHONE_ANE_SPARSITY_FINDING.md (M4: 64 rows 4.6 ms, 128 "
     "9.1, 256 19.8, 512 46)"}};

void look_at_function(Check& check) {
  if (check.function().rows() > 128)
    check.report("takes " + grouped(static_cast<std::uint64_t>(check.function().rows())) +
                 " rows at a time");
}

}  // namespace rule::long_prefill

ANEMONE_DEFINE_RULE(long_prefill) = sourced({.id = "long-prefill",
                                             .facts = rule::long_prefill::kFacts,
                                             .severity = Severity::kNote,
                                             .confidence = Confidence::kMeasured,
                                             .scope = {.says = "M4; phones follow the real length"},
                                             .looks_at = "functions that take more than 128 rows",
                                             .says = "on a Mac the time follows the padded length",
                                             .rewrite = "blocks of 64 to 128 rows",
                                             .sources = rule::long_prefill::kSources,
                                             .function = rule::long_prefill::look_at_function});

}  // namespace anemone::lint
