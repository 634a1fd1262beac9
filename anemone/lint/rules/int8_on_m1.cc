#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::int8_on_m1 {

constexpr std::string_view kFacts[] = {"W24"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kForgeTargets}};

void look_at_function(Check& check) {
  if (!check.program().options.chip) return;
  std::uint64_t count = 0;
  for (const mil::Op* op : check.function().ops()) {
    const mil::Value* data =
        op->type() == "constexpr_affine_dequantize"       ? op->find_input("quantized_data")
        : op->type() == "constexpr_blockwise_shift_scale" ? op->find_input("data")
                                                          : nullptr;
    count += data != nullptr && width_bits(data->type.dtype) == 8;
  }
  if (count > 0) check.report(counted(count, "int8 weight") + " unpacked to fp16");
}

}  // namespace rule::int8_on_m1

ANEMONE_DEFINE_RULE(int8_on_m1) = sourced(
    {.id = "int8-on-m1",
     .facts = rule::int8_on_m1::kFacts,
     .severity = Severity::kNote,
     .confidence = Confidence::kMeasured,
     .scope =
         {.says = "M1 generation; M2 streams int8 as well, M4 and M5 everything; the private route",
          .last_generation = 1},
     .looks_at = "int8 weights",
     .says = "M1 streams 4-bit tables and sparse weights; int8 is unpacked to fp16 and saves no "
             "bandwidth",
     .rewrite = "4-bit tables on M1",
     .sources = rule::int8_on_m1::kSources,
     .is_direct = true,
     .function = rule::int8_on_m1::look_at_function});

}  // namespace anemone::lint
