#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::conv_kernel {

constexpr std::string_view kFacts[] = {"O28"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeTargets},
                               {Confidence::kAppleOs27, from::kNeuralEngineRules}};
constexpr std::string_view kOps[] = {"conv", "conv_transpose"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* weight = op.find_input("weight");
  if (weight == nullptr || weight->type.rank() < 3) return;
  const auto& chip = check.program().options.chip;
  const std::int64_t limit = chip && chip->generation >= 4 ? 15 : 13;
  const std::int64_t width = extent(*weight, -1);
  if (width > limit)
    check.report("a kernel " + std::to_string(width) + " wide; the limit is " +
                 std::to_string(limit));
}

}  // namespace rule::conv_kernel

ANEMONE_DEFINE_RULE(conv_kernel) =
    sourced({.id = "conv-kernel",
             .facts = rule::conv_kernel::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "13 up to M3, 15 from M4 on; the private route"},
             .looks_at = "conv with a wide kernel",
             .says = "kernels wider than 13 (15 from M4 on) are refused",
             .rewrite = "split the kernel: k = k1 + k2 - 1",
             .sources = rule::conv_kernel::kSources,
             .is_direct = true,
             .ops = rule::conv_kernel::kOps,
             .op = rule::conv_kernel::look});

}  // namespace anemone::lint
