#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::recurrent {

constexpr std::string_view kFacts[] = {"O15"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kSweep},
                               {Confidence::kFolklore, from::kHollance}};
constexpr std::string_view kOps[] = {"rnn", "lstm", "gru"};

void look(Check& check, const mil::Op& op) {
  check.report(std::string(op.type()) + " has no kernel on the Neural Engine");
}

}  // namespace rule::recurrent

ANEMONE_DEFINE_RULE(recurrent) = sourced({.id = "recurrent",
                                          .facts = rule::recurrent::kFacts,
                                          .severity = Severity::kLeavesAne,
                                          .confidence = Confidence::kMeasured,
                                          .looks_at = "rnn, lstm, gru",
                                          .says = "recurrent ops have no kernel",
                                          .rewrite = "unroll the steps",
                                          .sources = rule::recurrent::kSources,
                                          .moves = true,
                                          .ops = rule::recurrent::kOps,
                                          .op = rule::recurrent::look});

}  // namespace anemone::lint
