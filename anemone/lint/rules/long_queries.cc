#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::long_queries {

constexpr std::string_view kFacts[] = {"H03"};
constexpr Source kSources[] = {{Confidence::kMeasured, "ANEForge 0.4.0, attention tiles"},
                               {Confidence::kApple,
                                "apple/ml-stable-diffusion, attention.py (SPLIT_EINSUM_V2; it "
                                "drops the tail where S mod 512 is not 0)"}};
constexpr std::string_view kOps[] = {"softmax"};

void look(Check& check, const mil::Op& op) {
  const mil::Value& y = *op.output();
  const mil::Op* maker = find_maker(op.find_input("x"));
  for (int step = 0; step < 3 && is_type(maker, {"add", "mul", "real_div", "select"}); ++step)
    maker = find_maker(maker->find_input(maker->type() == "select" ? "a" : "x"));
  if (y.type.rank() < 3 || !is_type(maker, {"matmul", "einsum"}) || extent(y, -2) < 512) return;
  check.report(std::to_string(extent(y, -2)) + " query rows at a time");
}

}  // namespace rule::long_queries

ANEMONE_DEFINE_RULE(long_queries) =
    sourced({.id = "long-queries",
             .facts = rule::long_queries::kFacts,
             .severity = Severity::kSlow,
             .confidence = Confidence::kMeasured,
             .looks_at = "softmax over 512 and more rows",
             .says = "512 and more query rows are slow; tiles of about 512 are three times as fast",
             .rewrite = "tile the queries, the last tile padded",
             .sources = rule::long_queries::kSources,
             .ops = rule::long_queries::kOps,
             .op = rule::long_queries::look});

}  // namespace anemone::lint
