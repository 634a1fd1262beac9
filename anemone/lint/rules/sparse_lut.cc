#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::sparse_lut {

constexpr std::string_view kFacts[] = {"W22"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/SESSION_2026_04_27_ROUND8_JOINT_SPARSE_PROBE.md"}};
constexpr std::string_view kOps[] = {"constexpr_lut_to_sparse"};

void look(Check& check, const mil::Op&) { check.report("a weight both sparse and palettized"); }

}  // namespace rule::sparse_lut

ANEMONE_DEFINE_RULE(sparse_lut) = sourced({.id = "sparse-lut",
                                           .facts = rule::sparse_lut::kFacts,
                                           .severity = Severity::kSlow,
                                           .confidence = Confidence::kMeasured,
                                           .scope = {.says = "Mac"},
                                           .looks_at = "constexpr_lut_to_sparse",
                                           .says = "weights both sparse and palettized are slow",
                                           .rewrite = "palettize alone",
                                           .sources = rule::sparse_lut::kSources,
                                           .ops = rule::sparse_lut::kOps,
                                           .op = rule::sparse_lut::look});

}  // namespace anemone::lint
