#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/ladder/graph.h"
#include "anemone/ladder/search.h"

// The experiments by which a machine tells what keeps a decoder off its Neural Engine.
// docs/ladder.md is the guide.
namespace anemone::ladder {

// Something that may keep a graph off the Neural Engine. Its pair of experiments, the base and the
// base with it, differ in it alone.
struct Hypothesis {
  std::string_view id = {};
  std::string_view says = {};   // "that it keeps ..., " what the graph has instead of what
  std::string_view facts = {};  // rows of the research that disagree about it
  // May be combined with all others of the kind, and so is searched for among them; else its pair
  // alone decides.
  bool is_suspect = false;
  bool needs_state = false;  // makes no sense where the host owns the cache
  void (*apply)(Graph& graph) = nullptr;
};
std::span<const Hypothesis> hypotheses();
const Hypothesis* find_hypothesis(std::string_view id);

// A rung of the ladder: smaller things first.
struct Rung {
  std::string_view id = {};
  std::string_view says = {};
  std::vector<std::string_view> prerequisites = {};
  Graph graph = {};
};
const std::vector<Rung>& rungs();

// What every suspect is added to: the block with one state, and, should that not run, the one
// without.
inline constexpr std::string_view kBase = "block";
inline constexpr std::string_view kStatelessBase = "block-stateless";
inline constexpr std::string_view kForms[] = {"tiny", "filled"};

// The suspects that can be searched for over a base; bit i of a Suspects is the i-th.
std::vector<const Hypothesis*> suspects(std::string_view base);

// Experiment ids: a rung's, "with-a+b" (over the block), "stateless-with-a+b".
std::string experiment_id(std::string_view base, Suspects set);
// The base and set of such an id; absent for another.
std::optional<std::pair<std::string_view, Suspects>> parse_experiment(std::string_view id);

// Where an experiment's form lies, relative to the ladder's folder.
struct Files {
  std::string package = {};
  std::string inputs = {};   // a folder of npy files, one an input
  std::string outputs = {};  // likewise: computed in fp32 from the same program
};
struct Experiment {
  std::string id = {};
  std::string says = {};
  std::string hypothesis = {};  // that it decides; empty for a rung or a mixture
  std::vector<std::string> prerequisites = {};
  std::map<std::string, Files, std::less<>> forms = {};  // by kForms
};

// Bounds of the graphs.
struct Sizes {
  std::int64_t hidden = 64;  // of the tiny form; the filled one is four times as wide
  std::int64_t context = 128;
  std::int64_t layers = 28;  // of the highest rung
  std::int64_t rows = 32;
  std::int64_t filled_bytes = 20'000'000;  // 0: there are no filled forms
};

// ladder.json.
struct Ladder {
  std::string tool = {};
  std::string checkpoint = {};  // its name
  std::string weights = {};     // "real", "random"
  Sizes sizes = {};
  std::vector<Experiment> experiments = {};  // in running order; mixtures follow as they are made

  const Experiment* find(std::string_view id) const;
};
Ladder load_ladder(const std::filesystem::path& folder);  // Throws Error.
void save_ladder(const Ladder& ladder, const std::filesystem::path& folder);

// The graph of an experiment in a form.
Graph graph_of(std::string_view id, std::string_view form, const Sizes& sizes,
               std::int64_t filled_layers);
// Every experiment that a new ladder has, without files: rungs, then pairs.
std::vector<Experiment> planned_experiments(const Sizes& sizes);
// An experiment that is not among them: a mixture.
Experiment mixture(std::string_view id);

}  // namespace anemone::ladder
