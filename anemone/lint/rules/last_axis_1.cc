#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::last_axis_1 {

constexpr std::string_view kFacts[] = {"L09"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules}};

void look(Check& check, const mil::Op& op) {
  for (const auto& output : op.outputs) {
    if (!output->type.is_tensor() || output->type.rank() < 2 || extent(*output, -1) != 1) continue;
    const bool is_interface = check.function().is_output(*output) && elements(*output) > 32;
    if (!is_interface && elements(*output) < 65536) continue;
    check.report(*output, std::string(is_interface ? "an output" : "a large tensor") +
                              " whose last axis is 1");
  }
}

void look_at_function(Check& check) {
  for (const auto& input : check.function().function().inputs) {
    if (!input->type.is_tensor() || input->type.rank() < 2 || extent(*input, -1) != 1) continue;
    if (elements(*input) <= 32) continue;
    check.report(*input, "the last axis of the input " + in_quotes(input->name) + " is 1");
  }
}

}  // namespace rule::last_axis_1

ANEMONE_DEFINE_RULE(last_axis_1) = sourced(
    {.id = "last-axis-1",
     .facts = rule::last_axis_1::kFacts,
     .severity = Severity::kSlow,
     .confidence = Confidence::kAppleOs27,
     .looks_at = "inputs and outputs of more than 32 elements, and run-time tensors of 65,536 "
                 "elements and more, whose last axis is 1",
     .says =
         "a last axis of 1 is padded to 64 bytes: 32 times the memory in fp16, 64 times in int8",
     .rewrite = "put a long axis last",
     .sources = rule::last_axis_1::kSources,
     .op = rule::last_axis_1::look,
     .function = rule::last_axis_1::look_at_function});

}  // namespace anemone::lint
