#include "anemone/engine/fuse.h"

#include <algorithm>

#include "anemone/mil/op.h"

namespace anemone::engine {

using mil::Op;
using mil::Value;

// Each line of fusions.inc twice: as a declaration, and as a row of the table.
#define ANEMONE_FUSION(fusion) extern const FusionDef fusion_##fusion;
#include "anemone/engine/fusions/fusions.inc"
#undef ANEMONE_FUSION

namespace {

constexpr const FusionDef* kFusions[] = {
#define ANEMONE_FUSION(fusion) &fusion_##fusion,
#include "anemone/engine/fusions/fusions.inc"
#undef ANEMONE_FUSION
};

}  // namespace

std::span<const FusionDef* const> all_fusions() { return kFusions; }

FusionGraph::FusionGraph(const mil::Function& function, const std::vector<const Op*>& ops,
                         Known known)
    : ops_(ops), known_(std::move(known)) {
  for (std::size_t i = 0; i < ops.size(); ++i) {
    positions_[ops[i]] = i;
    for (const mil::Input& input : ops[i]->inputs) {
      for (const Value* value : input.values) {
        auto& users = users_[value];
        if (users.empty() || users.back() != ops[i]) users.push_back(ops[i]);
      }
    }
  }
  for (const Value* output : function.body.outputs) outputs_.insert(output);
}

std::optional<double> FusionGraph::number(const Value* value) const {
  const Tensor* tensor = value == nullptr ? nullptr : known_(*value);
  if (tensor == nullptr || tensor->count() != 1) return std::nullopt;
  return tensor->number(0);
}

bool FusionGraph::flag(const Op& op, std::string_view parameter) const {
  const Value* value = op.find_input(parameter);
  const Tensor* tensor = value == nullptr ? nullptr : known_(*value);
  return tensor != nullptr && tensor->integer(0) != 0;
}

std::span<const Op* const> FusionGraph::users(const Value& value) const {
  const auto found = users_.find(&value);
  if (found == users_.end()) return {};
  return found->second;
}

const Group* FusionGraph::group_of(const Op& op) const {
  const auto found = groups_.find(&op);
  return found == groups_.end() ? nullptr : found->second.get();
}

const Op* FusionGraph::sole(const Value* value, std::string_view type) const {
  if (value == nullptr || value->producer == nullptr || known_(*value) != nullptr) return nullptr;
  const Op* op = value->producer;
  const bool may_be = op->type() == type && positions_.count(op) > 0 && is_free(*op) &&
                      !is_output(*value) && users(*value).size() == 1;
  if (!may_be) return nullptr;
  // x + x uses x twice: as one operand it would be inside, as the other outside.
  std::size_t uses = 0;
  for (const mil::Input& input : users(*value).front()->inputs) {
    uses += static_cast<std::size_t>(std::count(input.values.begin(), input.values.end(), value));
  }
  return uses == 1 ? op : nullptr;
}

void FusionGraph::add(Group group) {
  for (const Op* op : std::vector(group.ops)) {
    const Group* other = group_of(*op);
    if (other == nullptr) continue;
    for (const Op* member : other->ops) {
      if (std::find(group.ops.begin(), group.ops.end(), member) == group.ops.end()) {
        group.ops.push_back(member);
      }
    }
    if (group.padding == nullptr) group.padding = other->padding;
  }
  const auto before = [this](const Op* a, const Op* b) { return position(*a) < position(*b); };
  std::sort(group.ops.begin(), group.ops.end(), before);
  std::sort(group.rows.begin(), group.rows.end(), before);
  const auto shared = std::make_shared<const Group>(std::move(group));
  for (const Op* op : shared->ops) groups_[op] = shared;
}

std::vector<Group> FusionGraph::groups() const {
  std::vector<Group> groups;
  for (const Op* op : ops_) {
    const Group* group = group_of(*op);
    if (group == nullptr) {
      groups.push_back({.ops = {op}});
    } else if (group->ops.back() == op) {
      groups.push_back(*group);
    }
  }
  return groups;
}

std::vector<Group> group_ops(const mil::Function& function, const std::vector<const Op*>& ops,
                             bool fuse, FusionGraph::Known known) {
  FusionGraph graph(function, ops, std::move(known));
  if (fuse) {
    for (const FusionDef* fusion : all_fusions()) fusion->find(graph);
  }
  return graph.groups();
}

}  // namespace anemone::engine
