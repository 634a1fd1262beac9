#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::rank_over_5 {

constexpr std::string_view kFacts[] = {"L01"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeCapabilities},
                               {Confidence::kMeasured, from::kTinygrad},
                               {Confidence::kAppleOs27, from::kNeuralEngineRules}};

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    if (output->type.rank() > 5)
      check.report(*output, "a tensor of rank " + std::to_string(output->type.rank()));
  }
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (value->type.rank() > 5 && value->producer == nullptr && !value->is_constant()) {
        check.report(*value, "an input of rank " + std::to_string(value->type.rank()));
      }
    }
  }
}

}  // namespace rule::rank_over_5

ANEMONE_DEFINE_RULE(rank_over_5) =
    sourced({.id = "rank-over-5",
             .facts = rule::rank_over_5::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .looks_at = "tensors of rank 6 and more",
             .says = "the Neural Engine's compiler takes at most rank 5",
             .rewrite = "fold axes of extent 1",
             .sources = rule::rank_over_5::kSources,
             .moves = true,
             .op = rule::rank_over_5::look});

}  // namespace anemone::lint
