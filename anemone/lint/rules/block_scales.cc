#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::block_scales {

constexpr std::string_view kFacts[] = {"W09"};
constexpr Source kSources[] = {
    {Confidence::kApple, from::kOptOverview},
    {Confidence::kMeasured,
     "apple/coreai-models issues 279 (cosine 0.367 against 0.999), 55 and 205"},
    {Confidence::kMeasured,
     "videlalvaro/ane-book@4ab89e2, 03-quantization (97 of 97 convolutions on the CPU)"},
    {Confidence::kMeasured, "pytorch/executorch, examples/apple/coreml/llama/readme.md"}};
constexpr std::string_view kOps[] = {"constexpr_blockwise_shift_scale"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* data = op.find_input("data");
  const mil::Value* scale = op.find_input("scale");
  if (data == nullptr || scale == nullptr || is_float(data->type.dtype)) return;
  if (granularity(*data, *scale) == Granularity::kBlocks)
    check.report(*data, std::string(anemone::name(data->type.dtype)) +
                            " scaled by blocks, scales " + shape_text(*scale));
}

}  // namespace rule::block_scales

ANEMONE_DEFINE_RULE(block_scales) = sourced(
    {.id = "block-scales",
     .facts = rule::block_scales::kFacts,
     .severity = Severity::kSilent,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "OS 15 to 27"},
     .looks_at = "constexpr_blockwise_shift_scale of integers with scales along more than one "
                 "axis, or for blocks of one",
     .says =
         "weights scaled by blocks are wrong on the engine without a word, crash, or go to the CPU",
     .rewrite = "palettize, or int8 with one scale a tensor or a channel",
     .sources = rule::block_scales::kSources,
     .ops = rule::block_scales::kOps,
     .op = rule::block_scales::look});

}  // namespace anemone::lint
