#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::gather {

constexpr std::string_view kFacts[] = {"O01"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kSweep},
    {Confidence::kMeasured, "WhisperKit, published mlcomputeplan.json files (ios16.gather on CPU)"},
    {Confidence::kAppleOs27, from::kNeuralEngineRules},
    {Confidence::kFolklore, from::kHollance}};
constexpr std::string_view kOps[] = {"gather", "gather_nd", "gather_along_axis"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::gather

ANEMONE_DEFINE_RULE(gather) = sourced({.id = "gather",
                                       .facts = rule::gather::kFacts,
                                       .severity = Severity::kLeavesAne,
                                       .confidence = Confidence::kMeasured,
                                       .scope = {.says = "iOS 16 to 18, all chips"},
                                       .looks_at = "gather, gather_nd, gather_along_axis",
                                       .says = "gather ops have no kernel on the Neural Engine",
                                       .rewrite = "look rows up on the host and pass them in; a "
                                                  "static index is a product with a one-hot matrix",
                                       .sources = rule::gather::kSources,
                                       .moves = true,
                                       .ops = rule::gather::kOps,
                                       .op = rule::gather::look});

}  // namespace anemone::lint
