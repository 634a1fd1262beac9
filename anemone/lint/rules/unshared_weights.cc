#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::unshared_weights {

constexpr std::string_view kFacts[] = {"S07"};
constexpr Source kSources[] = {{Confidence::kApple,
                                "apple/coremltools, docs-guides/source/multifunction-models.md and "
                                "converters/mil/mil/passes/defs/cleanup/const_deduplication.py"}};

void look_at_program(Check& check) {
  std::unordered_map<std::string, const mil::Value*> seen;
  std::uint64_t bytes = 0, count = 0;
  for (const FunctionView& function : check.program().functions) {
    for (const mil::Op* op : function.run_ops()) {
      const mil::Value* weight = find_weight(*op);
      if (weight == nullptr || !weight->is_constant() || weight->name.empty()) continue;
      const auto [at, is_new] = seen.emplace(weight->name, weight);
      if (is_new || at->second->type != weight->type) continue;
      // Different places in the file, then, or different bytes.
      if (at->second->constant->bytes() == weight->constant->bytes()) continue;
      ++count;
      bytes += mil::stored_bytes(*weight);
    }
  }
  if (count > 0)
    check.report(counted(count, "weight") + " (" + megabytes(bytes) +
                 ") of equal name and shape with other bytes in another function");
}

}  // namespace rule::unshared_weights

ANEMONE_DEFINE_RULE(unshared_weights) =
    sourced({.id = "unshared-weights",
             .facts = rule::unshared_weights::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kApple,
             .scope = {.says = "iOS 18, macOS 15", .since = mil::Opset::kIos18},
             .looks_at = "constants of equal name and shape in two functions with different bytes",
             .says = "weights of several functions are stored once only if they are the same bytes",
             .rewrite = "make all functions from one set of weights",
             .sources = rule::unshared_weights::kSources,
             .program = rule::unshared_weights::look_at_program});

}  // namespace anemone::lint
