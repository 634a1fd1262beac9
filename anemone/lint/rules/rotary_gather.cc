#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::rotary_gather {

constexpr std::string_view kFacts[] = {"H09"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep},
                               {Confidence::kMeasured, from::kMlState},
                               {Confidence::kAppleOs27, from::kNeuralEngineRules}};
constexpr std::string_view kOps[] = {"gather", "gather_nd", "gather_along_axis"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* table = op.find_input("x");
  const mil::Value* at = op.find_input("indices");
  if (table == nullptr || at == nullptr || mil::is_fixed(*at) || !is_rotary_table(*table)) return;
  check.report(*table, "gathers rows of cos or sin from a table " + shape_text(*table));
}

}  // namespace rule::rotary_gather

ANEMONE_DEFINE_RULE(rotary_gather) =
    sourced({.id = "rotary-gather",
             .facts = rule::rotary_gather::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kMeasured,
             .looks_at = "gather from a constant table that begins with a row of cos 0 or sin 0",
             .says = "rotation by rows gathered from tables inside the program leaves the engine",
             .rewrite = "rows of cos and sin as inputs, (1, 1, D) or (1, D, 1, S)",
             .sources = rule::rotary_gather::kSources,
             .moves = true,
             .ops = rule::rotary_gather::kOps,
             .op = rule::rotary_gather::look});

}  // namespace anemone::lint
