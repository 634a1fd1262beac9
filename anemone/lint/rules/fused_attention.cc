#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::fused_attention {

constexpr std::string_view kFacts[] = {"H01", "H04"};
constexpr Source kSources[] = {
    {Confidence::kAppleOs27, from::kNeuralEngineRules},
    {Confidence::kApple, from::kAneTransformers},
    {Confidence::kMeasured, "john-rocky/CoreML-LLM@72178c6, docs/SDPA_FUSION_PROBE.md"},
    {Confidence::kMeasured, from::kExecutorchLlama},
    {Confidence::kMeasured, from::kForgeCapabilities}};
constexpr std::string_view kOps[] = {"scaled_dot_product_attention"};

void look(Check& check, const mil::Op&) { check.report("attention as one op"); }

}  // namespace rule::fused_attention

ANEMONE_DEFINE_RULE(fused_attention) =
    sourced({.id = "fused-attention",
             .facts = rule::fused_attention::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kConflict,
             .scope = {.says = "iOS 18 and later"},
             .looks_at = "scaled_dot_product_attention",
             .says = "fused attention has no path of its own on the engine",
             .rewrite = "matmul, mask, softmax, matmul at rank 4",
             .disagreement = "Apple and CoreML-LLM find no fused path, and ExecuTorch rewrites it; "
                             "ANEForge finds it correct for small sizes",
             .sources = rule::fused_attention::kSources,
             .ops = rule::fused_attention::kOps,
             .op = rule::fused_attention::look});

}  // namespace anemone::lint
