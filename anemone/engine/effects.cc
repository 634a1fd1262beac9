#include "anemone/engine/effects.h"

#include <limits>
#include <unordered_map>

#include "anemone/mil/op.h"

namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

constexpr int kNever = std::numeric_limits<int>::max();

bool reads(const Op& op, const Value* state) {
  return op.def->effect == mil::Effect::kReadsState && op.find_input("input") == state;
}
bool writes(const Op& op, const Value* state) {
  return op.def->effect == mil::Effect::kWritesState && op.find_input("input") == state;
}
bool updates(const Op& op) { return op.type() == "slice_update"; }

// The analysis of one state.
class StateWalk {
 public:
  using Steps = std::span<const Group>;

  StateWalk(const Value* state, Steps steps, const Value* (*viewed)(const Op&), StateUse& use)
      : state_(state), steps_(steps), viewed_(viewed), use_(use) {}

  void run(const std::vector<Value*>& outputs) {
    for (std::size_t p = 0; p < steps_.size(); ++p) {
      for (const Op* op : steps_[p].ops) visit(*op, static_cast<int>(p));
    }
    find_uses(outputs);
    for (const Value* value : order_) {
      const Value* parent = parents_.at(value);
      const bool has_place = parent == nullptr || use_.aliases.count(parent) > 0;
      if (has_place && !is_used_late(value)) use_.aliases.insert(value);
    }
  }

 private:
  // The state's contents are numbered; a value belongs to the contents that it shows.
  struct Alias {
    int version = 0;
    bool is_whole = false;  // the state as it is, not a part or another shape
  };

  void add(const Value* value, Alias alias, const Value* parent) {
    known_[value] = alias;
    parents_[value] = parent;
    order_.push_back(value);
  }

  const Alias* find(const Value* value) const {
    const auto found = known_.find(value);
    return found == known_.end() ? nullptr : &found->second;
  }

  bool is_current_whole(const Value* value) const {
    const Alias* alias = find(value);
    return alias != nullptr && alias->is_whole && alias->version == version();
  }

  int version() const { return static_cast<int>(changes_.size()); }

  void visit(const Op& op, int p) {
    if (reads(op, state_)) {
      add(op.output(), {version(), true}, nullptr);
    } else if (writes(op, state_)) {
      if (is_current_whole(op.find_input("data"))) {
        use_.in_place.emplace(&op, state_);
      } else {
        changes_.push_back({p, &op});
      }
    } else if (updates(op) && is_current_whole(op.find_input("x")) && is_written_back(op, p)) {
      use_.in_place.emplace(&op, state_);
      changes_.push_back({p, &op});
      add(op.output(), {version(), true}, nullptr);
    } else if (const Value* from = viewed_(op)) {
      if (const Alias* alias = find(from)) {
        const Alias made{alias->version, alias->is_whole && op.type() == "identity"};
        for (const auto& output : op.outputs) add(output.get(), made, from);
      }
    }
  }

  // True if the next thing that happens to the state is a write of what `op` gives, or of what
  // further updates make of it, and nobody reads the state in between.
  bool is_written_back(const Op& op, int p) const {
    const Value* latest = op.output();
    bool is_past = false;
    for (auto q = static_cast<std::size_t>(p); q < steps_.size(); ++q) {
      for (const Op* next : steps_[q].ops) {
        if (next == &op) {
          is_past = true;
        } else if (!is_past) {
          continue;
        } else if (reads(*next, state_)) {
          return false;
        } else if (writes(*next, state_)) {
          return next->find_input("data") == latest;
        } else if (updates(*next) && next->find_input("x") == latest) {
          latest = next->output();
        }
      }
    }
    return false;
  }

  void find_uses(const std::vector<Value*>& outputs) {
    for (std::size_t p = 0; p < steps_.size(); ++p) {
      for (const Op* op : steps_[p].ops) {
        for (const mil::Input& input : op->inputs) {
          for (const Value* value : input.values) {
            const Alias* alias = find(value);
            if (alias == nullptr) continue;
            // The change that ends this version may itself read it in one way: an update in place
            // takes the whole state and touches nothing but its rows.
            const auto ends = static_cast<std::size_t>(alias->version);
            const bool is_change = ends < changes_.size() && changes_[ends].op == op;
            const bool is_harmless = is_change && input.name == "x" && use_.in_place.count(op) > 0;
            const int at = static_cast<int>(p);
            int& last = last_use_.try_emplace(value, -1).first->second;
            last = std::max(last, is_change && !is_harmless ? kNever : at);
          }
        }
      }
    }
    for (const Value* value : outputs) {
      if (find(value) != nullptr) last_use_[value] = kNever;
    }
  }

  bool is_used_late(const Value* value) const {
    const auto ends = static_cast<std::size_t>(known_.at(value).version);
    if (ends >= changes_.size()) return false;
    const auto last = last_use_.find(value);
    return last != last_use_.end() && last->second > changes_[ends].position;
  }

  struct Change {
    int position = 0;
    const Op* op = nullptr;
  };

  const Value* state_;
  Steps steps_;
  const Value* (*viewed_)(const Op&);
  StateUse& use_;
  std::vector<Change> changes_;  // changes_[v] ends version v
  std::unordered_map<const Value*, Alias> known_;
  std::unordered_map<const Value*, const Value*> parents_;
  std::unordered_map<const Value*, int> last_use_;
  std::vector<const Value*> order_;
};

}  // namespace

StateUse analyse_states(const mil::Function& function, std::span<const Group> groups,
                        const Value* (*viewed)(const Op&)) {
  StateUse use;
  for (const auto& input : function.inputs) {
    if (!input->type.is_state()) continue;
    StateWalk(input.get(), groups, viewed, use).run(function.body.outputs);
  }
  return use;
}

}  // namespace anemone::engine
