#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::centred_norm {

constexpr std::string_view kFacts[] = {"N04"};
constexpr Source kSources[] = {
    {Confidence::kDerived, "Anemll/Anemll@6ecb10d, CLAUDE.md against its code"}};
constexpr std::string_view kOps[] = {"layer_norm"};

void look(Check& check, const mil::Op& op) {
  const mil::Op* before = find_maker(op.find_input("x"));
  if (!is_type(before, {"sub"})) return;
  const mil::Op* mean = find_maker(before->find_input("y"));
  if (is_type(mean, {"reduce_mean"}) &&
      find_origin(mean->find_input("x")) == find_origin(before->find_input("x"))) {
    check.report("takes away the mean that layer_norm takes away itself");
  }
}

}  // namespace rule::centred_norm

ANEMONE_DEFINE_RULE(centred_norm) =
    sourced({.id = "centred-norm",
             .facts = rule::centred_norm::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kDerived,
             .looks_at = "layer_norm of a difference from a mean",
             .says = "layer_norm of x minus its mean is layer norm, not RMS norm",
             .rewrite = "layer_norm of concat(x, -x)",
             .sources = rule::centred_norm::kSources,
             .ops = rule::centred_norm::kOps,
             .op = rule::centred_norm::look});

}  // namespace anemone::lint
