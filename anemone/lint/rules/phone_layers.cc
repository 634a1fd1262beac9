#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::phone_layers {

constexpr std::string_view kFacts[] = {"W05"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/SESSION_2026_04_28_QWEN35_2K_ANE.md and "
     "CHUNK_CONSOLIDATION_BENCH.md"}};

void look_at_function(Check& check) {
  std::uint64_t count = 0;
  for (const mil::Op* op : check.function().run_ops())
    count += is_type(op, {"softmax", "scaled_dot_product_attention"});
  if (count >= 24) check.report("about " + counted(count, "layer") + " in one program");
}

}  // namespace rule::phone_layers

ANEMONE_DEFINE_RULE(phone_layers) =
    sourced({.id = "phone-layers",
             .facts = rule::phone_layers::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "iPhones, iOS 26.1", .devices = Scope::Devices::kPhones},
             .looks_at = "24 and more softmax or attention ops in a function",
             .says = "24 to 35 layers in one program failed to load on iPhones",
             .rewrite = "6 to 17 layers a package",
             .sources = rule::phone_layers::kSources,
             .function = rule::phone_layers::look_at_function});

}  // namespace anemone::lint
