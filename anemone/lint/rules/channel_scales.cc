#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::channel_scales {

constexpr std::string_view kFacts[] = {"W14"};
constexpr Source kSources[] = {
    {Confidence::kApple, from::kOptOverview},
    {Confidence::kMeasured, from::kPostTrain},
    {Confidence::kMeasured, "videlalvaro/ane-book@4ab89e2, journal/109"}};
constexpr std::string_view kOps[] = {"constexpr_blockwise_shift_scale",
                                     "constexpr_affine_dequantize"};

void look(Check& check, const mil::Op& op) {
  const bool is_affine = op.type() == "constexpr_affine_dequantize";
  const mil::Value* data = op.find_input(is_affine ? "quantized_data" : "data");
  const mil::Value* scale = op.find_input("scale");
  if (data == nullptr || scale == nullptr ||
      (data->type.dtype != DType::kI8 && data->type.dtype != DType::kU8))
    return;
  const bool is_channel =
      is_affine ? elements(*scale) > 1 : granularity(*data, *scale) == Granularity::kPerSlice;
  if (is_channel) check.report(*data, "int8 with a scale for each channel");
}

}  // namespace rule::channel_scales

ANEMONE_DEFINE_RULE(channel_scales) = sourced(
    {.id = "channel-scales",
     .facts = rule::channel_scales::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kConflict,
     .scope = {.says = "iOS 16 and later"},
     .looks_at = "int8 weights with scales along one axis",
     .says = "int8 weights with a scale for each channel are Apple's right granularity and have "
             "failed in chains",
     .rewrite = "compare one scale a tensor with one a channel on a device",
     .disagreement = "Apple names it for the engine; posttrainllm's chain fell to a cosine of 0.41 "
                     "though a block had 0.999994, and ane-book lost 0.03 a layer in Gemma",
     .sources = rule::channel_scales::kSources,
     .ops = rule::channel_scales::kOps,
     .op = rule::channel_scales::look});

}  // namespace anemone::lint
