#include "anemone/oracle/oracle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::oracle {
namespace {

namespace fs = std::filesystem;
using anemone::testing::message_of;
using anemone::testing::TempDir;

const fs::path kGoldens = ANEMONE_ORACLE_GOLDEN_DIR;

// The matrix of an .npy file of float32.
std::vector<float> npy(const fs::path& path) {
  const MappedFile file(path);
  ByteReader reader(file.view(), path.string());
  reader.seek(8);
  reader.take(reader.u16("header length"), "header");
  const auto rest = reader.take(reader.left(), "data");
  std::vector<float> values(rest.size() / sizeof(float));
  std::memcpy(values.data(), rest.data(), rest.size());
  return values;
}

struct Distance {
  double relative = 0;  // |ours - theirs| / |theirs|
  std::size_t rows = 0;
};

Distance distance(const Oracle& oracle, std::span<const int> ids, std::span<const float> wanted) {
  const auto vocab = static_cast<std::size_t>(oracle.config().vocab_size);
  EXPECT_EQ(wanted.size(), ids.size() * vocab);
  double error = 0, norm = 0;
  Distance d;
  oracle.score(ids, [&](std::int64_t position, std::span<const float> row) {
    EXPECT_EQ(static_cast<std::size_t>(position), d.rows++);
    for (std::size_t i = 0; i < vocab; ++i) {
      const double theirs = wanted[static_cast<std::size_t>(position) * vocab + i];
      error += std::pow(row[i] - theirs, 2);
      norm += theirs * theirs;
    }
  });
  d.relative = std::sqrt(error / norm);
  return d;
}

// Both sum in float, in different orders; a mistake of any kind is a thousand times as large.
constexpr double kSameModel = 3e-6;

TEST(Oracle, GivesTheLogitsOfTransformersForTheShippedModel) {
  const auto oracle =
      Oracle::load(Checkpoint::load(fs::path(ANEMONE_MODELS_DIR) / "tiny-qwen3"), {.threads = 2});
  const fs::path folder = kGoldens / "logits";
  const auto ids = load_json(folder / "tokens.json").at("ids").get<std::vector<int>>();
  const Distance found = distance(*oracle, ids, npy(folder / "logits.npy"));
  EXPECT_EQ(found.rows, 256u);
  EXPECT_LT(found.relative, kSameModel);
}

TEST(Oracle, GivesTheLogitsOfTransformersForEveryArchitecture) {
  const fs::path folder = kGoldens / "gate";
  const Json goldens = load_json(folder / "golden.json");
  ASSERT_GE(goldens.at("models").size(), 4u);
  for (const Json& one : goldens.at("models")) {
    const std::string name = one.at("name");
    SCOPED_TRACE(name);
    const Checkpoint checkpoint = Checkpoint::load(folder / name);
    const auto ids = one.at("ids").get<std::vector<int>>();
    for (const bool rounded : {false, true}) {
      const auto oracle = Oracle::load(checkpoint, {.round_weights_to_f16 = rounded, .threads = 1});
      const auto wanted = npy(folder / name / (rounded ? "logits_f16.npy" : "logits.npy"));
      EXPECT_LT(distance(*oracle, ids, wanted).relative, kSameModel);
      // The two goldens differ by more than that, so neither test passes with the other's weights.
      const auto other = npy(folder / name / (rounded ? "logits.npy" : "logits_f16.npy"));
      EXPECT_GT(distance(*oracle, ids, other).relative, 3 * kSameModel);
    }
  }
}

std::unique_ptr<const Oracle> shipped(int threads, std::int64_t layers = 0) {
  return Oracle::load(Checkpoint::load(fs::path(ANEMONE_MODELS_DIR) / "tiny-qwen3"),
                      {.layers = layers, .threads = threads});
}

TEST(Oracle, GivesTheSameBitsForAnyThreadsAndAnyCompany) {
  const Sequence a{{2011, 7, 300, 12, 9}}, b{{5, 6, 7}, 40};
  const Sequence both[] = {b, a};
  const auto together = shipped(2)->run(both);
  const auto alone = shipped(1)->run(std::span(&a, 1));
  ASSERT_EQ(together.size(), alone.size() / 5 * 8);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + 3 * 256));
}

TEST(Oracle, TellsItsObserverOfEveryStep) {
  std::vector<std::string> names;
  const int ids[] = {1, 2, 3};
  shipped(1, 1)->score(
      ids, [](std::int64_t, std::span<const float>) {},
      [&](const Seen& seen) {
        EXPECT_EQ(seen.rows, 3);
        names.push_back(std::string(seen.name) + " " + std::to_string(seen.columns));
      });
  EXPECT_EQ(names, (std::vector<std::string>{
                       "embedding 256", "input_norm 256", "q_proj 256", "k_proj 128", "v_proj 128",
                       "q_norm 256", "k_norm 128", "q 256", "k 128", "attention 256", "o_proj 256",
                       "after_attention 256", "post_attention_norm 256", "gate_proj 768",
                       "up_proj 768", "gated 768", "down_proj 256", "out 256", "final_norm 256"}));
}

// The files of a small golden checkpoint, to be spoilt.
struct Copy {
  explicit Copy(const char* name) {
    for (const char* file : {"config.json", "model.safetensors"}) {
      fs::copy_file(kGoldens / "gate" / name / file, dir / file);
    }
    config = load_json(dir / "config.json");
  }
  std::string complaint(const Options& options = {}) {
    write_file(dir / "config.json", config.dump());
    std::string message = message_of([&] { Oracle::load(Checkpoint::load(dir.path()), options); });
    for (std::size_t at; (at = message.find(dir.path().string())) != std::string::npos;) {
      message.replace(at, dir.path().string().size(), "DIR");
    }
    return message;
  }
  TempDir dir;
  Json config;
};

TEST(Oracle, RefusesArithmeticThatItDoesNotDo) {
  Copy c("qwen2");
  EXPECT_EQ(c.complaint(), "");
  c.config["layer_types"] = {"full_attention", "sliding_attention"};
  EXPECT_EQ(c.complaint(),
            "unsupported: DIR/config.json: key 'layer_types' has \"sliding_attention\"; the oracle "
            "knows full_attention");
  c.config.erase("layer_types");
  c.config["hidden_act"] = "gelu";
  EXPECT_EQ(c.complaint(),
            "unsupported: DIR/config.json: key 'hidden_act' is \"gelu\"; the oracle knows silu");
  c.config["hidden_act"] = "silu";
  c.config["model_type"] = "gemma3";
  EXPECT_EQ(c.complaint(),
            "unsupported: DIR/config.json: key 'model_type' is 'gemma3'; the oracle knows llama, "
            "qwen2, qwen3");
  Copy yarn("qwen2");
  yarn.config["rope_parameters"] = {{"rope_type", "yarn"}, {"factor", 2.0}};
  yarn.config.erase("rope_theta");
  yarn.config.erase("rope_scaling");
  EXPECT_EQ(yarn.complaint(),
            "unsupported: DIR/config.json: key 'rope_parameters' has the rope type 'yarn'; the "
            "oracle knows default, linear, llama3");
}

TEST(Oracle, RefusesTensorsThatAreMissingMisshapenOrLeftOver) {
  Copy c("qwen2");
  const std::int64_t layers = c.config.at("num_hidden_layers");
  c.config["num_hidden_layers"] = layers + 1;
  EXPECT_EQ(c.complaint(), "bad-input: DIR: lacks 'model.layers." + std::to_string(layers) +
                               ".input_layernorm.weight'");
  c.config["num_hidden_layers"] = layers - 1;
  EXPECT_EQ(c.complaint(), "unsupported: DIR/model.safetensors: tensor 'model.layers." +
                               std::to_string(layers - 1) +
                               ".input_layernorm.weight' is not one that the oracle uses; without "
                               "it the results would be another model's");
  c.config["num_hidden_layers"] = layers;
  EXPECT_EQ(c.complaint({.layers = layers + 1}), "bad-input: DIR: has " + std::to_string(layers) +
                                                     " layers; asked for are " +
                                                     std::to_string(layers + 1));
  c.config["intermediate_size"] = 31;
  EXPECT_THAT(c.complaint(), ::testing::HasSubstr("mlp.gate_proj.weight' has shape ["));
}

TEST(Oracle, RefusesIdsOutsideOfTheVocabulary) {
  const int ids[] = {4096};
  const auto oracle = shipped(1, 1);
  EXPECT_EQ(message_of([&] { oracle->score(ids, [](std::int64_t, std::span<const float>) {}); }),
            "bad-input: token id 4096; allowed: 0 to 4095");
}

}  // namespace
}  // namespace anemone::oracle
