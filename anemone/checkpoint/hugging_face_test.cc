#include <gtest/gtest.h>

#include "anemone/checkpoint/checkpoint.h"
#include "anemone/checkpoint/decode.h"
#include "anemone/checkpoint/test_files.h"

namespace anemone {
namespace {

using checkpoint_test::GgufText;
using checkpoint_test::message_of;
using checkpoint_test::raw;
using checkpoint_test::safetensors_text;
using checkpoint_test::TempFolder;

// One F32 number under `name`.
std::string one_tensor(const std::string& tensor, float value) {
  return safetensors_text("{\"" + tensor + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                          raw(value));
}

class HuggingFace : public testing::Test {
 protected:
  std::string refusal(const std::string& below = "") const {
    const auto path = below.empty() ? folder_.path() : folder_.path() / below;
    return message_of([&] { Checkpoint::load(path); });
  }
  // "FOLDER/name"
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string here() const { return folder_.path().string(); }

  void write_shards() {
    folder_.write("config.json", R"({"model_type":"qwen3"})");
    folder_.write("m-1.safetensors", one_tensor("a", 1));
    folder_.write("m-2.safetensors", one_tensor("b", 2));
    folder_.write("m-3.safetensors", one_tensor("c", 3));
    write_index(R"({"a":"m-1.safetensors","b":"m-2.safetensors","c":"m-3.safetensors"})");
  }
  void write_index(const std::string& map) {
    folder_.write("model.safetensors.index.json", R"({"metadata":{},"weight_map":)" + map + "}");
  }
  std::string index() const { return at("model.safetensors.index.json"); }

  TempFolder folder_;
};

TEST_F(HuggingFace, LoadsAFolderWithItsSideFiles) {
  folder_.write("config.json", R"({"model_type":"qwen3"})");
  folder_.write("generation_config.json", R"({"eos_token_id":[1,2]})");
  folder_.write("tokenizer.json", "{}");
  folder_.write("model.safetensors", one_tensor("lm_head.weight", 0.5f));
  const Checkpoint checkpoint = Checkpoint::load(here());
  EXPECT_FALSE(checkpoint.is_gguf());
  EXPECT_EQ(checkpoint.path(), folder_.path());
  EXPECT_EQ(checkpoint.config().at("model_type"), "qwen3");
  EXPECT_EQ(checkpoint.config_file(), at("config.json"));
  EXPECT_EQ(checkpoint.generation_config().at("eos_token_id"), (Json{1, 2}));
  EXPECT_EQ(checkpoint.side_file("tokenizer.json"), folder_.path() / "tokenizer.json");
  EXPECT_FALSE(checkpoint.side_file("chat_template.jinja").has_value());
  EXPECT_FALSE(checkpoint.vocabulary().has_value());
  ASSERT_NE(checkpoint.find("lm_head.weight"), nullptr);
  EXPECT_EQ(checkpoint.find("lm_head.weight")->file, at("model.safetensors"));
  EXPECT_EQ(checkpoint.find("lm_head.weighu"), nullptr);
  EXPECT_EQ(decode_f32(*checkpoint.find("lm_head.weight")), std::vector<float>{0.5f});
  // The mapping outlives the checkpoint.
  const CheckpointTensor kept = *Checkpoint::load(here()).find("lm_head.weight");
  EXPECT_EQ(decode_f32(kept), std::vector<float>{0.5f});
}

TEST_F(HuggingFace, LoadsTheShippedModel) {
  const Checkpoint checkpoint =
      Checkpoint::load(std::filesystem::path(ANEMONE_SOURCE_DIR) / "models/tiny-qwen3");
  EXPECT_EQ(checkpoint.tensors().size(), 6u * 11 + 2);
  EXPECT_EQ(checkpoint.find("model.embed_tokens.weight")->shape, (Shape{4096, 256}));
  std::int64_t elements = 0;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const F16Report report = scan_f16(tensor);
    EXPECT_TRUE(report.is_finite()) << tensor.name;
    elements += report.elements;
  }
  EXPECT_EQ(elements, 5'770'880);
}

TEST_F(HuggingFace, LoadsShards) {
  write_shards();
  const Checkpoint checkpoint = Checkpoint::load(here());
  ASSERT_EQ(checkpoint.tensors().size(), 3u);
  EXPECT_EQ(decode_f32(*checkpoint.find("c")), std::vector<float>{3});
}

TEST_F(HuggingFace, TheIndexDecidesBetweenTwoCopies) {
  write_shards();
  folder_.write("m-3.safetensors",
                safetensors_text(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                                 R"("c":{"dtype":"F32","shape":[1],"data_offsets":[4,8]},)"
                                 R"("unlisted":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
                                 raw(9.0f) + raw(3.0f) + raw(4.0f)));
  const Checkpoint checkpoint = Checkpoint::load(here());
  EXPECT_EQ(decode_f32(*checkpoint.find("a")), std::vector<float>{1});
  EXPECT_EQ(decode_f32(*checkpoint.find("unlisted")), std::vector<float>{4});
  EXPECT_EQ(checkpoint.tensors().size(), 4u);
}

TEST_F(HuggingFace, MissingAndShortShardsAreNamedTogether) {
  write_shards();
  std::filesystem::remove(at("m-2.safetensors"));
  EXPECT_EQ(refusal(), "not-found: " + index() + ": of the 3 files it names, 1 cannot be used: " +
                           at("m-2.safetensors") + ": does not exist");
  const std::string whole = one_tensor("c", 3);
  folder_.write("m-3.safetensors", whole.substr(0, whole.size() - 1));
  EXPECT_EQ(refusal(),
            "bad-input: " + index() + ": of the 3 files it names, 2 cannot be used: " +
                at("m-2.safetensors") + ": does not exist; " + at("m-3.safetensors") +
                ": tensor 'c' ends at byte 4 of the data section, past the section's end "
                "(3 bytes)");
}

TEST_F(HuggingFace, AnIndexThatDoesNotMatchItsShardsIsRefused) {
  write_shards();
  write_index(R"({"a":"m-2.safetensors","b":"m-2.safetensors","c":"m-3.safetensors"})");
  EXPECT_EQ(refusal(), "bad-input: " + index() +
                           ": puts tensor 'a' into 'm-2.safetensors', but no file holds it");
  write_index(R"({"a":"m-1.safetensors","b":"m-3.safetensors","c":"m-2.safetensors"})");
  EXPECT_EQ(refusal(), "bad-input: " + index() +
                           ": puts tensor 'c' into 'm-2.safetensors', but it is in "
                           "'m-3.safetensors'");
}

TEST_F(HuggingFace, AnUnsafeOrMalformedIndexIsRefused) {
  write_shards();
  const std::string outside = "allowed: the name of a file in the same folder";
  for (const std::string name :
       {"../m.safetensors", "/etc/passwd", "sub/m.safetensors", "a\\\\b", "..", ".", ""}) {
    write_index("{\"a\":\"" + name + "\"}");
    const std::string shown = name == "a\\\\b" ? "a\\b" : name;
    EXPECT_EQ(refusal(), "bad-input: " + index() + ": 'weight_map' puts tensor 'a' into '" + shown +
                             "'; " + outside);
  }
  write_index(R"({"a":3})");
  EXPECT_EQ(refusal(),
            "bad-input: " + index() +
                ": 'weight_map' gives tensor 'a' a value of type number; allowed: a file "
                "name");
  write_index("{}");
  EXPECT_EQ(refusal(), "bad-input: " + index() + ": 'weight_map' is empty");
  write_index("[]");
  EXPECT_EQ(refusal(),
            "bad-input: " + index() +
                ": 'weight_map' is of type array; allowed: an object of tensor names and "
                "file names");
  folder_.write("model.safetensors.index.json", "{}");
  EXPECT_EQ(refusal(), "bad-input: " + index() +
                           ": 'weight_map' is missing; allowed: an object of tensor names and file "
                           "names");
  folder_.write("model.safetensors.index.json", "{\"weight_map\":");
  EXPECT_TRUE(refusal().starts_with("bad-input: " + index() + ": is not JSON at line 1, column 1"))
      << refusal();
  write_index(R"({"a":"m-1.safetensors","a":"m-1.safetensors"})");
  EXPECT_EQ(refusal(), "bad-input: " + index() + ": the key 'a' stands twice in one object");
}

TEST_F(HuggingFace, WhatIsNotACheckpointIsRefused) {
  EXPECT_EQ(refusal("nowhere"), "not-found: " + at("nowhere") + ": does not exist");
  EXPECT_EQ(refusal(), "not-found: " + here() +
                           ": holds no model.safetensors, no model.safetensors.index.json and no "
                           ".gguf file");
  folder_.write("pytorch_model.bin", "x");
  folder_.write("model-00001-of-00002.safetensors", "x");
  EXPECT_EQ(refusal(), "not-found: " + here() +
                           ": holds no model.safetensors, no model.safetensors.index.json and no "
                           ".gguf file (found: 'model-00001-of-00002.safetensors' and "
                           "'pytorch_model.bin')");
  folder_.write("model.safetensors", one_tensor("a", 1));
  EXPECT_EQ(refusal(), "not-found: " + here() + ": holds no config.json");
  EXPECT_EQ(refusal("model.safetensors"),
            "usage: " + at("model.safetensors") +
                ": is one file of a checkpoint; name the folder that holds it");
  folder_.write("config.json", "[1]");
  EXPECT_EQ(refusal(), "bad-input: " + at("config.json") + ": is of type array; allowed: object");
  folder_.write("config.json", "{}");
  EXPECT_EQ(refusal(), "no error");
  folder_.write("generation_config.json", "null");
  EXPECT_EQ(refusal(),
            "bad-input: " + at("generation_config.json") + ": is of type null; allowed: object");
  std::filesystem::remove(at("generation_config.json"));
  std::filesystem::remove(at("model.safetensors"));
  std::filesystem::create_directory(at("model.safetensors"));
  EXPECT_EQ(refusal(), "io: " + at("model.safetensors") + ": is not a regular file");
}

TEST_F(HuggingFace, AFolderOfOneGgufModelIsThatModel) {
  const std::string text = GgufText().string("general.architecture", "llama").build();
  folder_.write("m.gguf", text);
  folder_.write("README.md", "x");
  EXPECT_TRUE(Checkpoint::load(here()).is_gguf());
  EXPECT_EQ(Checkpoint::load(here()).path(), folder_.path() / "m.gguf");
  folder_.write("n.gguf", text);
  EXPECT_EQ(refusal(), "bad-input: " + here() +
                           ": holds more than one GGUF model ('m.gguf' and 'n.gguf'); name the one "
                           "that is meant");
  folder_.write("config.json", "{}");
  folder_.write("model.safetensors", one_tensor("a", 1));
  EXPECT_FALSE(Checkpoint::load(here()).is_gguf());
  EXPECT_EQ(refusal("README.md"), "bad-input: " + at("README.md") +
                                      ": the magic at byte 0 takes 4 bytes, but only 1 are "
                                      "left");
}

}  // namespace
}  // namespace anemone
