#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::tile_8x8 {

constexpr std::string_view kFacts[] = {"L15"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "smpanaro/coreml-llm-cli, README (M1, A14, A16, A17 Pro)"},
    {Confidence::kMeasured, "john-rocky/CoreML-LLM@72178c6, docs/PRIORITY_ROADMAP.md (A19 Pro)"}};

void look_at_function(Check& check) {
  const mil::Op* first = nullptr;
  std::uint64_t count = 0;
  for (const mil::Op* op : check.function().run_ops()) {
    const mil::Value* x = op->find_input("x");
    if (op->type() != "conv" || x == nullptr || x->type.rank() != 4) continue;
    if (extent(*x, -1) != 64 || extent(*x, -2) != 1) continue;
    if (first == nullptr) first = op;
    ++count;
  }
  if (first != nullptr)
    check.report_at(*first, counted(count, "convolution") + " on (B, C, 1, 64)");
}

}  // namespace rule::tile_8x8

ANEMONE_DEFINE_RULE(tile_8x8) =
    sourced({.id = "tile-8x8",
             .facts = rule::tile_8x8::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kConflict,
             .looks_at = "1x1 conv on (B, C, 1, 64)",
             .says = "64 columns as (B, C, 8, 8) may be faster than as (B, C, 1, 64)",
             .rewrite = "reshape to (B, C, 8, 8) around the MLP, and measure",
             .disagreement = "coreml-llm-cli measured the MLP 50 % faster; CoreML-LLM's bundle of "
                             "changes with it became 5.5 times slower",
             .sources = rule::tile_8x8::kSources,
             .function = rule::tile_8x8::look_at_function});

}  // namespace anemone::lint
