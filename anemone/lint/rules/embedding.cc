#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::embedding {

constexpr std::string_view kFacts[] = {"W12"};
constexpr Source kSources[] = {{Confidence::kApple, from::kAneTransformers},
                               {Confidence::kAppleOs27, from::kAppleQwen}};
constexpr std::string_view kOps[] = {"gather"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* table = op.find_input("x");
  const mil::Value* ids = op.find_input("indices");
  if (table == nullptr || ids == nullptr || mil::is_fixed(*ids) || !mil::is_fixed(*table)) return;
  if (table->type.rank() != 2 || is_rotary_table(*table)) return;
  check.report(*table, "gathers rows of a table " + shape_text(*table));
}

}  // namespace rule::embedding

ANEMONE_DEFINE_RULE(embedding) =
    sourced({.id = "embedding",
             .facts = rule::embedding::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kApple,
             .looks_at = "gather of rows of a constant table by indices that a call decides; "
                         "tables of cos and sin have a rule of their own",
             .says = "an embedding inside the program is a gather, which leaves the engine",
             .rewrite = "look rows up on the host",
             .sources = rule::embedding::kSources,
             .moves = true,
             .ops = rule::embedding::kOps,
             .op = rule::embedding::look});

}  // namespace anemone::lint
