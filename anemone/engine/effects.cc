#include "anemone/engine/effects.h"

#include <algorithm>
#include <limits>

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

struct Rows {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool meets(const Rows& other) const { return begin < other.end && other.begin < end; }
};

// The rows of x, which are `from`, that a slice_by_index takes, as far as its constants tell.
Rows rows_of_slice(const Op& op, const Rows& from) {
  const std::int64_t extent = from.end - from.begin;
  const Value* begin = op.find_input("begin");
  const Value* end = op.find_input("end");
  for (const char* more : {"stride", "begin_mask", "end_mask", "squeeze_mask"}) {
    if (op.find_input(more) != nullptr) return from;
  }
  if (!begin->is_constant() || !end->is_constant()) return from;
  const std::int64_t first = begin->constant->integer(0);
  const std::int64_t last = end->constant->integer(0);
  if (first < 0 || last > extent || first > last) return from;
  return {from.begin + first, from.begin + last};
}

// The analysis of one state. Its contents are numbered: a change ends one version and begins the
// next.
class StateWalk {
 public:
  using Groups = std::span<const Group>;

  StateWalk(const mil::Function& function, const Value* state, Groups groups,
            const Value* (*viewed)(const Op&), StateUse& use)
      : function_(function), state_(state), groups_(groups), viewed_(viewed), use_(use) {
    extent_ = state->type.shape.empty() ? 1 : state->type.shape[0];
  }

  void run() {
    find_positions();
    for (std::size_t p = 0; p < groups_.size(); ++p) {
      for (const Op* op : groups_[p].ops) visit(*op, static_cast<int>(p));
    }
    find_uses();
    for (std::size_t v = 0; v < changes_.size(); ++v) try_placing(v);
    find_aliases();
  }

 private:
  // A value that shows the state, or part of it.
  struct Alias {
    int version = 0;
    bool is_whole = false;  // the state as it is, not a part or another shape
    Rows rows;
    bool is_by_rows = true;         // its first axis is the state's, from rows.begin on
    int position = 0;               // where it is made
    const Value* parent = nullptr;  // what it is a view of
  };
  // What ends a version: at one place as a whole, or row by row at several.
  struct Change {
    int position = 0;
    const Op* op = nullptr;
    std::vector<std::pair<Rows, int>> rows;
  };

  int version() const { return static_cast<int>(changes_.size()); }

  const Alias* find(const Value* value) const {
    const auto found = known_.find(value);
    return found == known_.end() ? nullptr : &found->second;
  }

  bool is_current_whole(const Value* value) const {
    const Alias* alias = find(value);
    return alias != nullptr && alias->is_whole && alias->version == version();
  }

  void add(const Value* value, const Alias& alias) {
    if (known_.emplace(value, alias).second) order_.push_back(value);
  }

  // Adds what `op` gives if it is a view of something known.
  void add_views(const Op& op, int p) {
    const Value* from = viewed_(op);
    const Alias* found = from == nullptr ? nullptr : find(from);
    if (found == nullptr) return;
    Alias made = *found;
    made.is_whole &= op.type() == "identity";
    made.position = p;
    made.parent = from;
    if (op.type() == "slice_by_index" && made.is_by_rows) {
      made.rows = rows_of_slice(op, made.rows);
      made.is_by_rows = made.rows.end - made.rows.begin == op.output()->type.shape[0];
    } else {
      made.is_by_rows &= op.type() == "identity";
    }
    for (const auto& output : op.outputs) add(output.get(), made);
  }

  void visit(const Op& op, int p) {
    const Rows all{0, extent_};
    if (reads(op, state_)) {
      add(op.output(), {version(), true, all, true, p, nullptr});
    } else if (writes(op, state_)) {
      if (is_current_whole(op.find_input("data"))) {
        use_.in_place.emplace(&op, state_);
      } else {
        changes_.push_back({p, &op, {{all, p}}});
      }
    } else if (updates(op) && is_current_whole(op.find_input("x")) && is_written_back(op, p)) {
      use_.in_place.emplace(&op, state_);
      changes_.push_back({p, &op, {{all, p}}});
      add(op.output(), {version(), true, all, true, p, nullptr});
    } else {
      add_views(op, p);
    }
  }

  // True if the next thing that happens to the state is a write of what `op` gives, or of what
  // further updates make of it, and nobody reads the state in between.
  bool is_written_back(const Op& op, int p) const {
    const Value* latest = op.output();
    bool is_past = false;
    for (auto q = static_cast<std::size_t>(p); q < groups_.size(); ++q) {
      for (const Op* next : groups_[q].ops) {
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

  void find_positions() {
    for (std::size_t p = 0; p < groups_.size(); ++p) {
      for (const Op* op : groups_[p].ops) {
        positions_[op] = static_cast<int>(p);
        for (const mil::Input& input : op->inputs) {
          for (const Value* value : input.values) users_[value].push_back({op, input.name});
        }
      }
    }
    for (const Value* output : function_.body.outputs) users_[output].push_back({nullptr, ""});
  }

  // Where elements of a value are looked at last; making a view of it does not look.
  int last_look(const Value* value, const Alias& alias) const {
    int last = -1;
    const auto users = users_.find(value);
    if (users == users_.end()) return last;
    for (const auto& [op, parameter] : users->second) {
      if (op == nullptr) return kNever;
      if (viewed_(*op) == value && find(op->output()) != nullptr) continue;
      const auto elided = use_.in_place.find(op);
      const bool is_elided = elided != use_.in_place.end() && !updates(*op);
      if (is_elided) continue;
      // The change that ends this version may itself look in one way: an update in place takes the
      // whole state and touches nothing but its rows.
      const auto ends = static_cast<std::size_t>(alias.version);
      if (ends < changes_.size() && changes_[ends].op == op) {
        const bool is_harmless = parameter == "x" && elided != use_.in_place.end();
        last = std::max(last, is_harmless ? positions_.at(op) : kNever);
      } else {
        last = std::max(last, positions_.at(op));
      }
    }
    return last;
  }

  void find_uses() {
    for (const Value* value : order_) looks_[value] = last_look(value, known_.at(value));
  }

  // Where the rows of a version change for the first time.
  int limit(const Alias& alias) const {
    const auto ends = static_cast<std::size_t>(alias.version);
    if (ends >= changes_.size()) return kNever;
    int first = kNever;
    for (const auto& [rows, position] : changes_[ends].rows) {
      if (rows.meets(alias.rows)) first = std::min(first, position);
    }
    return first;
  }

  // The values that a write joins, in the order of their rows; empty unless each is computed by an
  // op of its own after the version that the write ends began.
  std::vector<const Value*> parts_of(const Op& write, std::size_t v) const {
    const Value* data = write.find_input("data");
    std::vector<const Value*> parts = {data};
    const Op* join = data->producer;
    if (join != nullptr && join->type() == "concat" && !data->is_constant() &&
        users_.at(data).size() == 1) {
      const Value* axis = join->find_input("axis");
      const Value* interleave = join->find_input("interleave");
      const bool is_plain = axis->is_constant() && axis->constant->integer(0) == 0 &&
                            (interleave == nullptr || interleave->constant->integer(0) == 0);
      if (is_plain) {
        const auto values = join->find_inputs("values");
        parts.assign(values.begin(), values.end());
      }
    }
    const int begins = v == 0 ? -1 : changes_[v - 1].position;
    std::unordered_set<const Value*> seen;
    for (const Value* part : parts) {
      const Op* op = part->producer;
      const bool is_computed = op != nullptr && positions_.count(op) > 0 &&
                               op->def->effect == mil::Effect::kNone && viewed_(*op) == nullptr &&
                               use_.in_place.count(op) == 0 && use_.placed.count(part) == 0;
      if (!is_computed || !seen.insert(part).second || find(part) != nullptr ||
          positions_.at(op) <= begins) {
        return {};
      }
    }
    return parts;
  }

  // If a write puts in what was computed row by row, and nobody looks at what a row held after its
  // successor is there, each row is put in place as soon as it is computed.
  void try_placing(std::size_t v) {
    const Change& change = changes_[v];
    if (change.op->def->effect != mil::Effect::kWritesState) return;
    const std::vector<const Value*> parts = parts_of(*change.op, v);
    std::vector<std::pair<Rows, int>> rows;
    std::int64_t at = 0;
    for (const Value* part : parts) {
      const std::int64_t extent = parts.size() == 1 ? extent_ : part->type.shape[0];
      rows.push_back({{at, at + extent}, positions_.at(part->producer)});
      at += extent;
    }
    if (parts.empty() || at != extent_) return;
    for (const Value* value : order_) {
      const Alias& alias = known_.at(value);
      if (alias.version != static_cast<int>(v)) continue;
      for (const auto& [range, position] : rows) {
        if (range.meets(alias.rows) && looks_.at(value) > position) return;
      }
    }
    const Value* data = change.op->find_input("data");
    use_.in_place.emplace(change.op, state_);
    if (parts.front() != data) use_.in_place.emplace(data->producer, state_);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      use_.placed.emplace(parts[i], StateRows{state_, rows[i].first.begin, rows[i].first.end});
      add(parts[i], {static_cast<int>(v) + 1, false, rows[i].first, true, rows[i].second, nullptr});
    }
    changes_[v].rows = std::move(rows);
    for (std::size_t p = 0; p < groups_.size(); ++p) {
      for (const Op* op : groups_[p].ops) add_views(*op, static_cast<int>(p));
    }
    find_uses();
  }

  void find_aliases() {
    std::stable_sort(order_.begin(), order_.end(), [&](const Value* a, const Value* b) {
      return known_.at(a).position < known_.at(b).position;
    });
    // A view that outlives what it shows is copied where it is made, which looks at its parent
    // there.
    std::unordered_set<const Value*> late;
    for (std::size_t i = order_.size(); i-- > 0;) {
      const Alias& alias = known_.at(order_[i]);
      if (looks_[order_[i]] <= limit(alias)) continue;
      late.insert(order_[i]);
      if (alias.parent != nullptr) {
        int& look = looks_[alias.parent];
        look = std::max(look, alias.position);
      }
    }
    for (const Value* value : order_) {
      const Value* parent = known_.at(value).parent;
      if (late.count(value) == 0 && (parent == nullptr || use_.aliases.count(parent) > 0)) {
        use_.aliases.insert(value);
      }
    }
  }

  const mil::Function& function_;
  const Value* state_;
  Groups groups_;
  const Value* (*viewed_)(const Op&);
  StateUse& use_;
  std::int64_t extent_ = 1;
  std::vector<Change> changes_;  // changes_[v] ends version v
  std::unordered_map<const Value*, Alias> known_;
  std::vector<const Value*> order_;
  std::unordered_map<const Op*, int> positions_;
  std::unordered_map<const Value*, std::vector<std::pair<const Op*, std::string_view>>> users_;
  std::unordered_map<const Value*, int> looks_;
};

}  // namespace

StateUse analyse_states(const mil::Function& function, std::span<const Group> groups,
                        const Value* (*viewed)(const Op&)) {
  StateUse use;
  for (const auto& input : function.inputs) {
    if (input->type.is_state()) StateWalk(function, input.get(), groups, viewed, use).run();
  }
  return use;
}

}  // namespace anemone::engine
