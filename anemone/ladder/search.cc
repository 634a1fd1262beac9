#include "anemone/ladder/search.h"

#include <algorithm>

#include "anemone/base/check.h"

namespace anemone::ladder {
namespace {

constexpr int kMaxSuspects = 64;

bool contains(Suspects whole, Suspects part) { return (whole & part) == part; }

Suspects all_of(int suspects) {
  return suspects == kMaxSuspects ? ~Suspects{0} : (Suspects{1} << suspects) - 1;
}

std::vector<Suspects> members(Suspects set) {
  std::vector<Suspects> one_by_one;
  for (int i = 0; i < kMaxSuspects; ++i) {
    if (set >> i & 1) one_by_one.push_back(Suspects{1} << i);
  }
  return one_by_one;
}

Suspects joined(const std::vector<Suspects>& sets, std::size_t count) {
  Suspects all = 0;
  for (std::size_t i = 0; i < count; ++i) all |= sets[i];
  return all;
}

// What an unanswered question leaves behind.
struct Question {
  Suspects set;
};

// Looks for causes, asking what is known; throws Question at the first thing that is not.
class Search {
 public:
  explicit Search(const Knowledge& knowledge)
      : knowledge_(knowledge), all_(all_of(knowledge.suspects())) {}

  // Gives every cause once all is known. Causes found before a Question stay in causes().
  void run() {
    if (all_ == 0) return;
    for (const Suspects one : members(all_)) {
      if (knowledge_.fails(one).value_or(false)) causes_.push_back(one);
    }
    // A search from nothing takes for granted that everything together fails: that saves a
    // question, and the end of the search finds out.
    if (causes_.empty() && !find_cause(all_, true)) return;
    while (const auto rest = failing_rest()) find_cause(*rest, false);
  }

  const std::vector<Suspects>& causes() const { return causes_; }

 private:
  bool fails(Suspects set) const {
    if (const auto known = knowledge_.fails(set)) return *known;
    throw Question{set};
  }

  // Adds a smallest failing set inside `within`. False if `within`, only believed to fail, passes.
  bool find_cause(Suspects within, bool is_belief) {
    std::vector<Suspects> line = members(within);
    Suspects fixed = 0;
    for (bool is_first = true;; is_first = false) {
      // The shortest piece of the line's beginning that fails together with `fixed`; nothing of it
      // passes, all of it fails.
      std::size_t low = 0;
      std::size_t high = line.size();
      while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (fails(joined(line, middle) | fixed) ? high : low) = middle;
      }
      fixed |= line[high - 1];
      line.resize(high - 1);
      if (fails(fixed)) break;
      // It takes company. Was the whole ever seen to fail?
      if (is_first && is_belief && !fails(within)) return false;
    }
    causes_.push_back(fixed);
    return true;
  }

  // Taking one member of every cause away must cure the graph, whichever members: a way in which
  // it does not leaves another cause among the rest. Absent when the causes explain everything.
  std::optional<Suspects> failing_rest() const {
    for (const Suspects cut : smallest_cuts()) {
      if (fails(all_ & ~cut)) return all_ & ~cut;
    }
    return std::nullopt;
  }

  // Sets with a member of every cause, none inside another.
  std::vector<Suspects> smallest_cuts() const {
    std::vector<Suspects> cuts = {0};
    for (const Suspects cause : causes_) {
      std::vector<Suspects> longer;
      for (const Suspects cut : cuts) {
        if ((cut & cause) != 0) {
          longer.push_back(cut);
          continue;
        }
        for (const Suspects member : members(cause)) longer.push_back(cut | member);
      }
      cuts.clear();
      for (const Suspects cut : longer) {
        const bool is_smallest = std::none_of(longer.begin(), longer.end(), [&](Suspects other) {
          return other != cut && contains(cut, other);
        });
        const bool is_new = std::find(cuts.begin(), cuts.end(), cut) == cuts.end();
        if (is_smallest && is_new) cuts.push_back(cut);
      }
    }
    return cuts;
  }

  const Knowledge& knowledge_;
  Suspects all_;
  std::vector<Suspects> causes_;
};

// Where the experiment that would decide most has told nothing: what else might.
std::optional<Suspects> substitute(const Knowledge& knowledge) {
  const auto is_open = [&](Suspects set) {
    return !knowledge.fails(set) && !knowledge.is_unclear(set);
  };
  const Suspects all = all_of(knowledge.suspects());
  for (const Suspects one : members(all)) {
    if (is_open(one)) return one;
  }
  if (is_open(all)) return all;
  for (const Suspects one : members(all)) {
    if (is_open(all & ~one)) return all & ~one;
  }
  return std::nullopt;
}

}  // namespace

Knowledge::Knowledge(int suspects) : suspects_(suspects) {
  ANEMONE_CHECK(suspects >= 0 && suspects <= kMaxSuspects) << suspects;
  passed_.push_back(0);
}

void Knowledge::add_passed(Suspects set) {
  passed_.push_back(set);
  note_contradiction();
}

void Knowledge::add_failed(Suspects set) {
  failed_.push_back(set);
  note_contradiction();
}

void Knowledge::note_contradiction() {
  for (const Suspects passed : passed_) {
    for (const Suspects failed : failed_) {
      if (!contradiction_ && contains(passed, failed)) contradiction_ = {failed, passed};
    }
  }
}

std::optional<bool> Knowledge::fails(Suspects set) const {
  for (const Suspects passed : passed_) {
    if (contains(passed, set)) return false;
  }
  for (const Suspects failed : failed_) {
    if (contains(set, failed)) return true;
  }
  return std::nullopt;
}

bool Knowledge::is_unclear(Suspects set) const {
  return std::find(unclear_.begin(), unclear_.end(), set) != unclear_.end();
}

Conclusion conclude(const Knowledge& knowledge) {
  Conclusion found;
  found.standings.assign(static_cast<std::size_t>(knowledge.suspects()), Standing::kUndecided);
  const auto mark = [&](Suspects set, Standing standing) {
    for (int i = 0; i < knowledge.suspects(); ++i) {
      if (set >> i & 1) found.standings[static_cast<std::size_t>(i)] = standing;
    }
  };
  if (const auto contradiction = knowledge.contradiction()) {
    // Something else than the suspects made the difference; which of them it was cannot be said.
    mark(contradiction->second, Standing::kConfounded);
    return found;
  }
  Search search(knowledge);
  try {
    search.run();
    found.is_complete = true;
    mark(all_of(knowledge.suspects()), Standing::kRefuted);
  } catch (const Question& question) {
    found.next = knowledge.is_unclear(question.set) ? substitute(knowledge) : question.set;
  }
  found.causes = search.causes();
  for (const Suspects cause : found.causes) {
    const bool is_single = (cause & (cause - 1)) == 0;
    mark(cause, is_single ? Standing::kSupported : Standing::kConfounded);
  }
  return found;
}

}  // namespace anemone::ladder
