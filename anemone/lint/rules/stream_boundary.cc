#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::stream_boundary {

constexpr std::string_view kFacts[] = {"N20"};
constexpr Source kSources[] = {{Confidence::kMeasured, "soniqo/speech-swift PR 269"},
                               {Confidence::kMeasured, from::kPostTrain},
                               {Confidence::kMeasured, from::kMlState},
                               {Confidence::kMeasured, from::kAneBook}};

void look_at_function(Check& check) {
  for (const auto& input : check.function().function().inputs) {
    if (!input->type.is_tensor() || input->type.dtype != DType::kF16 || input->type.rank() < 3)
      continue;
    for (const mil::Value* output : check.function().function().body.outputs) {
      if (output->type != input->type) continue;
      check.report(*output, "takes " + in_quotes(input->name) + " and gives " +
                                in_quotes(output->name) + " in fp16: a part of a chain");
      return;
    }
  }
}

}  // namespace rule::stream_boundary

ANEMONE_DEFINE_RULE(stream_boundary) = sourced(
    {.id = "stream-boundary",
     .facts = rule::stream_boundary::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kConflict,
     .looks_at = "functions with an fp16 input and output of the same shape",
     .says = "an fp16 residual stream between packages is blamed for errors and reported fine",
     .rewrite = "compare layer by layer with fp32",
     .disagreement = "speech-swift's talker failed and posttrainllm blames rounding at the "
                     "boundary; CoreML-LLM and ane-book chain fp16 boundaries without harm",
     .sources = rule::stream_boundary::kSources,
     .function = rule::stream_boundary::look_at_function});

}  // namespace anemone::lint
