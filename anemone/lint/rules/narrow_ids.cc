#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::narrow_ids {

constexpr std::string_view kFacts[] = {"T10"};
constexpr Source kSources[] = {{Confidence::kMeasured, "pytorch/executorch PR 7616"}};
constexpr std::string_view kOps[] = {"gather", "gather_along_axis"};

void look(Check& check, const mil::Op& op) {
  const mil::Value* table = op.find_input("x");
  const mil::Value* ids = op.find_input("indices");
  if (table == nullptr || ids == nullptr || mil::is_fixed(*ids)) return;
  const auto axis = static_cast<std::size_t>(absolute_axis(
      static_cast<std::int64_t>(find_number(op.find_input("axis")).value_or(0)), *table));
  const std::int64_t rows = axis_extent(*table, axis);
  const DType dtype = ids->type.dtype;
  const std::int64_t limit = dtype == DType::kI16 ? 32767 : 65535;
  if (rows - 1 <= limit) return;
  if (width_bits(dtype) > 16) {
    // Harmless where the gather runs on the CPU, as it is predicted to.
    check.report(*ids, "ids of " + grouped(static_cast<std::uint64_t>(rows)) +
                           " rows: where the engine took the gather they were cast to 16 bits");
    return;
  }
  check.report(*ids, "ids of " + std::string(anemone::name(dtype)) + " cannot name all " +
                         grouped(static_cast<std::uint64_t>(rows)) + " rows");
}

}  // namespace rule::narrow_ids

ANEMONE_DEFINE_RULE(narrow_ids) = sourced(
    {.id = "narrow-ids",
     .facts = rule::narrow_ids::kFacts,
     .severity = Severity::kNumeric,
     .confidence = Confidence::kMeasured,
     .looks_at =
         "gathers whose indices pass through a 16-bit integer too small for the table, or that "
         "look up more rows than 16 bits can name",
     .says = "token ids cast to 16 bits cannot name every row of a large vocabulary",
     .rewrite = "look rows up on the host, or keep ids in 32 bits",
     .sources = rule::narrow_ids::kSources,
     .ops = rule::narrow_ids::kOps,
     .op = rule::narrow_ids::look});

}  // namespace anemone::lint
