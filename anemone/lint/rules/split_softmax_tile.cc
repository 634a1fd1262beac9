#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::split_softmax_tile {

constexpr std::string_view kFacts[] = {"H12"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kIronmillConstraints}};

void look_at_function(Check& check) {
  bool split = false, matmul = false, softmax = false, tile = false;
  for (const mil::Op* op : check.function().run_ops()) {
    split = split || op->type() == "split";
    matmul = matmul || op->type() == "matmul";
    softmax = softmax || op->type() == "softmax";
    tile = tile || op->type() == "tile";
  }
  if (split && matmul && softmax && tile) check.report("uses split, matmul, softmax and tile");
}

}  // namespace rule::split_softmax_tile

ANEMONE_DEFINE_RULE(split_softmax_tile) = sourced(
    {.id = "split-softmax-tile",
     .facts = rule::split_softmax_tile::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "h14g, the private route"},
     .looks_at = "functions that use all four",
     .says = "split, matmul, softmax and tile together are refused though each compiles alone",
     .rewrite = "other ops for one of them",
     .sources = rule::split_softmax_tile::kSources,
     .is_direct = true,
     .function = rule::split_softmax_tile::look_at_function});

}  // namespace anemone::lint
