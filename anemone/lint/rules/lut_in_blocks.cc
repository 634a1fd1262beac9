#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::lut_in_blocks {

constexpr std::string_view kFacts[] = {"W18"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, from::kDecodeLayouts},
    {Confidence::kApple,
     "apple/coremltools, converters/mil/mil/passes/defs/optimize_quantization.py "
     "(reorder_lut_per_channel_scale)"}};
constexpr std::string_view kOps[] = {"constexpr_lut_to_dense", "constexpr_blockwise_shift_scale"};

void look(Check& check, const mil::Op& op) {
  if (op.type() == "constexpr_lut_to_dense") {
    const mil::Value* lut = op.find_input("lut");
    const mil::Value* indices = op.find_input("indices");
    if (lut == nullptr || indices == nullptr || lut->type.rank() != indices->type.rank() + 2)
      return;
    int axes = 0;
    for (std::int64_t axis = 0; axis < indices->type.rank(); ++axis)
      axes += axis_extent(*lut, static_cast<std::size_t>(axis)) > 1;
    if (axes > 1)
      check.report("tables along " + std::to_string(axes) + " axes, " + shape_text(*lut));
    return;
  }
  const mil::Value* data = op.find_input("data");
  const mil::Value* scale = op.find_input("scale");
  if (data == nullptr || scale == nullptr || !is_type(data->producer, {"constexpr_lut_to_dense"}))
    return;
  if (granularity(*data, *scale) == Granularity::kBlocks)
    check.report("block scales " + shape_text(*scale) + " over a lookup table");
}

}  // namespace rule::lut_in_blocks

ANEMONE_DEFINE_RULE(lut_in_blocks) =
    sourced({.id = "lut-in-blocks",
             .facts = rule::lut_in_blocks::kFacts,
             .severity = Severity::kRejected,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "OS 26"},
             .looks_at = "constexpr_lut_to_dense with tables along two axes; "
                         "constexpr_blockwise_shift_scale with blocks over a table",
             .says = "lookup tables for blocks of rows and columns, or block scales over tables, "
                     "fail to build (-14)",
             .rewrite = "tables for groups of one axis; any scale after the product",
             .sources = rule::lut_in_blocks::kSources,
             .ops = rule::lut_in_blocks::kOps,
             .op = rule::lut_in_blocks::look});

}  // namespace anemone::lint
