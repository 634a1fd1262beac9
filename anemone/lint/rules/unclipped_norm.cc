#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::unclipped_norm {

constexpr std::string_view kFacts[] = {"N18"};
constexpr Source kSources[] = {
    {Confidence::kApple, "apple/ml-ane-transformers, reference/layer_norm.py"}};

void look_at_function(Check& check) {
  const mil::Op* first = nullptr;
  std::uint64_t count = 0;
  for (const mil::Op* op : check.function().run_ops()) {
    if (op->type() != "layer_norm" || is_type(find_maker(op->find_input("x")), {"clip"})) continue;
    if (first == nullptr) first = op;
    ++count;
  }
  if (first != nullptr)
    check.report_at(*first, counted(count, "layer norm") + " of values that are not clipped");
}

}  // namespace rule::unclipped_norm

ANEMONE_DEFINE_RULE(unclipped_norm) =
    sourced({.id = "unclipped-norm",
             .facts = rule::unclipped_norm::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kApple,
             .looks_at = "layer_norm whose input is not clipped",
             .says = "spikes in the input of a layer norm overflow",
             .rewrite = "clip before the norm, as ml-ane-transformers' clip_mag does; `anemone "
                        "ranges` measures whether there are any",
             .sources = rule::unclipped_norm::kSources,
             .function = rule::unclipped_norm::look_at_function});

}  // namespace anemone::lint
