#include "anemone/ladder/build.h"

#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/ladder/measure.h"
#include "anemone/ladder/stock.h"
#include "anemone/mil/verify.h"
#include "anemone/models/architecture.h"
#include "anemone/predict/model.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;

constexpr char kCheckpoint[] = ANEMONE_MODELS_DIR "/tiny-qwen3";

Sizes small_sizes() { return {.hidden = 16, .context = 64, .layers = 2, .rows = 8}; }

// A stocked checkpoint of a few kilobytes.
class Stocked : public ::testing::Test {
 protected:
  void SetUp() override {
    write_stock(Checkpoint::load(kCheckpoint),
                {.hidden = 16, .layers = 4, .vocabulary = 16'416, .context = 64}, folder_.path());
    checkpoint_.emplace(Checkpoint::load(folder_.path()));
    config_ = models::read_config(*checkpoint_, {}, &architecture_);
    weights_.emplace(*checkpoint_, *architecture_, config_, models::WeightOptions{});
  }

  mil::Program program(const std::string& id) {
    graph_ = graph_of(id, "tiny", small_sizes(), 2);
    return build_graph(graph_, config_, *weights_);
  }

  // Outputs of the program in fp32 arithmetic.
  std::map<std::string, std::vector<float>, std::less<>> run(const std::string& id) {
    const package::Model model = to_model(program(id), graph_, id);
    EXPECT_NO_THROW(mil::require_sound(model.program, id));
    const auto inputs = example_inputs(graph_, config_, *model.program.functions.front());
    const fs::path path = folder_ / (id + ".mlpackage");
    package::save(model, path);
    predict::Values values(inputs.begin(), inputs.end());
    std::map<std::string, std::vector<float>, std::less<>> outputs;
    const auto loaded = predict::Model::load(path, {.arithmetic = engine::Arithmetic::kFloat32});
    for (const auto& [name, value] : loaded->predict(values)) {
      outputs[name] = std::get<Tensor>(value).to_floats();
    }
    fs::remove_all(path);
    return outputs;
  }

  // All logits as one, whether they come in tiles or whole: (1, S, n) each.
  std::vector<float> logits(const std::string& id) {
    const auto outputs = run(id);
    std::vector<float> rows;
    for (std::int64_t row = 0; row < small_sizes().rows; ++row) {
      for (const auto& [name, values] : outputs) {
        if (!name.starts_with("logits")) continue;
        const auto width = values.size() / static_cast<std::size_t>(small_sizes().rows);
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(width) * row;
        rows.insert(rows.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
      }
    }
    return rows;
  }

  double snr_db(const std::vector<float>& wanted, const std::vector<float>& found) {
    const Shape shape = {static_cast<std::int64_t>(wanted.size())};
    return compare({{"y", Tensor::from_floats(DType::kF32, shape, wanted)}}, {{"y", found}}).snr_db;
  }

  anemone::testing::TempDir folder_;
  std::optional<Checkpoint> checkpoint_;
  const models::Architecture* architecture_ = nullptr;
  models::DecoderConfig config_;
  std::optional<models::DecoderWeights> weights_;
  Graph graph_;
};

TEST_F(Stocked, EveryPairComputesTheSame) {
  const std::vector<float> base = logits("block");
  ASSERT_EQ(base.size(), 8u * 16'416u);
  EXPECT_GT(snr_db(base, logits("block-stateless")), 90);
  for (const Hypothesis& hypothesis : hypotheses()) {
    const std::string id = "with-" + std::string(hypothesis.id);
    const std::vector<float> other = logits(id);
    ASSERT_EQ(other.size(), base.size()) << id;
    if (hypothesis.id == "graph-size") continue;  // a deeper model
    // int8 weights are other weights; and norms in fp32 differ in where epsilon comes in.
    const bool is_int8 = hypothesis.id.starts_with("int8");
    EXPECT_GT(snr_db(base, other), is_int8 ? 25 : 60) << id;
  }
}

TEST_F(Stocked, EveryPairDiffersFromItsBase) {
  const auto text = [&](const std::string& id) {
    const mil::Program made = program(id);
    std::string all;
    for (const auto& input : made.functions[0]->inputs) all += input->name + to_string(input->type);
    mil::for_each_op(made.functions[0]->body, [&](const mil::Op& op, int) {
      all += std::string(op.type()) + (op.outputs.empty() ? "" : to_string(op.output()->type));
    });
    return all;
  };
  for (const Hypothesis& hypothesis : hypotheses()) {
    EXPECT_NE(text("block"), text("with-" + std::string(hypothesis.id))) << hypothesis.id;
  }
}

// Of all 2^n mixtures those with two suspects, and everything together.
TEST_F(Stocked, EveryTwoSuspectsCanBeInOneGraph) {
  for (const std::string_view base : {kBase, kStatelessBase}) {
    const int n = static_cast<int>(suspects(base).size());
    std::vector<Suspects> sets = {(Suspects{1} << n) - 1};
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) sets.push_back(Suspects{1} << a | Suspects{1} << b);
    }
    for (const Suspects set : sets) {
      const std::string id = experiment_id(base, set);
      EXPECT_NO_THROW(mil::require_sound(program(id), id)) << id;
      EXPECT_EQ(parse_experiment(id), (std::pair{base, set}));
    }
  }
}

TEST_F(Stocked, EverySuspectTogetherStillComputesTheSame) {
  const int n = static_cast<int>(suspects(kBase).size());
  // All but those that change the numbers.
  Suspects set = (Suspects{1} << n) - 1;
  for (int i = 0; i < n; ++i) {
    const std::string_view id = suspects(kBase)[static_cast<std::size_t>(i)]->id;
    if (id == "graph-size" || id == "int8-weights") set &= ~(Suspects{1} << i);
  }
  EXPECT_GT(snr_db(logits("block"), logits(experiment_id(kBase, set))), 60);
  // And what changes them runs.
  EXPECT_EQ(logits(experiment_id(kBase, (Suspects{1} << n) - 1)).size(), 8u * 16'416u);
}

TEST(Build, MakesAFolderThatSaysWhatIsInIt) {
  const anemone::testing::TempDir folder;
  BuildOptions options{.checkpoint = kCheckpoint,
                       .output = folder / "steps",
                       .is_random = true,
                       .sizes = small_sizes()};
  options.sizes.filled_bytes = 0;
  options.only = {"with-states-2", "with-range-dim", "layers-2"};
  const BuildReport report = build(options);
  const Ladder ladder = load_ladder(folder / "steps");
  EXPECT_EQ(report.experiments, ladder.experiments.size());
  EXPECT_EQ(report.packages, ladder.experiments.size());
  EXPECT_EQ(ladder.weights, "random");
  EXPECT_EQ(report.experiments, 11u);  // and what those three presuppose
  for (const Experiment& experiment : ladder.experiments) {
    for (const std::string& before : experiment.prerequisites) {
      EXPECT_NE(ladder.find(before), nullptr) << experiment.id;
    }
    const Bench bench = load_bench(folder / "steps", experiment.forms.at("tiny"));
    EXPECT_TRUE(fs::is_directory(bench.package));
    EXPECT_FALSE(bench.inputs.empty());
    EXPECT_FALSE(bench.golden.empty());
  }
  // Equal weights lie on disk once.
  EXPECT_GT(report.shared_bytes, 1'000'000u);
}

TEST(Build, RefusesAnExperimentThatIsNotThere) {
  const anemone::testing::TempDir folder;
  EXPECT_EQ(anemone::testing::message_of([&] {
              build({.checkpoint = kCheckpoint, .output = folder / "steps", .only = {"layers-3"}});
            }),
            "usage: there is no experiment 'layers-3'");
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(Build, FillsAFilledForm) {
  const anemone::testing::TempDir folder;
  Sizes sizes = small_sizes();
  sizes.filled_bytes = 300'000;
  BuildOptions options{.checkpoint = kCheckpoint, .output = folder / "steps", .sizes = sizes};
  options.only = {"with-int8-weights", "head", "rope", "mlp"};
  build(options);
  const Ladder ladder = load_ladder(folder / "steps");
  for (const Experiment& experiment : ladder.experiments) {
    // Numbers neither vanish nor overflow on the way through many pieces.
    evidence::Record record{.steps = 20};
    measure_by_cpu(
        load_bench(folder / "steps", experiment.forms.at("filled")), record,
        [](const evidence::Record&) {}, [](std::string_view, std::int64_t) {});
    EXPECT_TRUE(record.units.at("cpu").numerics->passed())
        << experiment.id << ' ' << record.units.at("cpu").numerics->snr_db;
    const fs::path package = folder / "steps" / experiment.forms.at("filled").package;
    EXPECT_GE(fs::file_size(package / "Data/com.apple.CoreML/weights/weight.bin"), 300'000u)
        << experiment.id;
  }
}

}  // namespace
}  // namespace anemone::ladder
