#include "anemone/convert/convert.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/generate/bundle.h"
#include "anemone/mil/verify.h"
#include "anemone/models/arch/tiny_checkpoint.h"
#include "anemone/package/package.h"

namespace anemone::converter {
namespace {

namespace fs = std::filesystem;
using models::TinyCheckpoint;

class Convert : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("convert-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    checkpoint_.fill("qwen3");
    checkpoint_.load();  // writes the files
  }
  void TearDown() override { fs::remove_all(folder_); }

  Options options(const std::string& name) {
    Options options;
    options.checkpoint = checkpoint_.folder();
    options.output = folder_ / name;
    options.form.context = 128;
    options.form.prefill = 8;
    options.threads = 1;
    return options;
  }

  std::string complaint(const Options& options) {
    try {
      convert(options);
      return "";
    } catch (const Error& error) {
      std::string message = error.what();
      for (const std::string& path : {folder_.string(), checkpoint_.folder().string()}) {
        for (auto at = message.find(path); at != std::string::npos; at = message.find(path)) {
          message.replace(at, path.size(), "DIR");
        }
      }
      return message;
    }
  }

  // Every file of a folder by its relative name.
  static std::map<std::string, std::string> contents(const fs::path& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) {
        files[fs::relative(entry.path(), folder).string()] = read_text(entry.path());
      }
    }
    return files;
  }

  // Nothing but what is named lies in the folder, hidden files included.
  void expect_only(std::vector<std::string> names) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(found, names);
  }

  TinyCheckpoint checkpoint_;
  fs::path folder_;
};

TEST_F(Convert, WritesABundleWhosePackagesAreSound) {
  const Report report = convert(options("out"));
  EXPECT_EQ(report.packages, (std::vector<fs::path>{"layers_00.mlpackage", "head.mlpackage"}));
  for (const fs::path& name : report.packages) {
    const package::Model model = package::load(folder_ / "out" / name);
    EXPECT_EQ(model.specification_version, 9);
    EXPECT_TRUE(model.is_multifunction);
    EXPECT_NO_THROW(mil::require_sound(model.program, name.string()));
  }
  const generate::Bundle bundle = generate::load_bundle(folder_ / "out");
  EXPECT_EQ(bundle.parts.size(), 1u);
  EXPECT_FALSE(bundle.has_tokenizer);
  expect_only({"out"});
}

TEST_F(Convert, GivesTheSameBytesWhateverTheThreadsAndTheName) {
  convert(options("one"));
  Options other = options("two");
  other.threads = 3;
  convert(other);
  EXPECT_EQ(contents(folder_ / "one"), contents(folder_ / "two"));
}

TEST_F(Convert, GivesTheSamePackagesForBothSpellingsOfTheConfig) {
  convert(options("old"));
  checkpoint_.config.erase("rope_theta");
  checkpoint_.config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000.0}};
  checkpoint_.load();
  convert(options("new"));
  auto old_files = contents(folder_ / "old");
  auto new_files = contents(folder_ / "new");
  old_files.erase("config.json");
  new_files.erase("config.json");
  EXPECT_EQ(old_files, new_files);
}

TEST_F(Convert, StoresEveryWeightOnceAndTheEmbeddingInsideTheHead) {
  const Report report = convert(options("out"));
  // Matrices and vectors at two bytes each, the doubled gains and each blob's own 64 bytes besides.
  EXPECT_GE(report.weight_bytes, report.parameters * 2);
  EXPECT_LT(report.weight_bytes, report.parameters * 2 + 8192);
  const generate::Bundle bundle = generate::load_bundle(folder_ / "out");
  ASSERT_EQ(bundle.embedding_tiles.size(), 1u);
  const std::string blob = read_text(folder_ / "out" / bundle.embedding_tiles[0].file);
  std::vector<float> row(32);
  const Checkpoint checkpoint = checkpoint_.load();
  decode_f32(*checkpoint.find("model.embed_tokens.weight"), 41, row);
  for (std::size_t i = 0; i < row.size(); ++i) {
    f16 stored;
    std::memcpy(&stored, blob.data() + bundle.embedding_tiles[0].offset + (41 * 32 + i) * 2, 2);
    EXPECT_EQ(stored, to_f16(row[i]));
  }
}

TEST_F(Convert, GivesAnUntiedEmbeddingAFileOfItsOwn) {
  checkpoint_.config["tie_word_embeddings"] = false;
  checkpoint_.tensors["lm_head.weight"] = {97, 32};
  checkpoint_.load();
  const Report report = convert(options("out"));
  const generate::Bundle bundle = generate::load_bundle(folder_ / "out");
  ASSERT_EQ(bundle.embedding_tiles.size(), 1u);
  EXPECT_EQ(bundle.embedding_tiles[0].file, "embedding.bin");
  EXPECT_LT(report.weight_bytes, report.parameters * 2 + 8192);
}

TEST_F(Convert, RefusesWhatFp16CannotHoldAndLeavesNothing) {
  std::vector<float> weights(64 * 32, 0.01f);
  weights[100] = 1e5f;
  checkpoint_.values["model.layers.1.self_attn.q_proj.weight"] = weights;
  checkpoint_.load();
  const std::string overflow = complaint(options("out"));
  EXPECT_NE(overflow.find("model.layers.1.self_attn.q_proj.weight"), std::string::npos) << overflow;
  EXPECT_NE(overflow.find("100000"), std::string::npos) << overflow;
  expect_only({});
  weights[100] = 65519;  // rounds to 65504
  weights[101] = 1e-9f;
  weights[102] = -0.0f;
  checkpoint_.values["model.layers.1.self_attn.q_proj.weight"] = weights;
  checkpoint_.load();
  EXPECT_EQ(convert(options("out")).flushed_to_zero, 1u);
  weights[100] = std::numeric_limits<float>::quiet_NaN();
  checkpoint_.values["model.layers.1.self_attn.q_proj.weight"] = weights;
  checkpoint_.load();
  EXPECT_NE(complaint(options("nan")), "");
  checkpoint_.values.clear();
  std::vector<float> gains(32, 1.0f);
  gains[7] = std::numeric_limits<float>::infinity();
  checkpoint_.values["model.norm.weight"] = gains;
  checkpoint_.load();
  EXPECT_NE(complaint(options("inf")).find("model.norm.weight"), std::string::npos);
  expect_only({"out"});
}

TEST_F(Convert, RefusesOptionsThatCannotBeHadBeforeItWrites) {
  Options o = options("out");
  o.form.context = 100;
  EXPECT_EQ(complaint(o), "--context 100: must be a multiple of 64");
  o.form.context = 512;
  EXPECT_EQ(complaint(o), "--context 512: the model's own limit (max_position_embeddings) is 256");
  o = options("out");
  o.form.prefill = 129;
  EXPECT_EQ(complaint(o), "--prefill 129: must be from 1 to the context, 128");
  o = options("out");
  o.parts = 3;
  EXPECT_EQ(complaint(o), "--parts 3: the model has 2 layers");
  o = options("out");
  o.form.head_tiles = 50;
  EXPECT_EQ(complaint(o),
            "--head-tiles 50: 97 outputs cannot be cut into so many tiles of a multiple of 32");
  o = options("out");
  o.form.target = mil::Opset::kIos17;
  EXPECT_EQ(complaint(o),
            "--target ios17: a package with several functions needs ios18 (macos15) or later");
  expect_only({});
}

TEST_F(Convert, NeverTouchesAnExistingOutputUnlessToldToReplaceIt) {
  convert(options("out"));
  const auto before = contents(folder_ / "out");
  EXPECT_EQ(complaint(options("out")), "DIR/out: already exists; --force replaces it");
  EXPECT_EQ(contents(folder_ / "out"), before);
  Options again = options("out");
  again.replace = true;
  again.form.kv = models::KvWrite::kBlend;
  convert(again);
  EXPECT_NE(contents(folder_ / "out"), before);
  expect_only({"out"});
  Options nowhere = options("out");
  nowhere.output = folder_ / "no" / "such" / "out";
  EXPECT_NE(complaint(nowhere), "");
}

TEST_F(Convert, LeavesNothingWhenItIsStopped) {
  StopFlag stop;
  Options o = options("out");
  o.stop = &stop;
  o.progress = [&](std::string_view, std::uint64_t, std::uint64_t) { stop.set(); };
  EXPECT_EQ(complaint(o), "interrupted");
  expect_only({});
}

TEST_F(Convert, UnitesEveryEndOfTextIdAndKeepsWorkingWithoutATokenizer) {
  checkpoint_.config["eos_token_id"] = 7;
  checkpoint_.load();
  write_file(checkpoint_.folder() / "generation_config.json",
             std::string_view(R"({"eos_token_id": [9, 3], "bos_token_id": 1})"));
  const Report report = convert(options("out"));
  const generate::Bundle bundle = generate::load_bundle(folder_ / "out");
  EXPECT_EQ(bundle.eos_token_ids, (std::vector<int>{3, 7, 9}));
  EXPECT_EQ(bundle.bos_token_id, 1);
  ASSERT_EQ(report.warnings.size(), 1u);
  EXPECT_EQ(report.warnings[0], "no tokenizer.json: the bundle takes token ids only");
}

}  // namespace
}  // namespace anemone::converter
