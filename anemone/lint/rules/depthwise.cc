#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::depthwise {

constexpr std::string_view kFacts[] = {"O32"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "john-rocky/CoreML-LLM@72178c6, docs/LFM2_CONVERSION_FINDINGS.md"}};
constexpr std::string_view kOps[] = {"conv"};

void look(Check& check, const mil::Op& op) {
  const auto groups = find_number(op.find_input("groups"));
  const mil::Value* x = op.find_input("x");
  if (!groups || x == nullptr || *groups < 1024) return;
  if (static_cast<std::int64_t>(*groups) != axis_extent(*x, 1)) return;
  check.report("depthwise over " + grouped(static_cast<std::uint64_t>(*groups)) + " channels");
}

}  // namespace rule::depthwise

ANEMONE_DEFINE_RULE(depthwise) =
    sourced({.id = "depthwise",
             .facts = rule::depthwise::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "iPhone 17 Pro, M4"},
             .looks_at = "conv with groups equal to channels, 1,024 and more",
             .says = "a depthwise convolution of 1,024 channels ran off the engine",
             .rewrite = "shifted products and sums",
             .sources = rule::depthwise::kSources,
             .moves = true,
             .ops = rule::depthwise::kOps,
             .op = rule::depthwise::look});

}  // namespace anemone::lint
