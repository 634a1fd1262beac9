#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::lut4_coremltools_9 {

constexpr std::string_view kFacts[] = {"W20"};
constexpr Source kSources[] = {
    {Confidence::kMeasured,
     "apple/coremltools issue 2716 (cosine 0.03 on the CPU, 0.63 on the engine)"}};

void look_at_program(Check& check) {
  const auto is_nine_text = [](std::string_view version) {
    return version == "9.0" || version.starts_with("9.0.");
  };
  bool is_nine = is_nine_text(check.program().subject->coremltools);
  for (const auto& [key, value] : check.program().subject->program->build_info) {
    is_nine = is_nine || (key.find("coremltools") != std::string::npos &&
                          key.find("version") != std::string::npos && is_nine_text(value));
  }
  if (!is_nine) return;
  std::uint64_t count = 0;
  for (const FunctionView& function : check.program().functions) {
    for (const mil::Op* op : function.ops()) {
      const mil::Value* indices = op->find_input("indices");
      count += op->type() == "constexpr_lut_to_dense" && indices != nullptr &&
               indices->type.dtype == DType::kU4;
    }
  }
  if (count > 0) check.report(counted(count, "4-bit lookup table") + " made by coremltools 9.0");
}

}  // namespace rule::lut4_coremltools_9

ANEMONE_DEFINE_RULE(lut4_coremltools_9) = sourced(
    {.id = "lut4-coremltools-9",
     .facts = rule::lut4_coremltools_9::kFacts,
     .severity = Severity::kNumeric,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "M4, macOS 26, coremltools 9.0"},
     .looks_at =
         "4-bit lookup tables in a program or package that names coremltools 9.0 as its maker",
     .says = "4-bit tables made by coremltools 9.0 gave wrong values, and crashed after 100 to 200 "
             "predictions",
     .rewrite = "make them with another version, and soak every package for 300 predictions",
     .sources = rule::lut4_coremltools_9::kSources,
     .program = rule::lut4_coremltools_9::look_at_program});

}  // namespace anemone::lint
