#pragma once

#include <string_view>

// Where facts come from that several rules rest on.
namespace anemone::lint::from {

inline constexpr std::string_view kNeuralEngineRules =
    "apple/coreai-models@86b363d, skills/model-authoring/references/neural_engine_rules.md";
inline constexpr std::string_view kCommonIssues =
    "apple/coreai-models@86b363d, skills/model-authoring/references/common_issues.md";
inline constexpr std::string_view kAppleQwen =
    "apple/coreai-models@86b363d, python/src/coreai_models/models/ios/qwen3.py and primitives/ios";
inline constexpr std::string_view kTypedExecution =
    "apple/coremltools, docs-guides/source/typed-execution.md";
inline constexpr std::string_view kAneTransformers =
    "apple/ml-ane-transformers and the article \"Deploying Transformers on the Apple Neural "
    "Engine\"";
inline constexpr std::string_view kFlexibleInputs =
    "apple/coremltools, docs-guides/source/flexible-inputs.md";
inline constexpr std::string_view kStatefulModels =
    "apple/coremltools, docs-guides/source/stateful-models.md";
inline constexpr std::string_view kOptOverview =
    "apple/coremltools, docs-guides/source/opt-overview.md";
inline constexpr std::string_view kSweep =
    "ANEForge 0.4.0, full_mil_vocabulary_sweep.json (166 ops, each alone, M5)";
inline constexpr std::string_view kForgeCapabilities = "ANEForge 0.4.0, _capabilities.py";
inline constexpr std::string_view kForgeTargets = "ANEForge 0.4.0, _targets.py";
inline constexpr std::string_view kForgeCatalog = "ANEForge 0.4.0, _op_catalog.py";
inline constexpr std::string_view kForgeQuirks = "ANEForge, docs/op-quirks.md";
inline constexpr std::string_view kForgeCliffs = "ANEForge, docs/numeric-cliffs.md";
inline constexpr std::string_view kForgeLlm = "ANEForge, docs/llm.md";
inline constexpr std::string_view kIronmillOps =
    "jafreck/ironmill@a750b7d, docs/design/ane/ane-op-support-matrix.md";
inline constexpr std::string_view kIronmillConstraints =
    "jafreck/ironmill@a750b7d, docs/design/ane/ane-constraints.md";
inline constexpr std::string_view kFieldGuide =
    "skyfallsin/apple-neural-engine-field-guide (M3 Max, macOS 26.3.1)";
inline constexpr std::string_view kTinygrad = "tinygrad, extra/accel/ane/README.md (M1)";
inline constexpr std::string_view kMaderix = "maderix/ANE@d91c984 (M4)";
inline constexpr std::string_view kHollance =
    "hollance/neural-engine@d0bb530 (2019 to 2021; its author warns that it may be wrong)";
inline constexpr std::string_view kMobius =
    "FluidInference/mobius, models/llm/qwen3-0.6b/coreml (M5 Pro, macOS 26)";
inline constexpr std::string_view kAnemll = "Anemll/Anemll@6ecb10d";
inline constexpr std::string_view kAnemllProfile = "Anemll/anemll-profile@821c301, README";
inline constexpr std::string_view kMoreAne =
    "smpanaro/more-ane-transformers, src/experiments/NOTES.md";
inline constexpr std::string_view kAneBook = "videlalvaro/ane-book@4ab89e2 (M4 Max)";
inline constexpr std::string_view kPostTrain =
    "PostTrainLLM/posttrainllm@91ae643, m6-findings.md (M5 Pro)";
inline constexpr std::string_view kMlState =
    "john-rocky/CoreML-LLM@72178c6, docs/MLSTATE_PATTERN.md (iPhone 17 Pro, M4)";
inline constexpr std::string_view kDecodeLayouts =
    "john-rocky/CoreML-LLM@72178c6, docs/DECODE_STATE_LAYOUTS.md";
inline constexpr std::string_view kQwen35Lessons =
    "john-rocky/CoreML-LLM@72178c6, docs/QWEN35_LESSONS.md";
inline constexpr std::string_view kSpeechSwift = "soniqo/speech-swift PR 282";
inline constexpr std::string_view kExecutorchLlama = "pytorch/executorch PR 16144 and issue 15833";
inline constexpr std::string_view kLarql = "chrishayuk/larql PR 312 (Core ML on macOS 15)";

}  // namespace anemone::lint::from
