#include "anemone/ladder/ladder.h"

#include <sstream>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/package/paths.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using models::Gqa;
using models::KvWrite;
using models::Layout;
using models::Norm;
using models::Rotary;
using models::Silu;
using models::States;

constexpr int kFormatVersion = 1;
constexpr std::string_view kWith = "with-";
constexpr std::string_view kStatelessWith = "stateless-with-";
constexpr std::int64_t kTinyLayers = 2;
constexpr std::int64_t kDepths[] = {1, 2, 4, 8, 14, 28};
// Beyond these a graph counts as large: the size hypothesis' graph has so many times the layers.
constexpr std::int64_t kLargeFactor = 2;

constexpr Hypothesis kHypotheses[] = {
    {"states-2l", "two states for every layer instead of one in all", "K03 K07", true, true,
     [](Graph& g) { g.form.states = States::kPerLayer; }},
    {"slice-update", "the cache is written by slice_update at a run-time position, not blended",
     "K03 K04 O04", true, true, [](Graph& g) { g.form.kv = KvWrite::kSlice; }},
    {"dynamic-end", "attention over a slice of run-time length, not the whole cache under a mask",
     "O05", true, true, [](Graph& g) { g.reads_prefix = true; }},
    {"range-dim", "the number of rows is a range, not fixed", "S01 K17", true, true,
     [](Graph& g) { g.has_flexible_rows = true; }},
    {"rank5-gqa", "keys and values are repeated by a rank-5 tile, not shared in rank 4", "L02 H06",
     true, false, [](Graph& g) { g.form.gqa = Gqa::kExpand; }},
    {"layout-bsc", "(B, S, C) with linear instead of (B, C, 1, S) with convolutions", "L12", true,
     false, [](Graph& g) { g.form.layout = Layout::kBsc; }},
    {"norm-plain", "RMS norms as usually written instead of layer_norm(concat(x, -x))",
     "N01 N03 N05", true, false, [](Graph& g) { g.form.norm = Norm::kPlain; }},
    {"silu-native", "the op silu instead of x * sigmoid(x)", "N09", true, false,
     [](Graph& g) { g.form.silu = Silu::kNative; }},
    {"graph-size", "twice as many layers of the same ops", "W02 W05", true, false,
     [](Graph& g) { g.layers *= kLargeFactor; }},
    {"head-whole", "the head in one piece instead of tiles of at most 16,384 outputs", "W10 L04",
     true, false, [](Graph& g) { g.has_whole_head = true; }},
    {"fp32-typed", "typed fp32 instead of fp16", "T01 T02", true, false,
     [](Graph& g) { g.is_fp32 = true; }},
    {"int8-weights", "int8 weights with a scale for each output instead of fp16", "W14", true,
     false, [](Graph& g) { g.weights = Graph::Weights::kInt8; }},
    {"states-2", "two states instead of one", "K05", false, true, [](Graph& g) { g.states = 2; }},
    {"states-3", "three states instead of one", "K06", false, true, [](Graph& g) { g.states = 3; }},
    {"norm-prescaled", "x divided by its largest magnitude before it is squared", "N02", false,
     false, [](Graph& g) { g.form.norm = Norm::kPrescaled; }},
    {"rotary-matmul", "halves swapped by a constant matrix instead of slice and concat", "H12",
     false, false, [](Graph& g) { g.form.rotary = Rotary::kMatmul; }},
    {"rotary-tables", "rows of cos and sin gathered inside instead of passed in", "O01 H09", false,
     true, [](Graph& g) { g.form.rotary = Rotary::kTables; }},
    {"mask-position", "the mask is computed inside from an int32 position", "T04", false, true,
     [](Graph& g) { g.form.mask = models::Mask::kPosition; }},
    {"gqa-repeat", "keys and values repeated by concat instead of shared", "H06", false, false,
     [](Graph& g) { g.form.gqa = Gqa::kRepeat; }},
    {"int8-block-op", "int8 weights through constexpr_blockwise_shift_scale", "W14 W18", false,
     false, [](Graph& g) { g.weights = Graph::Weights::kInt8Block; }},
};

Graph piece(Graph::Piece which) {
  Graph graph;
  graph.piece = which;
  graph.form.kv = KvWrite::kBlend;
  return graph;
}

Graph norm(Norm form) {
  Graph graph = piece(Graph::Piece::kNorm);
  graph.form.norm = form;
  return graph;
}

Graph stateless() {
  Graph graph = piece(Graph::Piece::kBlock);
  graph.form.kv = KvWrite::kHost;
  graph.has_head = true;
  return graph;
}

Graph block() {
  Graph graph = stateless();
  graph.form.kv = KvWrite::kBlend;
  return graph;
}

std::vector<Rung> make_rungs() {
  std::vector<Rung> all = {
      {"mlp", "gate, up, SiLU and down", {}, piece(Graph::Piece::kMlp)},
      {"norm-concat", "RMS norm as layer_norm(concat(x, -x))", {"mlp"}, norm(Norm::kConcat)},
      {"norm-prescaled",
       "RMS norm of x divided by its largest magnitude",
       {"mlp"},
       norm(Norm::kPrescaled)},
      {"norm-plain", "RMS norm as usually written", {"mlp"}, norm(Norm::kPlain)},
      {"qk-norm", "RMS norm of heads", {"norm-concat"}, piece(Graph::Piece::kQkNorm)},
      {"rope",
       "rotation by rows of cos and sin that are passed in",
       {"mlp"},
       piece(Graph::Piece::kRotary)},
      {"scores", "scores, softmax and mix", {"mlp"}, piece(Graph::Piece::kScores)},
      {"head", "final norm and a head of tiles", {"norm-concat"}, piece(Graph::Piece::kHead)},
      {kStatelessBase,
       "layers and head, the cache owned by the host",
       {"mlp", "norm-concat", "rope", "scores", "head"},
       stateless()},
      {kBase, "layers and head, one consolidated state, blended", {kStatelessBase}, block()},
  };
  std::string_view below = kBase;
  static const std::vector<std::string> names = [] {
    std::vector<std::string> ids;
    for (const std::int64_t depth : kDepths) ids.push_back("layers-" + std::to_string(depth));
    return ids;
  }();
  for (std::size_t i = 0; i < names.size(); ++i) {
    Graph graph = block();
    graph.has_head = false;
    graph.layers = kDepths[i];
    all.push_back({names[i], "so many layers with one state, without head", {below}, graph});
    below = names[i];
  }
  return all;
}

const Rung* find_rung(std::string_view id) {
  for (const Rung& rung : rungs()) {
    if (rung.id == id) return &rung;
  }
  return nullptr;
}

bool is_depth(std::string_view id) { return id.starts_with("layers-"); }

// What an experiment decides, and in words. A rung's question is whether it runs at all; a mixture
// bears on all that it has.
void describe_decision(const Experiment& experiment, OrderedJson& json) {
  if (find_rung(experiment.id) != nullptr) {
    json["hypothesis"] = experiment.id + "-runs";
    json["decides"] = "whether '" + experiment.id + "' runs on the Neural Engine";
    return;
  }
  const Hypothesis* hypothesis = find_hypothesis(experiment.hypothesis);
  if (hypothesis != nullptr) {
    json["hypothesis"] = experiment.hypothesis;
    json["decides"] = "whether this alone keeps '" + std::string(kBase) + "' off the Neural Engine";
    std::istringstream facts{std::string(hypothesis->facts)};
    json["facts"] = OrderedJson::array();
    for (std::string fact; facts >> fact;) json["facts"].push_back(fact);
    return;
  }
  const std::string_view id = experiment.id;
  const bool is_stateless = id.starts_with(kStatelessWith);
  json["hypothesis"] = id.substr(is_stateless ? kStatelessWith.size() : kWith.size());
  json["decides"] = "whether any of these keeps '" +
                    std::string(is_stateless ? kStatelessBase : kBase) + "' off the Neural Engine";
}

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw Error(Code::kBadInput, file.string() + ": " + why);
}

}  // namespace

std::span<const Hypothesis> hypotheses() { return kHypotheses; }

const Hypothesis* find_hypothesis(std::string_view id) {
  for (const Hypothesis& hypothesis : kHypotheses) {
    if (hypothesis.id == id) return &hypothesis;
  }
  return nullptr;
}

const std::vector<Rung>& rungs() {
  static const std::vector<Rung>* const all = new std::vector<Rung>(make_rungs());
  return *all;
}

std::vector<const Hypothesis*> suspects(std::string_view base) {
  std::vector<const Hypothesis*> found;
  for (const Hypothesis& hypothesis : kHypotheses) {
    if (!hypothesis.is_suspect || (base == kStatelessBase && hypothesis.needs_state)) continue;
    found.push_back(&hypothesis);
  }
  return found;
}

std::string experiment_id(std::string_view base, Suspects set) {
  if (set == 0) return std::string(base);
  std::string id(base == kBase ? kWith : kStatelessWith);
  const auto all = suspects(base);
  bool is_first = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    id += (is_first ? "" : "+") + std::string(all[i]->id);
    is_first = false;
  }
  return id;
}

std::optional<std::pair<std::string_view, Suspects>> parse_experiment(std::string_view id) {
  if (id == kBase || id == kStatelessBase) {
    return std::pair{id == kBase ? kBase : kStatelessBase, Suspects{0}};
  }
  const bool is_stateless = id.starts_with(kStatelessWith);
  if (!is_stateless && !id.starts_with(kWith)) return std::nullopt;
  const std::string_view base = is_stateless ? kStatelessBase : kBase;
  const auto all = suspects(base);
  std::string_view rest = id.substr(is_stateless ? kStatelessWith.size() : kWith.size());
  Suspects set = 0;
  while (!rest.empty()) {
    const std::size_t plus = std::min(rest.find('+'), rest.size());
    const auto found = std::find_if(all.begin(), all.end(), [&](const Hypothesis* one) {
      return one->id == rest.substr(0, plus);
    });
    if (found == all.end()) return std::nullopt;
    set |= Suspects{1} << (found - all.begin());
    rest.remove_prefix(std::min(plus + 1, rest.size()));
  }
  return std::pair{base, set};
}

Graph graph_of(std::string_view id, std::string_view form, const Sizes& sizes,
               std::int64_t filled_layers) {
  const bool is_filled = form == "filled";
  Graph graph;
  const Rung* rung = find_rung(id);
  const auto mixed = parse_experiment(id);
  if (rung != nullptr) {
    graph = rung->graph;
  } else if (mixed) {
    graph = find_rung(mixed->first)->graph;
  } else {
    graph = block();
  }
  graph.form.context = sizes.context;
  graph.form.prefill = sizes.rows;
  graph.rows = sizes.rows;
  const bool is_weightless =
      graph.piece == Graph::Piece::kNorm || graph.piece == Graph::Piece::kQkNorm ||
      graph.piece == Graph::Piece::kRotary || graph.piece == Graph::Piece::kScores;
  graph.has_mlp = is_filled && is_weightless;
  if (graph.piece == Graph::Piece::kHead) {
    graph.layers = 0;
  } else if (is_depth(id)) {
    graph.layers = is_filled ? std::max(graph.layers, filled_layers) : graph.layers;
  } else if (graph.piece == Graph::Piece::kBlock) {
    graph.layers = is_filled ? filled_layers : kTinyLayers;
  } else {
    graph.layers = is_filled ? filled_layers : 1;
  }
  if (rung != nullptr) return graph;
  if (mixed) {
    const auto all = suspects(mixed->first);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (mixed->second >> i & 1) all[i]->apply(graph);
    }
    return graph;
  }
  ANEMONE_CHECK(id.starts_with(kWith)) << std::string(id);
  const Hypothesis* hypothesis = find_hypothesis(id.substr(kWith.size()));
  ANEMONE_CHECK(hypothesis != nullptr) << std::string(id);
  hypothesis->apply(graph);
  return graph;
}

std::vector<Experiment> planned_experiments(const Sizes& sizes) {
  std::vector<Experiment> all;
  const auto list = [](const std::vector<std::string_view>& ids) {
    return std::vector<std::string>(ids.begin(), ids.end());
  };
  for (const Rung& rung : rungs()) {
    if (is_depth(rung.id) && rung.graph.layers > sizes.layers) continue;
    all.push_back({.id = std::string(rung.id),
                   .says = std::string(rung.says),
                   .prerequisites = list(rung.prerequisites)});
  }
  for (const Hypothesis& hypothesis : kHypotheses) {
    all.push_back({.id = std::string(kWith) + std::string(hypothesis.id),
                   .says = std::string(hypothesis.says),
                   .hypothesis = std::string(hypothesis.id),
                   .prerequisites = {std::string(kBase)}});
  }
  return all;
}

Experiment mixture(std::string_view id) {
  const auto parsed = parse_experiment(id);
  ANEMONE_CHECK(parsed.has_value()) << std::string(id);
  return {.id = std::string(id),
          .says = "several suspects at once",
          .prerequisites = {std::string(parsed->first)}};
}

const Experiment* Ladder::find(std::string_view id) const {
  for (const Experiment& experiment : experiments) {
    if (experiment.id == id) return &experiment;
  }
  return nullptr;
}

void save_ladder(const Ladder& ladder, const fs::path& folder) {
  OrderedJson json = {{"format", "anemone-ladder"},
                      {"version", kFormatVersion},
                      {"tool", ladder.tool},
                      {"checkpoint", ladder.checkpoint},
                      {"weights", ladder.weights},
                      {"sizes",
                       {{"hidden", ladder.sizes.hidden},
                        {"context", ladder.sizes.context},
                        {"layers", ladder.sizes.layers},
                        {"rows", ladder.sizes.rows},
                        {"filled_bytes", ladder.sizes.filled_bytes}}}};
  json["experiments"] = OrderedJson::array();
  for (const Experiment& experiment : ladder.experiments) {
    OrderedJson one = {{"id", experiment.id}, {"says", experiment.says}};
    describe_decision(experiment, one);
    one["prerequisites"] = experiment.prerequisites;
    for (const auto& [form, files] : experiment.forms) {
      one["forms"][form] = {
          {"package", files.package}, {"inputs", files.inputs}, {"outputs", files.outputs}};
    }
    json["experiments"].push_back(std::move(one));
  }
  const fs::path file = folder / "ladder.json";
  const fs::path partial = folder / "ladder.json.partial";
  write_file(partial, json.dump(1) + "\n");
  std::error_code error;
  fs::rename(partial, file, error);
  if (error) throw Error(Code::kIo, file.string() + ": " + error.message());
}

Ladder load_ladder(const fs::path& folder) {
  const fs::path file = folder / "ladder.json";
  const Json json = load_json(file);
  try {
    if (json.at("format") != "anemone-ladder") refuse(file, "is no ladder");
    if (json.at("version") != kFormatVersion) {
      refuse(file, "has version " + to_line(json.at("version")) + "; allowed: 1");
    }
    Ladder ladder{.tool = json.at("tool"),
                  .checkpoint = json.at("checkpoint"),
                  .weights = json.at("weights")};
    const Json& sizes = json.at("sizes");
    ladder.sizes = {.hidden = sizes.at("hidden"),
                    .context = sizes.at("context"),
                    .layers = sizes.at("layers"),
                    .rows = sizes.at("rows"),
                    .filled_bytes = sizes.at("filled_bytes")};
    for (const Json& from : json.at("experiments")) {
      Experiment one{.id = from.at("id"), .says = from.at("says")};
      one.prerequisites = from.at("prerequisites").get<std::vector<std::string>>();
      const bool is_pair =
          one.id.starts_with(kWith) &&
          find_hypothesis(std::string_view(one.id).substr(kWith.size())) != nullptr;
      if (is_pair) one.hypothesis = one.id.substr(kWith.size());
      if (find_rung(one.id) == nullptr && !parse_experiment(one.id) && !is_pair) {
        refuse(file, "has an experiment '" + one.id + "' that this version does not know");
      }
      const Json forms = from.value("forms", Json::object());
      for (const auto& [form, files] : forms.items()) {
        if (std::find(std::begin(kForms), std::end(kForms), form) == std::end(kForms)) {
          refuse(file,
                 "experiment '" + one.id + "' has a form '" + form + "'; allowed: tiny, filled");
        }
        one.forms[form] = {.package = files.at("package"),
                           .inputs = files.at("inputs"),
                           .outputs = files.at("outputs")};
        const Files& paths = one.forms[form];
        for (const std::string* path : {&paths.package, &paths.inputs, &paths.outputs}) {
          if (package::stays_inside(*path)) continue;
          refuse(file, "experiment '" + one.id + "' has a path '" + *path +
                           "' that leads out of the folder");
        }
      }
      ladder.experiments.push_back(std::move(one));
    }
    return ladder;
  } catch (const Json::exception& wrong) {
    refuse(file, std::string("is not as docs/ladder.md describes it: ") + wrong.what());
  }
}

}  // namespace anemone::ladder
