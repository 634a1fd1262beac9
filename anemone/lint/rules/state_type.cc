#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::state_type {

constexpr std::string_view kFacts[] = {"K01"};
constexpr Source kSources[] = {{Confidence::kApple, from::kStatefulModels}};

void look_at_function(Check& check) {
  for (const mil::Value* state : check.function().states()) {
    if (state->type.dtype != DType::kF16) {
      check.report(*state, "the state " + in_quotes(state->name) + " is " +
                               std::string(anemone::name(state->type.dtype)));
    } else if (check.function().target() < mil::Opset::kIos18) {
      check.report(*state, "the state " + in_quotes(state->name) +
                               " needs iOS 18, but the target is " +
                               std::string(mil::info(check.function().target()).target));
    }
  }
}

}  // namespace rule::state_type

ANEMONE_DEFINE_RULE(state_type) = sourced({.id = "state-type",
                                           .facts = rule::state_type::kFacts,
                                           .severity = Severity::kBuild,
                                           .confidence = Confidence::kApple,
                                           .looks_at = "states of functions",
                                           .says = "states are fp16 and need iOS 18 / macOS 15",
                                           .rewrite = "fp16 states; target iOS 18 or macOS 15",
                                           .sources = rule::state_type::kSources,
                                           .function = rule::state_type::look_at_function});

}  // namespace anemone::lint
