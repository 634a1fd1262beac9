#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::shifting_cache {

constexpr std::string_view kFacts[] = {"K08"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kDecodeLayouts}};

void look_at_function(Check& check) {
  bool has_head = false;
  for (const mil::Op* op : check.function().run_ops())
    has_head = has_head || output_channels(*op) >= 16384;
  if (!has_head) return;
  for (const mil::Op* op : check.function().run_ops()) {
    if (op->type() != "write_state") continue;
    const mil::Op* joined = find_maker(find_stored(*op));
    if (!is_type(joined, {"concat"})) continue;
    for (const mil::Value* part : joined->find_inputs("values")) {
      const mil::Op* slice = find_maker(part);
      if (!is_type(slice, {"slice_by_index", "slice_by_size"})) continue;
      if (!is_type(find_maker(slice->find_input("x")), {"read_state"})) continue;
      check.report_at(*joined, "the cache is shifted by concat beside a head");
      return;
    }
  }
}

}  // namespace rule::shifting_cache

ANEMONE_DEFINE_RULE(shifting_cache) = sourced(
    {.id = "shifting-cache",
     .facts = rule::shifting_cache::kFacts,
     .severity = Severity::kRejected,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "OS 26; Qwen3-class models, while Gemma 4 ships so"},
     .looks_at = "concat of a slice of a state written back to it, in a function with a product of "
                 "16,384 and more outputs",
     .says =
         "a cache shifted by concat, with a state and a head in one program, failed to build (-14)",
     .rewrite = "a circular write under a mask",
     .sources = rule::shifting_cache::kSources,
     .function = rule::shifting_cache::look_at_function});

}  // namespace anemone::lint
