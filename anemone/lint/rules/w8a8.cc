#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::w8a8 {

constexpr std::string_view kFacts[] = {"W16", "W17"};
constexpr Source kSources[] = {
    {Confidence::kApple, "apple/coremltools, docs-guides/source/opt-quantization-overview.md"},
    {Confidence::kMeasured, from::kMaderix},
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/REJECTED_APPROACHES.md and SPEED_8K.md"},
    {Confidence::kApple, "apple/coremltools, docs-guides/source/opt-quantization-perf.md"}};

void look_at_function(Check& check) {
  const mil::Op* first = nullptr;
  std::uint64_t count = 0;
  for (const mil::Op* op : check.function().run_ops()) {
    if (op->type() != "quantize") continue;
    if (first == nullptr) first = op;
    ++count;
  }
  if (first != nullptr) check.report_at(*first, counted(count, "quantized activation"));
}

}  // namespace rule::w8a8

ANEMONE_DEFINE_RULE(w8a8) = sourced(
    {.id = "w8a8",
     .facts = rule::w8a8::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kConflict,
     .scope = {.says = "A17 Pro, M4 and later"},
     .looks_at = "quantize and dequantize of activations",
     .says = "8-bit activations over 8-bit weights are fast on A17 Pro and M4 by Apple's account, "
             "and no gain for language models by others'",
     .rewrite = "fp16 activations unless a device shows a gain; calibrate them",
     .disagreement = "Apple and maderix measure 1.9 times the operations a second; CoreML-LLM "
                     "found no gain on M4 Max and a compile failure on iPhone 17",
     .sources = rule::w8a8::kSources,
     .function = rule::w8a8::look_at_function});

}  // namespace anemone::lint
