#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::int8_cache {

constexpr std::string_view kFacts[] = {"T09"};
constexpr Source kSources[] = {{Confidence::kMeasured,
                                "jafreck/ironmill@a750b7d, docs/design/ane/ane-constraints.md "
                                "(Qwen3-0.6B at 2,048: 761 against 739 microseconds)"}};

void look_at_function(Check& check) {
  for (const auto& input : check.function().function().inputs) {
    const bool is_cache = input->type.is_state() || input->type.rank() >= 4;
    if (is_cache && (input->type.dtype == DType::kI8 || input->type.dtype == DType::kU8)) {
      check.report(*input, "the cache " + in_quotes(input->name) + " is " +
                               std::string(anemone::name(input->type.dtype)));
    }
  }
}

}  // namespace rule::int8_cache

ANEMONE_DEFINE_RULE(int8_cache) =
    sourced({.id = "int8-cache",
             .facts = rule::int8_cache::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "h14g, the private route"},
             .looks_at = "states, and inputs of rank 4 and more, in int8",
             .says = "an int8 cache was slower than an fp16 one by 3 to 30 %",
             .rewrite = "keep the cache in fp16; int8 only to save memory",
             .sources = rule::int8_cache::kSources,
             .is_direct = true,
             .function = rule::int8_cache::look_at_function});

}  // namespace anemone::lint
