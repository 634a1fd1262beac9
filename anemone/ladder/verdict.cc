#include "anemone/ladder/verdict.h"

#include <algorithm>

namespace anemone::ladder {
namespace {

using evidence::Placement;
using Result = Known::Result;

constexpr std::string_view kStandings[] = {"undecided", "supported", "refuted", "confounded"};

Result result_of(Placement placement) {
  switch (placement) {
    case Placement::kRuns:
    case Placement::kPlaced:
      return Result::kPasses;
    case Placement::kSupported:
    case Placement::kAway:
    case Placement::kFailed:
    case Placement::kWrong:
      return Result::kFails;
    case Placement::kPlanned:
    case Placement::kUnmeasured:
      break;
  }
  return Result::kUnclear;
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  }
  return text;
}

// A ladder's experiments with what is known of each, and what follows.
class Judge {
 public:
  Judge(const Ladder& ladder, const std::vector<evidence::Record>& records) : ladder_(ladder) {
    for (const Experiment& experiment : ladder.experiments) {
      known_.push_back(known(experiment.id, records));
      // What has a form that was not run yet is not done, whatever the other form told.
      for (const auto& [form, files] : experiment.forms) {
        const bool has_run =
            std::any_of(records.begin(), records.end(), [&, &want = form](const auto& record) {
              return record.experiment == experiment.id && record.form == want;
            });
        if (!has_run) known_.back().result = Result::kUnrun;
      }
    }
    // Mixtures that somebody else's ladder had count as well.
    for (const evidence::Record& record : records) {
      if (find(record.experiment) == nullptr && parse_experiment(record.experiment)) {
        known_.push_back(known(record.experiment, records));
      }
    }
  }

  Verdict run() {
    for (const Rung& rung : rungs()) {
      if (ladder_.find(rung.id) != nullptr) verdict_.rungs.push_back(rung_node(rung));
    }
    verdict_.base = base();
    if (!verdict_.base.empty()) search();
    for (const Hypothesis& hypothesis : hypotheses()) {
      verdict_.hypotheses.push_back(hypothesis_node(hypothesis));
    }
    if (!verdict_.next) verdict_.next = first_unrun();
    return std::move(verdict_);
  }

 private:
  const Known* find(std::string_view id) const {
    for (const Known& one : known_) {
      if (one.id == id) return &one;
    }
    return nullptr;
  }
  Result result(std::string_view id) const {
    const Known* found = find(id);
    return found == nullptr ? Result::kUnrun : found->result;
  }

  // A rung's question is the other way round: does it run on the Neural Engine?
  Node rung_node(const Rung& rung) const {
    Node node{.id = std::string(rung.id), .says = std::string(rung.says)};
    const Known& known = *find(rung.id);
    if (known.result == Result::kPasses) node.standing = Standing::kSupported;
    if (known.result == Result::kFails) node.standing = Standing::kRefuted;
    if (known.result == Result::kUnrun) {
      node.because = "not run yet";
      return node;
    }
    node.because = std::string(says(known.verdict.placement)) + ": " + known.verdict.reason;
    if (known.form == "tiny" && known.result == Result::kUnclear) {
      node.because += "; the tiny form decides nothing, planners send small graphs to the CPU";
    }
    node.evidence = {node.id};
    return node;
  }

  // The block with a state if it runs; else, once it is known not to, the one without.
  std::string base() const {
    if (result(kBase) == Result::kPasses) return std::string(kBase);
    if (result(kBase) == Result::kFails && result(kStatelessBase) == Result::kPasses) {
      return std::string(kStatelessBase);
    }
    return "";
  }

  void search() {
    suspects_ = suspects(verdict_.base);
    Knowledge knowledge(static_cast<int>(suspects_.size()));
    for (const Known& one : known_) {
      const auto parsed = parse_experiment(one.id);
      if (!parsed || parsed->first != verdict_.base || parsed->second == 0) continue;
      if (one.result == Result::kPasses) knowledge.add_passed(parsed->second);
      if (one.result == Result::kFails) knowledge.add_failed(parsed->second);
      if (one.result == Result::kUnclear) knowledge.add_unclear(parsed->second);
    }
    if (const auto contradiction = knowledge.contradiction()) {
      verdict_.contradiction = {experiment_id(verdict_.base, contradiction->first),
                                experiment_id(verdict_.base, contradiction->second)};
    }
    conclusion_ = ladder::conclude(knowledge);
    verdict_.is_complete = conclusion_->is_complete;
    if (conclusion_->next) verdict_.next = experiment_id(verdict_.base, *conclusion_->next);
    for (const Suspects cause : conclusion_->causes) {
      const std::vector<std::string> names = names_of(cause);
      verdict_.causes.push_back(
          names.size() == 1
              ? in_quotes(names.front()) + " by itself"
              : listed(names) + " together, each of which runs without the others: confounded");
    }
  }

  std::vector<std::string> names_of(Suspects set) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < suspects_.size(); ++i) {
      if (set >> i & 1) names.emplace_back(suspects_[i]->id);
    }
    return names;
  }

  Node hypothesis_node(const Hypothesis& hypothesis) const {
    Node node{.id = std::string(hypothesis.id), .says = std::string(hypothesis.says)};
    const auto at = std::find(suspects_.begin(), suspects_.end(), &hypothesis);
    if (conclusion_ && at != suspects_.end()) {
      judge_suspect(static_cast<std::size_t>(at - suspects_.begin()), node);
      return node;
    }
    const std::string pair = "with-" + node.id;
    const Known* known = find(pair);
    if (result(kBase) != Result::kPasses) {
      node.because = result(kBase) == Result::kUnrun
                         ? "the base it is added to, 'block', was not run yet"
                     : result(kBase) == Result::kFails
                         ? "the base it is added to, 'block', does not run itself"
                         : "what its base does is not known: " +
                               std::string(says(find(kBase)->verdict.placement));
      return node;
    }
    if (known == nullptr || known->result == Result::kUnrun) {
      node.because = in_quotes(pair) + " was not run yet";
      return node;
    }
    node.because = in_quotes(pair) + ": " + std::string(says(known->verdict.placement)) + ": " +
                   known->verdict.reason;
    node.evidence = {std::string(kBase), pair};
    if (known->result == Result::kFails) node.standing = Standing::kSupported;
    if (known->result == Result::kPasses) node.standing = Standing::kRefuted;
    return node;
  }

  void judge_suspect(std::size_t index, Node& node) const {
    const Suspects bit = Suspects{1} << index;
    node.standing = conclusion_->standings[index];
    std::vector<std::string> passed;
    std::vector<std::string> failed;
    for (const Known& one : known_) {
      const auto parsed = parse_experiment(one.id);
      if (!parsed || parsed->first != verdict_.base || (parsed->second & bit) == 0) continue;
      if (one.result == Result::kPasses) passed.push_back(one.id);
      if (one.result == Result::kFails) failed.push_back(one.id);
    }
    switch (node.standing) {
      case Standing::kSupported: {
        const std::string alone = experiment_id(verdict_.base, bit);
        node.evidence = {verdict_.base, alone};
        const Known* known = find(alone);
        node.because = in_quotes(verdict_.base) + " runs, and " + in_quotes(alone) +
                       ", which differs in nothing else, does not" +
                       (known != nullptr ? ": " + known->verdict.reason : "");
        return;
      }
      case Standing::kRefuted:
        node.evidence = passed;
        node.because = runs_in(passed, bit);
        return;
      case Standing::kConfounded:
        node.evidence = failed;
        if (!verdict_.contradiction.empty()) {
          node.because = in_quotes(verdict_.contradiction[0]) + " fails, and " +
                         in_quotes(verdict_.contradiction[1]) +
                         ", which has all of it, runs: something else made the difference";
          return;
        }
        for (const Suspects cause : conclusion_->causes) {
          if ((cause & bit) == 0) continue;
          for (const std::string& other : names_of(cause & ~bit)) node.together.push_back(other);
        }
        node.because = "fails only together with " + listed(node.together);
        return;
      case Standing::kUndecided:
        node.evidence = failed;
        if (!failed.empty()) {
          node.because = "is in " + std::to_string(failed.size()) +
                         (failed.size() == 1 ? " experiment" : " experiments") +
                         " that did not run, as others are";
        } else if (!passed.empty()) {
          node.because = runs_in(passed, bit) + "; whether it does with all others is not known";
        } else {
          node.because = "was in no experiment that told anything";
        }
        return;
    }
  }

  // Mixtures have long names; how many there were is enough to read.
  std::string runs_in(const std::vector<std::string>& passed, Suspects bit) const {
    const std::string alone = experiment_id(verdict_.base, bit);
    const auto others = std::count_if(passed.begin(), passed.end(),
                                      [&](const std::string& id) { return id != alone; });
    const bool is_alone = others < static_cast<std::ptrdiff_t>(passed.size());
    std::string text = is_alone ? "runs alone" : "runs";
    if (others == 0) return text;
    return text + (is_alone ? ", and" : "") + " with others in " + std::to_string(others) +
           (others == 1 ? " experiment" : " experiments");
  }

  // What leads to the base first, in the order in which it is built up; then what is ready; then
  // whatever is left.
  std::optional<std::string> first_unrun() const {
    const std::vector<std::string> way = way_to_base();
    const auto is_on_way = [&](const Experiment& one) {
      return std::find(way.begin(), way.end(), one.id) != way.end();
    };
    const auto is_ready = [&](const Experiment& one) {
      return std::all_of(one.prerequisites.begin(), one.prerequisites.end(),
                         [&](const std::string& id) { return result(id) == Result::kPasses; });
    };
    for (const int least : {2, 1, 0}) {
      for (const Experiment& one : ladder_.experiments) {
        if (result(one.id) != Result::kUnrun) continue;
        if (least == 2 && !is_on_way(one)) continue;
        if (least >= 1 && !is_ready(one)) continue;
        return one.id;
      }
    }
    return std::nullopt;
  }

  // The base and all that it presupposes.
  std::vector<std::string> way_to_base() const {
    std::vector<std::string> way = {std::string(kBase)};
    for (std::size_t i = 0; i < way.size(); ++i) {
      const Experiment* one = ladder_.find(way[i]);
      if (one != nullptr) {
        way.insert(way.end(), one->prerequisites.begin(), one->prerequisites.end());
      }
    }
    return way;
  }

  const Ladder& ladder_;
  std::vector<Known> known_;
  std::vector<const Hypothesis*> suspects_;
  std::optional<Conclusion> conclusion_;
  Verdict verdict_;
};

OrderedJson to_json(const Node& node) {
  OrderedJson json = {{"id", node.id},
                      {"says", node.says},
                      {"standing", name(node.standing)},
                      {"because", node.because},
                      {"evidence", node.evidence}};
  if (!node.together.empty()) json["together"] = node.together;
  return json;
}

}  // namespace

std::string_view name(Standing standing) { return kStandings[static_cast<std::size_t>(standing)]; }

Known known(std::string_view id, const std::vector<evidence::Record>& records) {
  Known found{.id = std::string(id)};
  for (const std::string_view form : kForms) {
    for (const evidence::Record& record : records) {
      if (record.experiment != id || record.form != form) continue;
      found.verdict = evidence::judge(record);
      found.form = form;
      found.result = form == "filled" ? result_of(found.verdict.placement) : Result::kUnclear;
    }
  }
  return found;
}

Verdict conclude(const Ladder& ladder, const std::vector<evidence::Record>& records) {
  return Judge(ladder, records).run();
}

std::string to_text(const Verdict& verdict, std::string_view how) {
  std::string text = "Does it run on the Neural Engine? (" + std::string(how) + ")\n";
  const auto add = [&](const std::vector<Node>& nodes, bool is_rung) {
    std::size_t width = 0;
    for (const Node& node : nodes) width = std::max(width, node.id.size());
    for (const Node& node : nodes) {
      std::string standing(name(node.standing));
      if (is_rung) {
        standing = node.standing == Standing::kSupported ? "yes"
                   : node.standing == Standing::kRefuted ? "no"
                                                         : "undecided";
      }
      text += "  " + node.id + std::string(width - node.id.size() + 2, ' ') + standing +
              std::string(12 - std::min<std::size_t>(standing.size(), 11), ' ') + node.says + "\n";
      if (node.because.empty()) continue;
      text += std::string(width + 4, ' ') + node.because + "\n";
    }
  };
  add(verdict.rungs, true);
  text += "\nWhat keeps it off?";
  text += verdict.base.empty() ? " Nothing to add suspects to has run yet.\n"
                               : " Each was added to '" + verdict.base + "', which runs.\n";
  add(verdict.hypotheses, false);
  text += "\n";
  if (!verdict.contradiction.empty()) {
    text += "The results contradict each other: '" + verdict.contradiction[0] + "' fails and '" +
            verdict.contradiction[1] + "' runs.\n";
  }
  for (const std::string& cause : verdict.causes) text += "cause: " + cause + "\n";
  if (verdict.is_complete) {
    text += verdict.causes.empty() ? "No suspect keeps it off, alone or with others.\n"
                                   : "There is no other cause among the suspects.\n";
  }
  text += verdict.next ? "next: " + *verdict.next + "\n" : "There is nothing left to run.\n";
  return text;
}

OrderedJson to_json(const Verdict& verdict) {
  OrderedJson json = {{"base", verdict.base.empty() ? OrderedJson() : OrderedJson(verdict.base)},
                      {"complete", verdict.is_complete}};
  for (const auto& [key, nodes] :
       {std::pair{"rungs", &verdict.rungs}, std::pair{"hypotheses", &verdict.hypotheses}}) {
    json[key] = OrderedJson::array();
    for (const Node& node : *nodes) json[key].push_back(to_json(node));
  }
  json["causes"] = verdict.causes;
  json["contradiction"] = verdict.contradiction;
  json["next"] = verdict.next ? OrderedJson(*verdict.next) : OrderedJson();
  return json;
}

}  // namespace anemone::ladder
