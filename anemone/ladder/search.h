#pragma once

#include <cstdint>
#include <optional>
#include <vector>

// Which of many suspects keep a graph off the Neural Engine, found with few experiments.
//
// An experiment is a set of suspects put into a base that is known to run; it passes or fails. One
// thing is assumed: taking a suspect out never makes a graph fail (so a set that passes clears
// its subsets, and one that fails condemns its supersets). If results break that, it is said.
namespace anemone::ladder {

// Bit i: suspect i is in the graph. At most 64 suspects.
using Suspects = std::uint64_t;

class Knowledge {
 public:
  // The base, without any suspect, has passed.
  explicit Knowledge(int suspects);

  int suspects() const { return suspects_; }
  void add_passed(Suspects set);
  void add_failed(Suspects set);
  // It was run, and what came of it decides nothing.
  void add_unclear(Suspects set) { unclear_.push_back(set); }

  // Whether an experiment with these suspects fails, as far as earlier ones tell.
  std::optional<bool> fails(Suspects set) const;
  bool is_unclear(Suspects set) const;
  // A set that failed inside one that passed; absent while the results agree.
  std::optional<std::pair<Suspects, Suspects>> contradiction() const { return contradiction_; }

 private:
  void note_contradiction();
  int suspects_;
  std::vector<Suspects> passed_;
  std::vector<Suspects> failed_;
  std::vector<Suspects> unclear_;
  std::optional<std::pair<Suspects, Suspects>> contradiction_;
};

enum class Standing : std::uint8_t {
  kUndecided,
  kSupported,   // it fails alone
  kRefuted,     // it takes part in no failure
  kConfounded,  // it fails only together with others, or results contradict each other
};

struct Conclusion {
  std::vector<Standing> standings;  // by suspect
  // Every set found that fails while all smaller ones in it pass.
  std::vector<Suspects> causes;
  // There is no other cause than those.
  bool is_complete = false;
  // The experiment that decides most; absent when all is decided or nothing more can be learnt.
  std::optional<Suspects> next;
};

// With one cause among n suspects, following `next` takes at most ceil(log2 n) + 2 experiments.
Conclusion conclude(const Knowledge& knowledge);

}  // namespace anemone::ladder
