#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::spatial_softmax {

constexpr std::string_view kFacts[] = {"N16"};
constexpr Source kSources[] = {
    {Confidence::kAppleOs27, from::kNeuralEngineRules},
    {Confidence::kApple, "apple/ml-stable-diffusion, attention.py (dim = 1)"}};
constexpr std::string_view kOps[] = {"softmax"};

void look(Check& check, const mil::Op& op) {
  const mil::Value& y = *op.output();
  const auto axis =
      absolute_axis(static_cast<std::int64_t>(find_number(op.find_input("axis")).value_or(-1)), y);
  if (y.type.rank() != 4 || axis < 2 || elements(y) < 65536) return;
  check.report("softmax over axis " + std::to_string(axis) + " of " + shape_text(y));
}

}  // namespace rule::spatial_softmax

ANEMONE_DEFINE_RULE(spatial_softmax) =
    sourced({.id = "spatial-softmax",
             .facts = rule::spatial_softmax::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kAppleOs27,
             .looks_at = "softmax over an axis other than channels, of 65,536 elements and more",
             .says = "softmax over a spatial axis is slow for large tensors",
             .rewrite = "keys on the channel axis",
             .sources = rule::spatial_softmax::kSources,
             .ops = rule::spatial_softmax::kOps,
             .op = rule::spatial_softmax::look});

}  // namespace anemone::lint
