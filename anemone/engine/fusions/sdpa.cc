#include <algorithm>

#include "anemone/engine/fuse.h"

// matmul(softmax(matmul(query, keys^T) * scale + mask), values), however it is spelled: the scale
// may divide, either side of a sum or product may be the scores, and keys may have been turned by
// an op of their own.
namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

// The input of a transpose that swaps the last two axes alone, or null.
const Value* unturned(const FusionGraph& graph, const Value* value) {
  const Op* op = value->producer;
  if (op == nullptr || op->type() != "transpose" || graph.known(*value) != nullptr) return nullptr;
  const Tensor* perm = graph.known(*op->find_input("perm"));
  if (perm == nullptr) return nullptr;
  std::vector<std::int64_t> axes = perm->to_ints();
  const auto rank = static_cast<std::int64_t>(axes.size());
  for (std::int64_t i = 0; i < rank; ++i) {
    std::int64_t axis = axes[static_cast<std::size_t>(i)];
    axis += axis < 0 ? rank : 0;
    const std::int64_t wanted = i == rank - 1 ? rank - 2 : i == rank - 2 ? rank - 1 : i;
    if (axis != wanted) return nullptr;
  }
  return op->find_input("x");
}

std::optional<Group> attention(const FusionGraph& graph, const Op& last) {
  if (last.type() != "matmul" || !graph.is_free(last) || graph.flag(last, "transpose_x") ||
      graph.flag(last, "transpose_y")) {
    return std::nullopt;
  }
  const Op* softmax = graph.sole(last.find_input("x"), "softmax");
  if (softmax == nullptr) return std::nullopt;
  const auto rank = static_cast<double>(softmax->output()->type.shape.size());
  const Value* axis = softmax->find_input("axis");
  const double along = axis == nullptr ? -1 : graph.number(axis).value_or(rank);
  if (along != -1 && along != rank - 1) return std::nullopt;
  AttentionMatch match;
  match.values = last.find_input("y");
  std::vector<const Op*> ops = {&last, softmax};
  const Value* scores = softmax->find_input("x");
  const auto may_be_scores = [&](const Value* value) {
    return graph.sole(value, "matmul") != nullptr || graph.sole(value, "mul") != nullptr ||
           graph.sole(value, "real_div") != nullptr;
  };
  if (const Op* add = graph.sole(scores, "add")) {
    // Either side may be the scores; the other is the mask.
    const Value* x = add->find_input("x");
    const Value* y = add->find_input("y");
    const bool is_x = may_be_scores(x);
    scores = is_x ? x : y;
    match.mask = is_x ? y : x;
    ops.push_back(add);
  }
  if (const Op* mul = graph.sole(scores, "mul")) {
    const Value* x = mul->find_input("x");
    const Value* y = mul->find_input("y");
    if (!graph.number(x) && !graph.number(y)) return std::nullopt;
    match.scale = graph.number(y) ? y : x;
    scores = graph.number(y) ? x : y;
    ops.push_back(mul);
  } else if (const Op* division = graph.sole(scores, "real_div")) {
    match.scale = division->find_input("y");
    match.divides = true;
    if (!graph.number(match.scale)) return std::nullopt;
    scores = division->find_input("x");
    ops.push_back(division);
  }
  const Op* first = graph.sole(scores, "matmul");
  if (first == nullptr || graph.flag(*first, "transpose_x")) return std::nullopt;
  match.query = first->find_input("x");
  match.keys = first->find_input("y");
  if (!graph.flag(*first, "transpose_y")) {
    match.keys = unturned(graph, match.keys);
    if (match.keys == nullptr) return std::nullopt;
  }
  ops.push_back(first);
  const Shape& shape = scores->type.shape;
  // Masks and scales stretch to the scores, never the other way round.
  if (shape != softmax->output()->type.shape || shape.size() < 2) return std::nullopt;
  std::reverse(ops.begin(), ops.end());
  return Group{.fusion = "attention", .ops = std::move(ops), .attention = match};
}

void find(FusionGraph& graph) {
  for (const Op* op : graph.ops()) {
    if (auto group = attention(graph, *op)) graph.add(std::move(*group));
  }
}

}  // namespace

ANEMONE_DEFINE_FUSION(sdpa) = {
    .name = "attention",
    .says =
        "matmul(softmax(matmul(q, k^T) * scale + mask), v): one block of rows at a time, keys "
        "that the mask hides left out",
    .find = find};

}  // namespace anemone::engine
