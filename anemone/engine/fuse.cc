#include "anemone/engine/fuse.h"

#include <algorithm>

#include "anemone/mil/op.h"

namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

class Grouper {
 public:
  Grouper(const mil::Function& function, const std::vector<const Op*>& ops) : ops_(ops) {
    for (const Op* op : ops) {
      for (const mil::Input& input : op->inputs) {
        for (const Value* value : input.values) ++uses_[value];
      }
    }
    for (const Value* output : function.body.outputs) ++uses_[output];
  }

  std::vector<Group> run() {
    std::unordered_map<const Op*, Group> fused;  // by the last op
    for (const Op* op : ops_) {
      if (auto group = attention(*op)) {
        for (const Op* member : group->ops) taken_.insert(member);
        fused.emplace(op, std::move(*group));
      }
    }
    std::vector<Group> groups;
    for (const Op* op : ops_) {
      const auto found = fused.find(op);
      if (found != fused.end()) {
        groups.push_back(std::move(found->second));
      } else if (taken_.count(op) == 0) {
        groups.push_back({.ops = {op}, .attention = std::nullopt});
      }
    }
    return groups;
  }

 private:
  // The op that gives `value`, if it is of that type and gives it to one user alone.
  const Op* sole(const Value* value, std::string_view type) const {
    if (value == nullptr || value->producer == nullptr || value->is_constant()) return nullptr;
    const Op* op = value->producer;
    if (op->type() != type || taken_.count(op) > 0 || uses_.at(value) != 1) return nullptr;
    return op;
  }

  static bool flag(const Op& op, std::string_view parameter) {
    const Value* value = op.find_input(parameter);
    return value != nullptr && value->constant != nullptr && value->constant->integer(0) != 0;
  }

  static bool is_number(const Value* value) {
    return value->is_constant() && value->constant->count() == 1;
  }

  // matmul(softmax(matmul(query, keys^T) * scale + mask), values), the last op first.
  std::optional<Group> attention(const Op& last) const {
    if (last.type() != "matmul" || flag(last, "transpose_x") || flag(last, "transpose_y")) {
      return std::nullopt;
    }
    const Op* softmax = sole(last.find_input("x"), "softmax");
    if (softmax == nullptr) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(softmax->output()->type.shape.size());
    const Value* axis = softmax->find_input("axis");
    const std::int64_t along = axis == nullptr ? -1 : axis->constant->integer(0);
    if (along != -1 && along != rank - 1) return std::nullopt;
    AttentionMatch match;
    match.values = last.find_input("y");
    std::vector<const Op*> ops = {&last, softmax};
    const Value* scores = softmax->find_input("x");
    if (const Op* add = sole(scores, "add")) {
      // Either side may be the scores; the other is the mask.
      const Value* x = add->find_input("x");
      const Value* y = add->find_input("y");
      const bool is_x = sole(x, "matmul") != nullptr || sole(x, "mul") != nullptr;
      scores = is_x ? x : y;
      match.mask = is_x ? y : x;
      ops.push_back(add);
    }
    if (const Op* mul = sole(scores, "mul")) {
      const Value* x = mul->find_input("x");
      const Value* y = mul->find_input("y");
      if (!is_number(x) && !is_number(y)) return std::nullopt;
      match.scale = is_number(y) ? y : x;
      scores = is_number(y) ? x : y;
      ops.push_back(mul);
    }
    const Op* first = sole(scores, "matmul");
    if (first == nullptr || flag(*first, "transpose_x") || !flag(*first, "transpose_y")) {
      return std::nullopt;
    }
    match.query = first->find_input("x");
    match.keys = first->find_input("y");
    ops.push_back(first);
    const Shape& shape = scores->type.shape;
    // Masks and scales stretch to the scores, never the other way round.
    if (shape != softmax->output()->type.shape || shape.size() < 2) return std::nullopt;
    std::reverse(ops.begin(), ops.end());
    return Group{.ops = std::move(ops), .attention = match};
  }

  const std::vector<const Op*>& ops_;
  std::unordered_map<const Value*, int> uses_;
  std::unordered_set<const Op*> taken_;
};

}  // namespace

std::vector<Group> group_ops(const mil::Function& function, const std::vector<const Op*>& ops,
                             bool fuse) {
  if (fuse) return Grouper(function, ops).run();
  std::vector<Group> groups;
  for (const Op* op : ops) groups.push_back({.ops = {op}, .attention = std::nullopt});
  return groups;
}

}  // namespace anemone::engine
