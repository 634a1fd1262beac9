#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::sparse_weights {

constexpr std::string_view kFacts[] = {"W07"};
constexpr Source kSources[] = {
    {Confidence::kApple, from::kOptOverview},
    {Confidence::kApple,
     "apple/coremltools, docs-guides/source/opt-palettization-perf.md and opt-whats-new.md"}};
constexpr std::string_view kOps[] = {"constexpr_sparse_to_dense"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* data = op.find_input("nonzero_data");
  if (data != nullptr && data->producer != nullptr &&
      data->producer->type().starts_with("constexpr_"))
    return;
  check.report("a sparse weight");
}

}  // namespace rule::sparse_weights

ANEMONE_DEFINE_RULE(sparse_weights) =
    sourced({.id = "sparse-weights",
             .facts = rule::sparse_weights::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kApple,
             .scope = {.says = "iOS 16 and later"},
             .looks_at = "constexpr_sparse_to_dense of plain values",
             .says = "sparse weights are outside the family that Apple puts first for the engine: "
                     "palettization of 1 to 8 bits",
             .rewrite = "palettize to 4 or 6 bits, groups of 8 to 16",
             .sources = rule::sparse_weights::kSources,
             .ops = rule::sparse_weights::kOps,
             .op = rule::sparse_weights::look});

}  // namespace anemone::lint
