#include "anemone/lint/islands.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "anemone/base/check.h"
#include "anemone/lint/lint.h"
#include "anemone/mil/cost.h"

namespace anemone::lint {
namespace {

bool makes_no_island(const mil::Op& op) {
  return op.type() == "const" || op.type().starts_with("constexpr_") || op.type() == "read_state" ||
         op.type() == "write_state";
}

void visit_inputs(const mil::Op& op, const std::function<void(const mil::Value&)>& visit) {
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) visit(*value);
  }
  for (const auto& block : op.blocks) {
    for (const auto& nested : block->ops) visit_inputs(*nested, visit);
    for (const mil::Value* value : block->outputs) visit(*value);
  }
}

bool holds(const mil::Op& op, const std::unordered_set<const mil::Op*>& moved) {
  if (moved.count(&op) != 0) return true;
  for (const auto& block : op.blocks) {
    for (const auto& nested : block->ops) {
      if (holds(*nested, moved)) return true;
    }
  }
  return false;
}

// One function cut into levels. Ops of one unit stand on even levels, of the other on odd ones, and
// an op stands on the lowest level that its inputs allow; so each level is one island, and there
// are as few as that unit's going first allows.
class Cut {
 public:
  Cut(const mil::Function& function, const std::unordered_set<const mil::Op*>& moved, Unit first) {
    for (const auto& op : function.body.ops) place(*op, moved, first);
  }

  // Of islands.
  std::size_t count() const { return used_.size(); }

  FunctionIslands finish(const mil::Function& function) const {
    FunctionIslands result;
    result.function = function.name;
    std::vector<std::size_t> island_of_level(levels_, SIZE_MAX);
    for (std::size_t level = 0; level < levels_; ++level) {
      if (used_.count(level) == 0) continue;
      island_of_level[level] = result.islands.size();
      result.islands.push_back({});
    }
    std::map<std::pair<std::size_t, std::size_t>, std::unordered_set<const mil::Value*>> handed;
    for (const mil::Op* op : order_) {
      const std::size_t at = island_of_level[level_.at(op)];
      Island& island = result.islands[at];
      const mil::Cost cost = mil::cost_of(*op);
      island.unit = unit_.at(op);
      island.ops++;
      island.bytes += cost.bytes();
      island.flops += cost.flops;
      const std::string& label = op->outputs.empty() ? op->name : op->output()->name;
      if (island.first.empty()) island.first = label;
      island.last = label;
      result.island_of.emplace(op, at);
      visit_inputs(*op, [&](const mil::Value& value) {
        const auto maker = maker_.find(&value);
        if (maker == maker_.end() || maker->second == op) return;
        const std::size_t from = island_of_level[level_.at(maker->second)];
        if (unit_.at(maker->second) != unit_.at(op)) handed[{from, at}].insert(&value);
      });
    }
    for (const auto& [between, values] : handed) {
      Crossing crossing{.from = between.first, .to = between.second};
      for (const mil::Value* value : values) {
        crossing.copies.push_back({.tensor = value->name,
                                   .shape = anemone::to_string(value->type.shape),
                                   .dtype = std::string(anemone::name(value->type.dtype)),
                                   .bytes = mil::size_bytes(value->type)});
        crossing.bytes += crossing.copies.back().bytes;
      }
      std::sort(crossing.copies.begin(), crossing.copies.end(), [](const Copy& a, const Copy& b) {
        return a.bytes != b.bytes ? a.bytes > b.bytes : a.tensor < b.tensor;
      });
      result.copied_bytes += crossing.bytes;
      result.crossings.push_back(std::move(crossing));
    }
    return result;
  }

 private:
  void place(const mil::Op& op, const std::unordered_set<const mil::Op*>& moved, Unit first) {
    if (op.type() == "read_state") {
      // What is read was made by whoever wrote last.
      const mil::Value* state = op.find_input("input");
      const auto writer = writer_.find(state);
      if (writer != writer_.end() && !op.outputs.empty()) maker_[op.output()] = writer->second;
      return;
    }
    if (op.type() == "write_state") {
      const mil::Value* data = op.find_input("data");
      const auto maker = maker_.find(data);
      if (maker != maker_.end()) writer_[op.find_input("input")] = maker->second;
      return;
    }
    if (makes_no_island(op)) return;
    const Unit unit = holds(op, moved) ? Unit::kAway : Unit::kAne;
    std::size_t level = unit == first ? 0 : 1;
    visit_inputs(op, [&](const mil::Value& value) {
      const auto maker = maker_.find(&value);
      if (maker == maker_.end()) return;
      level = std::max(level, level_.at(maker->second) + (unit_.at(maker->second) == unit ? 0 : 1));
    });
    order_.push_back(&op);
    level_[&op] = level;
    unit_[&op] = unit;
    levels_ = std::max(levels_, level + 1);
    used_.insert(level);
    for (const auto& output : op.outputs) maker_[output.get()] = &op;
  }

  std::vector<const mil::Op*> order_;
  std::unordered_map<const mil::Op*, std::size_t> level_;
  std::unordered_map<const mil::Op*, Unit> unit_;
  std::unordered_map<const mil::Value*, const mil::Op*> maker_;   // which op's work a value is
  std::unordered_map<const mil::Value*, const mil::Op*> writer_;  // of a state
  std::unordered_set<std::size_t> used_;
  std::size_t levels_ = 0;
};

}  // namespace

std::string_view name(Unit unit) { return unit == Unit::kAne ? "ane" : "cpu/gpu"; }

FunctionIslands islands_of(const mil::Function& function, std::span<const Finding> findings) {
  std::unordered_set<const mil::Op*> moved;
  bool is_barred = false;
  for (const Finding& finding : findings) {
    if (finding.function != function.name) continue;
    if (finding.severity() == Severity::kBarred && finding.at == nullptr) is_barred = true;
    if (finding.rule->moves && finding.at != nullptr) moved.insert(finding.at);
  }
  if (is_barred) {
    for (const auto& op : function.body.ops) moved.insert(op.get());
  }
  const Cut ane_first(function, moved, Unit::kAne);
  const Cut away_first(function, moved, Unit::kAway);
  const Cut& best = away_first.count() < ane_first.count() ? away_first : ane_first;
  FunctionIslands result = best.finish(function);
  result.is_barred = is_barred;
  return result;
}

std::vector<FunctionIslands> islands(const Subject& subject, std::span<const Finding> findings) {
  ANEMONE_CHECK(subject.program != nullptr);
  std::vector<FunctionIslands> all;
  for (const auto& function : subject.program->functions) {
    all.push_back(islands_of(*function, findings));
  }
  return all;
}

}  // namespace anemone::lint
