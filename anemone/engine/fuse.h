#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "anemone/engine/kernel.h"
#include "anemone/mil/program.h"

namespace anemone::engine {

// A softmax over scores of queries against keys, and the values mixed by it.
struct AttentionMatch {
  const mil::Value* query = nullptr;   // [B.., M, D]
  const mil::Value* keys = nullptr;    // [B.., N, D]
  const mil::Value* values = nullptr;  // [B.., N, V]
  const mil::Value* scale = nullptr;   // one number that scores are multiplied by, or null
  const mil::Value* mask = nullptr;    // added to the scores, or null
  bool divides = false;                // scores are divided by `scale`
};

// Ops that run together, at the place of the last. One op is a group of its own.
struct Group {
  std::string_view fusion = {};     // the pass that found it; empty for one op
  std::vector<const mil::Op*> ops;  // in running order
  // What several ops are: an attention; or an op with a kernel (`core`), perhaps with zeros around
  // its input (`padding`), whose results go through the ops `rows`; or `rows` alone.
  std::optional<AttentionMatch> attention = std::nullopt;
  const mil::Op* core = nullptr;
  const mil::Op* padding = nullptr;
  std::vector<const mil::Op*> rows = {};
  bool is_repetition = false;  // the last op, a reshape, joins an axis that stands still to another
};

// The ops that a function needs, who uses what, and which are in groups already.
class FusionGraph {
 public:
  // What is known of a value before any call, or null.
  using Known = std::function<const Tensor*(const mil::Value&)>;
  FusionGraph(const mil::Function& function, const std::vector<const mil::Op*>& ops, Known known);

  const std::vector<const mil::Op*>& ops() const { return ops_; }
  const Tensor* known(const mil::Value& value) const { return known_(value); }
  // A known number, or absent.
  std::optional<double> number(const mil::Value* value) const;
  bool flag(const mil::Op& op, std::string_view parameter) const;
  // Ops that use the value, each once.
  std::span<const mil::Op* const> users(const mil::Value& value) const;
  bool is_output(const mil::Value& value) const { return outputs_.count(&value) > 0; }
  std::size_t position(const mil::Op& op) const { return positions_.at(&op); }

  // The group that has the op so far, or null.
  const Group* group_of(const mil::Op& op) const;
  bool is_free(const mil::Op& op) const { return group_of(op) == nullptr; }
  // The op that gives the value, if it is of that type, free, needed, and gives it to one user as
  // one operand.
  const mil::Op* sole(const mil::Value* value, std::string_view type) const;
  // Makes a group of ops; a group that some of them were in is part of it from now on.
  void add(Group group);

  // All groups and single ops in running order.
  std::vector<Group> groups() const;

 private:
  const std::vector<const mil::Op*>& ops_;
  Known known_;
  std::unordered_map<const mil::Value*, std::vector<const mil::Op*>> users_;
  std::unordered_set<const mil::Value*> outputs_;
  std::unordered_map<const mil::Op*, std::size_t> positions_;
  std::unordered_map<const mil::Op*, std::shared_ptr<const Group>> groups_;
};

// A pass that finds groups of one kind. One file each in fusions/; they run in the order of
// fusions.inc.
struct FusionDef {
  std::string_view name = {};
  std::string_view says = {};
  void (*find)(FusionGraph& graph) = nullptr;
};

// ANEMONE_DEFINE_FUSION(rotary) = {.name = "rotary", ...}; once, at the end of the pass's file.
#define ANEMONE_DEFINE_FUSION(stem)     \
  extern const FusionDef fusion_##stem; \
  constinit const FusionDef fusion_##stem

std::span<const FusionDef* const> all_fusions();

// Groups ops, which come in running order. An op joins a group only if nobody outside of it uses
// what it gives. With `fuse` false every op stays by itself.
std::vector<Group> group_ops(const mil::Function& function, const std::vector<const mil::Op*>& ops,
                             bool fuse, FusionGraph::Known known);

// How the numbers in between are rounded: as the ops by themselves would, or not at all.
struct AttentionRounding {
  bool between = false;
  bool at_end = false;
};
// A kernel for the whole, giving the output of `lowering`'s op; null if shapes or places do not
// suit. `scale` multiplies the scores (divides them, if the match says so) unless it is 1.
std::unique_ptr<Kernel> plan_attention(Lowering& lowering, const AttentionMatch& match, float scale,
                                       const AttentionRounding& rounding);

}  // namespace anemone::engine
