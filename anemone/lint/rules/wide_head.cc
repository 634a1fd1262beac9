#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::wide_head {

constexpr std::string_view kFacts[] = {"W10"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kAnemll},
    {Confidence::kMeasured, "maderix/ANE PR 26"},
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/SESSION_2026_04_28_LMSPLIT_FINALISE.md"},
    {Confidence::kMeasured, from::kMobius},
    {Confidence::kMeasured, from::kSpeechSwift},
    {Confidence::kDerived, "151,936 = 128 * 1,187: ten uneven tiles of at most 15,232"}};

void look(Check& check, const mil::Op& op) {
  const std::int64_t outputs = output_channels(op);
  if (outputs > 16384)
    check.report(grouped(static_cast<std::uint64_t>(outputs)) + " outputs of one product");
}

}  // namespace rule::wide_head

ANEMONE_DEFINE_RULE(wide_head) =
    sourced({.id = "wide-head",
             .facts = rule::wide_head::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .looks_at = "products of more than 16,384 outputs",
             .says = "heads of a large vocabulary are split by some and whole in others",
             .rewrite = "whole and for the last position alone at first; tiles of at most 16,384 "
                        "outputs, multiples of 32, if it is refused",
             .disagreement = "ANEMLL splits 16 ways and the private route must; CoreML-LLM lost "
                             "4.6 % by splitting; mobius and speech-swift do not split",
             .sources = rule::wide_head::kSources,
             .op = rule::wide_head::look});

}  // namespace anemone::lint
