#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::dynamic_layers {

constexpr std::string_view kFacts[] = {"S05"};
constexpr Source kSources[] = {
    {Confidence::kApple, "apple/coremltools, docs-guides/source/faqs.md"}};

void look_at_function(Check& check) {
  if (check.function().flexible().empty()) return;
  std::uint64_t count = 0;
  const mil::Op* first = nullptr;
  for (const mil::Op* op : check.function().run_ops()) {
    const bool is_shape = op->type() == "shape" || op->type() == "reshape_like";
    const mil::Value* to = op->type() == "reshape" ? op->find_input("shape")
                           : op->type() == "fill"  ? op->find_input("shape")
                           : op->type() == "tile"  ? op->find_input("reps")
                                                   : nullptr;
    if (!is_shape && (to == nullptr || mil::is_fixed(*to))) continue;
    ++count;
    if (first == nullptr) first = op;
  }
  if (first != nullptr)
    check.report_at(
        *first, counted(count, "op") + " of shape arithmetic in a function with flexible inputs");
}

}  // namespace rule::dynamic_layers

ANEMONE_DEFINE_RULE(dynamic_layers) = sourced(
    {.id = "dynamic-layers",
     .facts = rule::dynamic_layers::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kApple,
     .looks_at = "shape arithmetic in functions with flexible inputs",
     .says = "making a fixed program flexible inserts ops of unknown shape, which leave the engine",
     .rewrite = "fixed shapes, or compare the MIL of both programs",
     .sources = rule::dynamic_layers::kSources,
     .function = rule::dynamic_layers::look_at_function});

}  // namespace anemone::lint
