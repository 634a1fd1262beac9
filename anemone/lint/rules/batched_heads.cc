#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::batched_heads {

constexpr std::string_view kFacts[] = {"H05"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules},
                               {Confidence::kMeasured, from::kMlState},
                               {Confidence::kMeasured, from::kAnemll},
                               {Confidence::kMeasured, from::kMobius}};

void look_at_function(Check& check) {
  const mil::Op* first = nullptr;
  std::uint64_t count = 0;
  for (const mil::Op* op : check.function().run_ops()) {
    if (op->type() != "matmul" || find_weight(*op) != nullptr) continue;
    const mil::Value& y = *op->output();
    if (y.type.rank() < 3 || elements(y) == times(extent(y, -1), extent(y, -2))) continue;
    if (first == nullptr) first = op;
    ++count;
  }
  if (first != nullptr) check.report_at(*first, counted(count, "product") + " over several heads");
}

}  // namespace rule::batched_heads

ANEMONE_DEFINE_RULE(batched_heads) =
    sourced({.id = "batched-heads",
             .facts = rule::batched_heads::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .looks_at = "matmul of two run-time tensors over more than one head",
             .says = "attention of all heads in one product is advised against by Apple and runs "
                     "in others' models",
             .rewrite = "one product a head, and measure",
             .disagreement = "Apple's text requires one product a head; CoreML-LLM, ANEMLL and "
                             "mobius batch them and have 90 % and more on the engine",
             .sources = rule::batched_heads::kSources,
             .function = rule::batched_heads::look_at_function});

}  // namespace anemone::lint
