#include "anemone/generate/bundle.h"

#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/generate/embedding.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"
#include "anemone/testing/toy_model.h"

namespace anemone::generate {
namespace {

using testing::message_of;
using testing::TempDir;
using testing::write_toy_bundle;

class BundleFile : public ::testing::Test {
 protected:
  // What reading says after `change` was made to a good file; the folder is called B.
  template <typename Change>
  std::string after(const Change& change, bool single = false) {
    Json json = single ? single_ : parts_;
    change(json);
    return message_of([&] { read_bundle(json.dump(), "B"); });
  }
  // The same for one key of the root.
  std::string with(const std::string& key, const Json& value) {
    return after([&](Json& json) { json[key] = value; });
  }

  TempDir dir_;
  Json parts_ = Json::parse(to_json(write_toy_bundle(dir_.path(), {})).dump());
  Json single_ = Json::parse(to_json(write_toy_bundle(dir_.path(), {.single = true})).dump());
};

TEST_F(BundleFile, IsReadAsItWasWritten) {
  for (const Json& json : {parts_, single_}) {
    const Bundle bundle = read_bundle(json.dump(), "B");
    EXPECT_EQ(Json::parse(to_json(bundle).dump()), json);
  }
  const Bundle bundle = read_bundle(parts_.dump(), "B");
  EXPECT_EQ(bundle.packages(), (std::vector<std::string>{"layers_00.mlpackage",
                                                         "layers_01.mlpackage", "head.mlpackage"}));
  EXPECT_TRUE(bundle.is_eos(5));
  EXPECT_FALSE(bundle.is_eos(4));
}

TEST_F(BundleFile, OfAnotherFormatOrVersionIsRefusedByName) {
  EXPECT_EQ(with("format", "gguf"),
            "unsupported: B/bundle.json: 'format' is \"gguf\"; allowed: \"anemone-bundle\"");
  EXPECT_EQ(with("version", 2),
            "unsupported: B/bundle.json: 'version' is 2; this anemone reads version 1");
  EXPECT_EQ(message_of([] { read_bundle("[1]", "B"); }),
            "bad-input: B/bundle.json: the file is [1]; allowed: an object");
  EXPECT_EQ(message_of([] { read_bundle("{", "B"); }).substr(0, 37),
            "bad-input: B/bundle.json: is not JSON");
}

TEST_F(BundleFile, EveryMissingKeyIsNamed) {
  int keys = 0;
  for (const auto& [key, value] : parts_.items()) {
    if (key == "conversion") continue;
    const auto message = after([&, name = key](Json& json) { json.erase(name); });
    EXPECT_EQ(
        message.substr(0, 46 + key.size()),
        ("bad-input: B/bundle.json: has no '" + key + "'; allowed: ").substr(0, 46 + key.size()));
    ++keys;
  }
  EXPECT_GE(keys, 20);
}

TEST_F(BundleFile, EveryKeyOfAWrongTypeIsNamed) {
  int keys = 0;
  for (const auto& [key, value] : parts_.items()) {
    for (const Json& wrong : {Json(-1.5), Json("x"), Json(Json::array({"y"})), Json::object()}) {
      // The free-form words take any string, and an empty list ends no text.
      if (wrong.is_string() && value.is_string() && key != "format" && key != "kind" &&
          key != "layout" && key != "kv") {
        continue;
      }
      if (key == "mask_value" && wrong.is_number()) continue;
      const auto message = with(key, wrong);
      EXPECT_NE(message.find("B/bundle.json: "), std::string::npos) << key << wrong << message;
      EXPECT_NE(message.find(key), std::string::npos) << message;
      ++keys;
    }
  }
  EXPECT_GE(keys, 60);
}

TEST_F(BundleFile, NumbersOutOfRangeAreRefused) {
  EXPECT_EQ(with("context", 100),
            "bad-input: B/bundle.json: 'context' is 100; allowed: an integer from 64 to 1048576, a "
            "multiple of 64");
  EXPECT_EQ(with("prefill", 65),
            "bad-input: B/bundle.json: 'prefill' is 65; allowed: an integer from 1 to 64");
  EXPECT_EQ(with("vocab_size", 18446744073709551615u),
            "bad-input: B/bundle.json: 'vocab_size' is 18446744073709551615; allowed: an integer "
            "from 1 to 16777216");
  EXPECT_EQ(with("head_dim", 3),
            "bad-input: B/bundle.json: 'head_dim' is 3; allowed: an integer from 2 to 65536, a "
            "multiple of 2");
  EXPECT_EQ(with("mask_value", 0),
            "bad-input: B/bundle.json: 'mask_value' is 0; allowed: a negative number");
  EXPECT_EQ(with("eos_token_ids", {1, -1}),
            "bad-input: B/bundle.json: 'eos_token_ids' is [1,-1]; allowed: an array of integers "
            "from 0 to 2147483647");
  EXPECT_EQ(with("bos_token_id", "<s>"),
            "bad-input: B/bundle.json: 'bos_token_id' is \"<s>\"; allowed: an integer from 0 to "
            "2147483647");
}

TEST_F(BundleFile, RotaryHasOneFrequencyForEachPair) {
  EXPECT_EQ(after([](Json& json) { json["rotary"]["inv_freq"] = {1.0}; }),
            "bad-input: B/bundle.json: 'rotary.inv_freq' is [1.0]; allowed: an array of head_dim / "
            "2 = 2 finite numbers");
  EXPECT_EQ(
      after([](Json& json) { json["rotary"]["attention_scaling"] = "1"; }),
      "bad-input: B/bundle.json: 'rotary.attention_scaling' is \"1\"; allowed: a finite number");
}

TEST_F(BundleFile, PathsStayInside) {
  for (const char* path : {"../x", "/etc/passwd", "a/../../x", "", "a\\b", "./x", "x/"}) {
    const auto message = after([&](Json& json) { json["parts"][1]["package"] = path; });
    EXPECT_EQ(message, "bad-input: B/bundle.json: 'parts[1].package' is " + Json(path).dump() +
                           "; allowed: a path inside the bundle");
    EXPECT_NE(after([&](Json& json) { json["embedding"]["tiles"][0]["file"] = path; }), "");
    EXPECT_NE(after([&](Json& json) { json["model"]["package"] = path; }, true), "");
  }
}

TEST_F(BundleFile, PartsAndTilesCoverTheModelInOrder) {
  EXPECT_EQ(
      after([](Json& json) { json["parts"][1]["first_layer"] = 1; }),
      "bad-input: B/bundle.json: 'parts[1].first_layer' is 1; allowed: an integer from 2 to 2");
  EXPECT_EQ(after([](Json& json) { json["parts"].erase(1); }),
            "bad-input: B/bundle.json: 'parts' have 2 layers; allowed: num_hidden_layers, which is "
            "3");
  EXPECT_EQ(after([](Json& json) { json["head"]["tiles"][1]["first_row"] = 6; }),
            "bad-input: B/bundle.json: 'head.tiles[1].first_row' is 6; allowed: 7, where the tile "
            "before it ends");
  EXPECT_EQ(
      after([](Json& json) { json["embedding"]["tiles"][2]["rows"] = 7; }),
      "bad-input: B/bundle.json: 'embedding.tiles' has 19 rows; allowed: vocab_size, which is "
      "20");
  EXPECT_EQ(
      after([](Json& json) { json["embedding"]["tiles"][0]["offset"] = 3; }),
      "bad-input: B/bundle.json: 'embedding.tiles[0].offset' is 3; allowed: an integer from 0 "
      "to 9223372036854775806, a multiple of 2");
}

TEST(Bundle, ThatIsNotThereIsNamed) {
  const TempDir dir;
  const std::string folder = dir.path().string();
  EXPECT_EQ(message_of([&] { load_bundle(folder); }),
            "not-found: " + folder + ": is not a bundle: it has no bundle.json");
  EXPECT_EQ(message_of([&] { load_bundle(folder + "/none"); }),
            "not-found: " + folder + "/none: there is no such folder");
}

TEST(Embedding, DoesNotDependOnHowItIsTiled) {
  const TempDir cut_dir, whole_dir;
  const Embedding cut(write_toy_bundle(cut_dir.path(), {}));
  const Embedding whole(write_toy_bundle(whole_dir.path(), {.head_tiles = {20}}));
  for (std::int64_t id = 0; id < 20; ++id) {
    EXPECT_TRUE(std::ranges::equal(cut.row(id), whole.row(id))) << id;
  }
}

TEST(Embedding, RefusesAFileThatEndsTooSoon) {
  const TempDir dir;
  const Bundle bundle = write_toy_bundle(dir.path(), {});
  const auto file = dir / "embedding.bin";
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  EXPECT_EQ(message_of([&] { Embedding embedding(bundle); }),
            "bad-input: " + file.string() +
                ": embedding rows 12 to 19 take 96 bytes at byte 150, past the end of the file "
                "(245 bytes)");
  std::filesystem::remove(file);
  EXPECT_EQ(message_of([&] { Embedding embedding(bundle); }),
            "not-found: " + file.string() + ": cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace anemone::generate
