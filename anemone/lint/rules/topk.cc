#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::topk {

constexpr std::string_view kFacts[] = {"O11"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kQwen35Lessons},
    {Confidence::kMeasured, from::kForgeCapabilities},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, journal/048 and 079"},
    {Confidence::kMeasured, "roboflow/rf-detr PR 1495"}};
constexpr std::string_view kOps[] = {"topk"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) +
               " runs on the engine in some reports, on the CPU in others");
}

}  // namespace rule::topk

ANEMONE_DEFINE_RULE(topk) =
    sourced({.id = "topk",
             .facts = rule::topk::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kConflict,
             .looks_at = "topk",
             .says = "topk runs on the Neural Engine in some reports and on the CPU in others",
             .rewrite = "take the largest on the host",
             .disagreement = "CoreML-LLM ran k = 1 and 40 and ANEForge ran it (not k = 3 and 4); "
                             "ane-book on M4 Max and RF-DETR on M3 Pro saw it on the CPU",
             .sources = rule::topk::kSources,
             .ops = rule::topk::kOps,
             .op = rule::topk::look});

}  // namespace anemone::lint
