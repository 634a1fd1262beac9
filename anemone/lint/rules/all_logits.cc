#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::all_logits {

constexpr std::string_view kFacts[] = {"W11"};
constexpr Source kSources[] = {
    {Confidence::kMeasured, "smpanaro/more-ane-transformers, NOTES.md (95 to 52 ms)"},
    {Confidence::kMeasured, from::kMobius},
    {Confidence::kMeasured, from::kSpeechSwift}};

bool has_several_rows(const mil::Op& op) {
  const std::int64_t rows = product_rows(op);
  return rows == kUnknown || rows >= 2;
}

void look_at_function(Check& check) {
  std::int64_t outputs = 0;
  const mil::Op* first = nullptr;
  for (const mil::Value* output : check.function().function().body.outputs) {
    const mil::Op* op = find_maker(output);
    if (is_type(op, {"concat"})) {
      for (const mil::Value* part : op->find_inputs("values")) {
        const mil::Op* tile = find_maker(part);
        if (tile == nullptr || !has_several_rows(*tile)) continue;
        outputs += output_channels(*tile);
        if (first == nullptr) first = tile;
      }
      continue;
    }
    if (op == nullptr || !has_several_rows(*op)) continue;
    outputs += output_channels(*op);
    if (first == nullptr) first = op;
  }
  if (outputs < 16384) return;
  const std::int64_t rows = product_rows(*first);
  const std::string many =
      rows == kUnknown ? "all positions of a call" : std::to_string(rows) + " positions";
  check.report_at(
      *first, "logits of " + many + ", " + grouped(static_cast<std::uint64_t>(outputs)) + " each");
}

}  // namespace rule::all_logits

ANEMONE_DEFINE_RULE(all_logits) =
    sourced({.id = "all-logits",
             .facts = rule::all_logits::kFacts,
             .severity = Severity::kLeavesAne,
             .confidence = Confidence::kMeasured,
             .scope = {.says = "M1, M2"},
             .looks_at = "products of several rows that are outputs of the function and have "
                         "16,384 and more outputs together",
             .says = "logits of all positions move the head to the CPU; taking the last position "
                     "first halved the latency",
             .rewrite = "slice the last hidden row before the last norm and the head",
             .sources = rule::all_logits::kSources,
             .function = rule::all_logits::look_at_function});

}  // namespace anemone::lint
