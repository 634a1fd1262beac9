#include "anemone/lint/pattern.h"
#include "anemone/lint/sources.h"

namespace anemone::lint {
namespace rule::lone_slice_update {

constexpr std::string_view kFacts[] = {"O03"};
constexpr Source kSources[] = {{Confidence::kMeasured, from::kAnemllProfile},
                               {Confidence::kMeasured, from::kSweep}};
constexpr std::string_view kOps[] = {"slice_update"};

void look(Check& check, const mil::Op& op) {
  // Several updates of one reading may follow each other before the write.
  const mil::Value* x = op.find_input("x");
  while (x != nullptr && is_type(x->producer, {"slice_update"})) x = x->producer->find_input("x");
  const bool is_read = x != nullptr && is_type(x->producer, {"read_state"});
  bool is_written = false;
  for (const Use& use : check.function().uses(*op.output())) {
    is_written = is_written || is_type(use.op, {"write_state", "slice_update"});
  }
  if (!is_read) {
    check.report("updates rows of a value that is not just read from a state");
  } else if (!is_written) {
    check.report("updates rows of a state's contents, but its result is not written back");
  }
}

}  // namespace rule::lone_slice_update

ANEMONE_DEFINE_RULE(lone_slice_update) = sourced(
    {.id = "lone-slice-update",
     .facts = rule::lone_slice_update::kFacts,
     .severity = Severity::kLeavesAne,
     .confidence = Confidence::kMeasured,
     .scope = {.says = "macOS 15 to 26"},
     .looks_at = "slice_update whose x is not a read state, or whose result is not written back",
     .says = "a slice_update that does not stand between its state's read and write has no kernel",
     .rewrite = "keep read_state, slice_update and write_state next to each other",
     .sources = rule::lone_slice_update::kSources,
     .moves = true,
     .ops = rule::lone_slice_update::kOps,
     .op = rule::lone_slice_update::look});

}  // namespace anemone::lint
