#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::pooling {

constexpr std::string_view kFacts[] = {"O31"};
constexpr Source kSources[] = {{Confidence::kAppleOs27, from::kNeuralEngineRules},
                               {Confidence::kFolklore, from::kHollance}};
constexpr std::string_view kOps[] = {"avg_pool", "max_pool", "l2_pool"};

void look(Check& check, const mil::Op& op) {
  const auto sizes = find_integers(op.find_input("kernel_sizes"));
  for (const std::int64_t size : sizes.value_or(std::vector<std::int64_t>())) {
    if (size <= 13) continue;
    check.report("a window of " + std::to_string(size));
    return;
  }
  const auto strides = find_integers(op.find_input("strides"));
  for (const std::int64_t stride : strides.value_or(std::vector<std::int64_t>())) {
    if (stride <= 2 || stride == 4) continue;
    check.report("a stride of " + std::to_string(stride));
    return;
  }
}

}  // namespace rule::pooling

ANEMONE_DEFINE_RULE(pooling) = sourced({.id = "pooling",
                                        .facts = rule::pooling::kFacts,
                                        .severity = Severity::kSlow,
                                        .confidence = Confidence::kAppleOs27,
                                        .looks_at = "avg_pool, max_pool, l2_pool",
                                        .says = "pooling over more than 13, or with a stride over "
                                                "2 that is not 4, is slow or leaves the engine",
                                        .rewrite = "strides of 2 or 4, windows of at most 13",
                                        .sources = rule::pooling::kSources,
                                        .ops = rule::pooling::kOps,
                                        .op = rule::pooling::look});

}  // namespace anemone::lint
