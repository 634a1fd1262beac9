#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::int8_lut {

constexpr std::string_view kFacts[] = {"W21"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "john-rocky/CoreML-LLM@72178c6, docs/SESSION_2026_04_26_ROUND8_INT8_LUT_PROBE.md"}};

void look(Check& check, const mil::Op& op) {
  const mil::Value* weight = find_weight(op);
  if (weight == nullptr) return;
  for (const mil::Op* maker = weight->producer;
       maker != nullptr && maker->type().starts_with("constexpr_");) {
    const mil::Value* lut =
        maker->type() == "constexpr_lut_to_dense" ? maker->find_input("lut") : nullptr;
    // Joint compression quantizes the entries, and expands them before the table is used.
    if (lut != nullptr && is_type(lut->producer, {"constexpr_blockwise_shift_scale"}))
      lut = lut->producer->find_input("data");
    if (lut != nullptr && (lut->type.dtype == DType::kI8 || lut->type.dtype == DType::kU8)) {
      check.report(*lut, "its weight is a lookup table of " +
                             std::string(anemone::name(lut->type.dtype)) + " entries");
      return;
    }
    const mil::Value* data = maker->find_input("data");
    maker = data != nullptr ? data->producer : nullptr;
  }
}

}  // namespace rule::int8_lut

ANEMONE_DEFINE_RULE(int8_lut) = sourced(
    {.id = "int8-lut",
     .facts = rule::int8_lut::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "coremltools 9, Mac"},
     .looks_at =
         "constexpr_lut_to_dense with int8 or uint8 entries; the op that takes the weight moves",
     .says = "lookup tables of int8 entries took 73 ops off the engine, and the cosine to 0.83",
     .rewrite = "tables of fp16 entries",
     .sources = rule::int8_lut::kSources,
     .moves = true,
     .op = rule::int8_lut::look});

}  // namespace anemone::lint
