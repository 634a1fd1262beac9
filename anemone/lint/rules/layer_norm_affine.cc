#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::layer_norm_affine {

constexpr std::string_view kFacts[] = {"O36"};
constexpr Source kSources[] = {{Confidence::kMeasured, "ANEForge issue 149"}};
constexpr std::string_view kOps[] = {"layer_norm"};

void look(Check& check, const mil::Op& op) {
  for (const std::string_view part : {"gamma", "beta"}) {
    const mil::Value* value = op.find_input(part);
    if (value == nullptr || elements(*value) != 4096) continue;
    check.report("a layer_norm over 4,096 elements with " + std::string(part));
    return;
  }
}

}  // namespace rule::layer_norm_affine

ANEMONE_DEFINE_RULE(layer_norm_affine) =
    sourced({.id = "layer-norm-affine",
             .facts = rule::layer_norm_affine::kFacts,
             .severity = Severity::kNote,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M2 Pro, macOS 26.5, the private route"},
             .looks_at = "layer_norm with gamma or beta of 4,096 elements",
             .says = "layer_norm with some gains over [R, 4096] fails to compile now and then",
             .rewrite = "multiply and add outside the norm",
             .sources = rule::layer_norm_affine::kSources,
             .is_direct = true,
             .ops = rule::layer_norm_affine::kOps,
             .op = rule::layer_norm_affine::look});

}  // namespace anemone::lint
