#pragma once

#include <memory>
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
};

// Ops that run together, at the place of the last. One op is a group of its own.
struct Group {
  std::vector<const mil::Op*> ops;
  std::optional<AttentionMatch> attention;  // what several ops are
};

// Groups ops, which come in running order. An op joins a group only if nobody else uses what it
// gives. With `fuse` false every op stays by itself.
std::vector<Group> group_ops(const mil::Function& function, const std::vector<const mil::Op*>& ops,
                             bool fuse);

// How the numbers in between are rounded: as the ops by themselves would, or not at all.
struct AttentionRounding {
  bool between = false;
  bool at_end = false;
};
// A kernel for the whole, giving the output of `lowering`'s op; null if shapes or places do not
// suit. `scale` multiplies the scores unless it is 1.
std::unique_ptr<Kernel> plan_attention(Lowering& lowering, const AttentionMatch& match, float scale,
                                       const AttentionRounding& rounding);

}  // namespace anemone::engine
