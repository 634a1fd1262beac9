#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::matmul_scatter {

constexpr std::string_view kFacts[] = {"K11"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "john-rocky/CoreML-LLM@72178c6, docs/QWEN3_VL_2B_PHASE1_HANDOFF.md"}};
constexpr std::string_view kOps[] = {"matmul"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* x = op.find_input("x");
  if (x == nullptr || find_weight(op) != nullptr) return;
  const bool turned = find_number(op.find_input("transpose_x")).value_or(0) != 0;
  const std::int64_t rows = extent(*x, turned ? -2 : -1);
  if (rows < 32) return;
  for (const mil::Op* taker : find_takers(check.function(), *op.output())) {
    if (!is_type(taker, {"add"})) continue;
    for (const mil::Op* next : find_takers(check.function(), *taker->output())) {
      // Written as it is, or through an update that replaces the whole state.
      const bool is_replaced = next->type() == "slice_update" &&
                               next->find_input("update") != nullptr &&
                               next->find_input("update")->type == next->output()->type;
      const bool is_stored = next->type() == "write_state" || is_replaced;
      bool is_joined = false;
      if (next->type() == "concat") {
        for (const Use& use : check.function().uses(*next->output()))
          is_joined = is_joined || use.op->type() == "write_state";
      }
      if (!is_stored && !is_joined) continue;
      check.report("writes " + std::to_string(rows) + " rows of a state by a matrix product");
      return;
    }
  }
}

}  // namespace rule::matmul_scatter

ANEMONE_DEFINE_RULE(matmul_scatter) = sourced(
    {.id = "matmul-scatter",
     .facts = rule::matmul_scatter::kFacts,
     .severity = Severity::kRejected,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "A19 Pro"},
     .looks_at =
         "matmul of run-time tensors over 32 and more rows, added into what is written to a state",
     .says =
         "writing many rows of a cache by a matrix product is refused at 32 rows and spills at 8",
     .rewrite = "slice_update of the rows, or a blend under a mask",
     .sources = rule::matmul_scatter::kSources,
     .ops = rule::matmul_scatter::kOps,
     .op = rule::matmul_scatter::look});

}  // namespace anemone::lint
