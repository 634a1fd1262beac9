#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::tile {

constexpr std::string_view kFacts[] = {"O21"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep},
                               {Confidence::kMeasured, from::kFieldGuide}};
constexpr std::string_view kOps[] = {"tile"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " was right on M5 and spoiled later evaluations on M3 Max");
}

}  // namespace rule::tile

ANEMONE_DEFINE_RULE(tile) =
    sourced({.id = "tile",
             .facts = rule::tile::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .scope = {.says = "M5 against M3 Max, the private route"},
             .looks_at = "tile",
             .says = "tile is right on one chip and spoils later evaluations on another",
             .rewrite = "broadcasting, or concat",
             .disagreement = "ANEForge found it correct on M5; the field guide saw it poison later "
                             "evaluations on M3 Max",
             .sources = rule::tile::kSources,
             .is_direct = true,
             .ops = rule::tile::kOps,
             .op = rule::tile::look});

}  // namespace anemone::lint
