#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::few_bits {

constexpr std::string_view kFacts[] = {"W28"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "john-rocky/CoreML-LLM@72178c6, docs/REJECTED_APPROACHES.md"}};
constexpr std::string_view kOps[] = {"constexpr_lut_to_dense"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* indices = op.find_input("indices");
  if (indices == nullptr || width_bits(indices->type.dtype) > 3) return;
  check.report("a weight of " +
               counted(static_cast<std::uint64_t>(width_bits(indices->type.dtype)), "bit") +
               ", sound only if the model was trained so");
}

}  // namespace rule::few_bits

ANEMONE_DEFINE_RULE(few_bits) =
    sourced({.id = "few-bits",
             .facts = rule::few_bits::kFacts,
             .severity = Severity::kNumeric,
             .confidence = Confidence::kMeasured,
             .looks_at = "weights of at most 3 bits; whether they were trained is not to be seen",
             .says = "2 and 3 bits without training give gibberish",
             .rewrite = "train with the quantization in, or take more bits",
             .sources = rule::few_bits::kSources,
             .ops = rule::few_bits::kOps,
             .op = rule::few_bits::look});

}  // namespace anemone::lint
