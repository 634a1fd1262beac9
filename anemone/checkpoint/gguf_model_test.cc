#include <gtest/gtest.h>

#include <cstdlib>
#include <numbers>

#include "anemone/checkpoint/decode.h"
#include "anemone/checkpoint/gguf.h"
#include "anemone/checkpoint/gguf_rope.h"
#include "anemone/checkpoint/safetensors.h"
#include "anemone/checkpoint/test_files.h"

namespace anemone {
namespace {

using checkpoint_test::bytes_of;
using checkpoint_test::GgufText;
using checkpoint_test::golden;
using checkpoint_test::message_of;
using checkpoint_test::raw;

Checkpoint model_of(const GgufText& text) {
  std::vector<GgufFile> parts;
  parts.push_back(read_gguf(bytes_of(text.build()), "m.gguf"));
  return gguf_checkpoint("m.gguf", std::move(parts));
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

// A llama of 16 numbers, two heads of 8, one kv head.
GgufText small_llama() {
  GgufText text;
  text.string("general.architecture", "llama")
      .u32("llama.block_count", 1)
      .u32("llama.context_length", 64)
      .u32("llama.embedding_length", 16)
      .u32("llama.feed_forward_length", 4)
      .u32("llama.attention.head_count", 2)
      .u32("llama.attention.head_count_kv", 1)
      .f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
  text.f32_tensor("token_embd.weight", {16, 3}, counting(48));
  return text;
}

// Keys that the golden config may have and ours need not: names, and the unknown token.
void expect_config_like(const Json& golden_config, const Json& config) {
  int compared = 0;
  for (const auto& [key, value] : golden_config.items()) {
    if (key == "_model_name_or_path" || key == "unk_token_id") continue;
    ASSERT_TRUE(config.contains(key)) << key;
    if (value.is_number_float()) {  // the file holds float32
      EXPECT_EQ(config[key].get<float>(), value.get<float>()) << key;
    } else {
      EXPECT_EQ(config[key], value) << key;
    }
    ++compared;
  }
  EXPECT_GE(compared, 12);
}

// Files by gguf's own writer; names, order of rows, values and config as transformers loads them.
TEST(GgufModel, LoadsWhatTransformersLoads) {
  for (const std::string arch : {"llama", "qwen2", "qwen3"}) {
    SCOPED_TRACE(arch);
    const Checkpoint checkpoint = Checkpoint::load(golden("tiny-" + arch + ".gguf"));
    const auto path = golden("tiny-" + arch + ".safetensors");
    const SafetensorsFile wanted =
        read_safetensors(std::make_shared<MappedFile>(path), path.string());
    EXPECT_EQ(checkpoint.tensors().size(), wanted.tensors.size());
    for (const CheckpointTensor& tensor : wanted.tensors) {
      const CheckpointTensor* found = checkpoint.find(tensor.name);
      ASSERT_NE(found, nullptr) << tensor.name;
      EXPECT_EQ(found->shape, tensor.shape) << tensor.name;
      EXPECT_EQ(found->interleaved_rows > 0,
                arch == "llama" && (tensor.name.find("q_proj") != std::string::npos ||
                                    tensor.name.find("k_proj") != std::string::npos));
      EXPECT_EQ(decode_f32(*found), decode_f32(tensor)) << tensor.name;
    }
    const Json golden_config = load_json(golden("tiny-" + arch + ".config.json")).at("config");
    expect_config_like(golden_config, checkpoint.config());
    EXPECT_EQ(checkpoint.config().at("head_dim"), arch == "qwen3" ? 16 : 8);

    ASSERT_TRUE(checkpoint.vocabulary().has_value());
    const Vocabulary& vocabulary = *checkpoint.vocabulary();
    const auto tokens = vocabulary.tokens.size();
    EXPECT_EQ(vocabulary.model, "gpt2");
    EXPECT_EQ(vocabulary.pre, "qwen2");
    EXPECT_EQ(vocabulary.tokens.at(0), "t0");
    EXPECT_EQ(vocabulary.token_types.size(), tokens);
    EXPECT_EQ(vocabulary.merges, (std::vector<std::string>{"t 0", "t 1"}));
    EXPECT_EQ(vocabulary.add_bos_token, false);
    EXPECT_EQ(vocabulary.chat_template, "{{ messages }}");
    // <|im_end|> is the eos; <|endoftext|> ends a text too.
    EXPECT_EQ(checkpoint.generation_config(),
              (Json{{"eos_token_id", {tokens - 2, tokens - 1}}, {"pad_token_id", tokens - 1}}));
  }
}

// The real file, for those who have it: ANEMONE_SMOLLM2=FILE.
TEST(GgufModel, SmolLM2IsWhatTransformersLoads) {
  const char* path = std::getenv("ANEMONE_SMOLLM2");
  if (path == nullptr) GTEST_SKIP() << "ANEMONE_SMOLLM2 names no file";
  const Json wanted = load_json(golden("smollm2_q4_1.json"));
  const Checkpoint checkpoint = Checkpoint::load(path);
  expect_config_like(wanted.at("config"), checkpoint.config());
  EXPECT_EQ(checkpoint.tensors().size(), wanted.at("tensors").size());
  for (const auto& [tensor_name, golden_tensor] : wanted.at("tensors").items()) {
    const CheckpointTensor* found = checkpoint.find(tensor_name);
    ASSERT_NE(found, nullptr) << tensor_name;
    EXPECT_EQ(Json(found->shape), golden_tensor.at("shape")) << tensor_name;
    std::uint64_t checksum = 0;
    std::uint64_t place = 0;
    for (const float value : decode_f32(*found)) {
      checksum += ++place * std::bit_cast<std::uint32_t>(value);
    }
    EXPECT_EQ(std::to_string(checksum), golden_tensor.at("checksum")) << tensor_name;
  }
}

TEST(GgufModel, OnlyLlamaRowsAreInterleavedBiasesToo) {
  GgufText text = small_llama();
  text.f32_tensor("blk.0.attn_q.weight", {1, 16}, counting(16));
  text.f32_tensor("blk.0.attn_q.bias", {16}, counting(16));
  text.f32_tensor("blk.0.attn_k.weight", {1, 8}, counting(8));
  text.f32_tensor("blk.0.attn_v.weight", {1, 8}, counting(8));
  const Checkpoint checkpoint = model_of(text);
  const std::vector<float> head = {0, 2, 4, 6, 1, 3, 5, 7};
  std::vector<float> two_heads = head;
  for (const float row : head) two_heads.push_back(row + 8);
  EXPECT_EQ(decode_f32(*checkpoint.find("model.layers.0.self_attn.q_proj.weight")), two_heads);
  EXPECT_EQ(decode_f32(*checkpoint.find("model.layers.0.self_attn.q_proj.bias")), two_heads);
  EXPECT_EQ(decode_f32(*checkpoint.find("model.layers.0.self_attn.k_proj.weight")), head);
  EXPECT_EQ(decode_f32(*checkpoint.find("model.layers.0.self_attn.v_proj.weight")), counting(8));
  EXPECT_EQ(checkpoint.config().at("attention_bias"), true);
}

TEST(GgufModel, ConfigSaysWhatTheMetadataSays) {
  GgufText text = small_llama();
  text.f32("llama.rope.freq_base", 5e5f).u32("llama.vocab_size", 99).u32("llama.expert_count", 0);
  text.u32("llama.rope.dimension_count", 4).u32("llama.strange", 7).string("llama.odd", "x");
  text.f32_tensor("output.weight", {16, 3}, counting(48));
  const Json config = model_of(text).config();
  const Json wanted = {{"model_type", "llama"},
                       {"hidden_act", "silu"},
                       {"max_position_embeddings", 64},
                       {"hidden_size", 16},
                       {"num_hidden_layers", 1},
                       {"intermediate_size", 4},
                       {"num_attention_heads", 2},
                       {"num_key_value_heads", 1},
                       {"rms_norm_eps", 1e-5},
                       {"rope_theta", 5e5},
                       {"head_dim", 8},
                       {"partial_rotary_factor", 0.5},
                       {"vocab_size", 3},  // the embedding has the last word
                       {"tie_word_embeddings", false},
                       {"attention_bias", false},
                       {"mlp_bias", false},
                       {"llama.strange", 7},  // for others to refuse
                       {"llama.odd", "x"}};
  EXPECT_EQ(config, wanted);
}

TEST(GgufModel, AnotherArchitectureKeepsItsNames) {
  GgufText text;
  text.string("general.architecture", "gemma3").u32("gemma3.block_count", 2);
  text.f32_tensor("blk.0.attn_q.weight", {2, 2}, {1, 2, 3, 4});
  text.f32_tensor("token_embd.weight", {2, 3}, counting(6));
  const Checkpoint checkpoint = model_of(text);
  EXPECT_EQ(checkpoint.config().at("model_type"), "gemma3");
  ASSERT_NE(checkpoint.find("blk.0.attn_q.weight"), nullptr);
  EXPECT_EQ(decode_f32(*checkpoint.find("blk.0.attn_q.weight")), (std::vector<float>{1, 2, 3, 4}));
}

TEST(GgufModel, CountsMayBeListedByLayer) {
  GgufText text = small_llama();
  const auto list = [](std::uint32_t a, std::uint32_t b) { return raw(a) + raw(b); };
  text.array("llama.expert_used_count", GgufType::kU32, 2, list(2, 2));
  EXPECT_EQ(model_of(text).config().at("num_experts_per_tok"), 2);
  text.array("llama.expert_count", GgufType::kU32, 2, list(8, 4));
  EXPECT_EQ(
      message_of([&] { model_of(text); }),
      "unsupported: m.gguf: metadata 'llama.expert_count' differs from layer to layer (8, 4); "
      "allowed: the same for all");
}

TEST(GgufModel, RefusesWhatDoesNotFit) {
  struct Case {
    const char* what;
    GgufText text;
    const char* message;
  };
  const auto with = [](auto change) {
    GgufText text = small_llama();
    change(text);
    return text;
  };
  const Case kCases[] = {
      {"no architecture", GgufText().u32("x", 1),
       "bad-input: m.gguf: has no metadata 'general.architecture'"},
      {"architecture a number", GgufText().u32("general.architecture", 1),
       "bad-input: m.gguf: metadata 'general.architecture' is of type uint32 1; allowed: string"},
      {"hidden size a string",
       GgufText().string("general.architecture", "llama").string("llama.embedding_length", "16"),
       "bad-input: m.gguf: metadata 'llama.embedding_length' is of type string; allowed: an "
       "integer "
       "from 0 to 2^63 - 1"},
      {"an infinite theta", with([](GgufText& t) { t.f32("llama.rope.freq_base", HUGE_VALF); }),
       "bad-input: m.gguf: metadata 'llama.rope.freq_base' is inf; allowed: a finite number"},
      {"q rows that are no heads", with([](GgufText& t) {
         t.f32_tensor("blk.0.attn_q.weight", {1, 6}, counting(6));
       }),
       "bad-input: m.gguf: tensor 'blk.0.attn_q.weight' has shape [6, 1], which does not divide "
       "into 2 heads of an even number of rows"},
      {"other length of values",
       with([](GgufText& t) { t.u32("llama.attention.value_length", 4); }),
       "unsupported: m.gguf: metadata 'llama.attention.value_length' is 4 where keys have length "
       "8; "
       "allowed: equal lengths"},
      {"factors of another number", with([](GgufText& t) {
         t.f32_tensor("rope_freqs.weight", {3}, {1, 1, 1});
       }),
       "bad-input: m.gguf: tensor 'rope_freqs.weight' has 3 elements; allowed: one for each pair "
       "of "
       "a head's 8 numbers"},
      {"a factor of zero", with([](GgufText& t) {
         t.f32_tensor("rope_freqs.weight", {4}, {1, 1, 0, 1});
       }),
       "bad-input: m.gguf: tensor 'rope_freqs.weight' holds the factor 0.000000; allowed: finite "
       "numbers above 0"},
      {"two scalings", with([](GgufText& t) {
         t.string("llama.rope.scaling.type", "linear").f32("llama.rope.scaling.factor", 2);
         t.f32_tensor("rope_freqs.weight", {4}, {1, 1, 2, 8});
       }),
       "unsupported: m.gguf: tensor 'rope_freqs.weight' scales rotary frequencies, and so does "
       "metadata 'llama.rope.scaling.type'; allowed: one of the two"},
      {"token types of another number", with([](GgufText& t) {
         t.string("tokenizer.ggml.model", "gpt2").strings("tokenizer.ggml.tokens", {"a", "b"});
         t.array("tokenizer.ggml.token_type", GgufType::kI32, 1, raw(1));
       }),
       "bad-input: m.gguf: metadata 'tokenizer.ggml.token_type' has 1 elements where "
       "'tokenizer.ggml.tokens' has 2"},
      {"scores of another number", with([](GgufText& t) {
         t.string("tokenizer.ggml.model", "llama").strings("tokenizer.ggml.tokens", {"a", "b"});
         t.array("tokenizer.ggml.scores", GgufType::kF32, 1, raw(1.0f));
       }),
       "bad-input: m.gguf: metadata 'tokenizer.ggml.scores' has 1 elements where "
       "'tokenizer.ggml.tokens' has 2"},
      {"eos beyond the tokens", with([](GgufText& t) {
         t.string("tokenizer.ggml.model", "gpt2").strings("tokenizer.ggml.tokens", {"a", "b"});
         t.u32("tokenizer.ggml.eos_token_id", 2);
       }),
       "bad-input: m.gguf: metadata 'tokenizer.ggml.eos_token_id' is 2; allowed: below the number "
       "of "
       "tokens, 2"},
      {"tokens of numbers", with([](GgufText& t) {
         t.string("tokenizer.ggml.model", "gpt2");
         t.array("tokenizer.ggml.tokens", GgufType::kU8, 1, "x");
       }),
       "bad-input: m.gguf: metadata 'tokenizer.ggml.tokens' is of type array of uint8; allowed: "
       "array "
       "of strings"},
  };
  for (const Case& c : kCases)
    EXPECT_EQ(message_of([&] { model_of(c.text); }), c.message) << c.what;
}

TEST(GgufModel, AnUnknownPreTokenizerIsHandedOver) {
  GgufText text = small_llama();
  text.string("tokenizer.ggml.model", "gpt2").string("tokenizer.ggml.pre", "my-new");
  text.strings("tokenizer.ggml.tokens", {"a"});
  EXPECT_EQ(model_of(text).vocabulary()->pre, "my-new");
}

TEST(GgufModel, AFileWithoutTensorsStillHasItsVocabulary) {
  GgufText text;
  text.string("general.architecture", "llama").string("tokenizer.ggml.model", "llama");
  text.strings("tokenizer.ggml.tokens", {"<unk>", "</s>"}).u32("tokenizer.ggml.eos_token_id", 1);
  const Checkpoint checkpoint = model_of(text);
  EXPECT_TRUE(checkpoint.tensors().empty());
  EXPECT_EQ(checkpoint.vocabulary()->tokens.size(), 2u);
  EXPECT_EQ(checkpoint.generation_config(), (Json{{"eos_token_id", 1}}));
}

// Rotary scaling.

std::vector<float> llama3_factors(int pairs, double theta, double factor, double low, double high,
                                  double original) {
  std::vector<float> factors;
  for (int i = 0; i < pairs; ++i) {
    const double wavelength =
        2 * std::numbers::pi * std::pow(theta, static_cast<double>(i) / pairs);
    if (wavelength < original / high) {
      factors.push_back(1);
    } else if (wavelength > original / low) {
      factors.push_back(static_cast<float>(factor));
    } else {
      const double smooth = (original / wavelength - low) / (high - low);
      factors.push_back(static_cast<float>(1 / ((1 - smooth) / factor + smooth)));
    }
  }
  return factors;
}

TEST(GgufRope, FindsTheLlama3RuleThatGaveTheFactors) {
  // Llama 3.1 and 3.2 as published, and rules small enough for tiny heads.
  struct Case {
    int pairs;
    double theta, factor, high, original;
  };
  for (const Case& c : {Case{64, 5e5, 8, 4, 8192}, Case{32, 5e5, 32, 4, 8192},
                        Case{8, 1e4, 8, 4, 32}, Case{64, 1e4, 4, 2.5, 100}}) {
    const std::vector<float> factors =
        llama3_factors(c.pairs, c.theta, c.factor, 1, c.high, c.original);
    EXPECT_EQ(rope_scaling_of_factors(factors, c.theta, 131072),
              (Json{{"rope_type", "llama3"},
                    {"factor", c.factor},
                    {"low_freq_factor", 1.0},
                    {"high_freq_factor", c.high},
                    {"original_max_position_embeddings", static_cast<std::int64_t>(c.original)}}));
  }
  // Only the quotients of original and low, original and high matter.
  const Json scaled = rope_scaling_of_factors(llama3_factors(64, 5e5, 8, 2, 8, 16384), 5e5, 131072);
  EXPECT_EQ(scaled.at("original_max_position_embeddings"), 8192);
  EXPECT_EQ(scaled.at("high_freq_factor"), 4.0);
}

TEST(GgufRope, WhateverRuleIsFoundGivesTheFactorsBack) {
  int rules = 0, lists = 0;
  for (const int pairs : {2, 4, 8, 16, 32}) {
    for (const double original : {16.0, 32.0, 50.0, 64.0, 1000.0}) {
      for (const double high : {1.5, 3.0, 4.0}) {
        const std::vector<float> factors = llama3_factors(pairs, 1e4, 8, 1, high, original);
        const Json found = rope_scaling_of_factors(factors, 1e4, 128);
        std::vector<float> again(factors.size(), 1.0f);
        if (!found.is_null() && found.at("rope_type") == "llama3") {
          again = llama3_factors(pairs, 1e4, found.at("factor"), found.at("low_freq_factor"),
                                 found.at("high_freq_factor"),
                                 found.at("original_max_position_embeddings"));
          ++rules;
        } else if (!found.is_null()) {
          again = found.at("short_factor").get<std::vector<float>>();
          ++lists;
        }
        for (std::size_t i = 0; i < factors.size(); ++i) {
          EXPECT_NEAR(again[i], factors[i], 3e-6 * factors[i])
              << pairs << " " << original << " " << high << " " << i;
        }
      }
    }
  }
  EXPECT_GT(rules, 70);
  EXPECT_EQ(lists, 0);
}

TEST(GgufRope, AbsurdNumbersAreHandledInNoTime) {
  for (const double theta : {0.0, -1.0, 1e-30, 1e22, 3e38}) {
    for (const float most : {1e-38f, 1.0001f, 3e38f}) {
      const std::vector<float> factors = {1, 2, most, most};
      EXPECT_TRUE(rope_scaling_of_factors(factors, theta, 64).is_object());
    }
  }
}

TEST(GgufRope, OtherFactorsAreHandedOnAsAList) {
  EXPECT_EQ(rope_scaling_of_factors(std::vector<float>{1, 1, 1}, 1e4, 64), Json(nullptr));
  EXPECT_EQ(rope_scaling_of_factors(std::vector<float>{2, 2}, 1e4, 64),
            (Json{{"rope_type", "linear"}, {"factor", 2.0}}));
  EXPECT_EQ(rope_scaling_of_factors(std::vector<float>{2, 1, 3, 0.5}, 1e4, 64),
            (Json{{"rope_type", "longrope"},
                  {"short_factor", {2.0, 1.0, 3.0, 0.5}},
                  {"long_factor", {2.0, 1.0, 3.0, 0.5}},
                  {"factor", 1.0},
                  {"attention_factor", 1.0},
                  {"original_max_position_embeddings", 64}}));
}

TEST(GgufRope, MetadataBecomesRopeScaling) {
  const auto scaling = [](auto change) {
    GgufText text = small_llama();
    change(text);
    return model_of(text).config().value("rope_scaling", Json());
  };
  EXPECT_EQ(scaling([](GgufText&) {}), Json());
  EXPECT_EQ(scaling([](GgufText& t) {
              t.string("llama.rope.scaling.type", "none").f32("llama.rope.scaling.factor", 2);
            }),
            Json());
  const Json linear = {{"rope_type", "linear"}, {"factor", 2.0}};
  EXPECT_EQ(scaling([](GgufText& t) {
              t.string("llama.rope.scaling.type", "linear").f32("llama.rope.scaling.factor", 2);
            }),
            linear);
  EXPECT_EQ(scaling([](GgufText& t) { t.f32("llama.rope.scaling.factor", 2); }), linear);
  EXPECT_EQ(scaling([](GgufText& t) { t.f32("llama.rope.scale_linear", 2); }), linear);
  EXPECT_EQ(
      scaling([](GgufText& t) {
        t.string("llama.rope.scaling.type", "yarn").f32("llama.rope.scaling.factor", 4);
        t.u32("llama.rope.scaling.original_context_length", 32768);
        t.flag("llama.rope.scaling.finetuned", true);
      }),
      (Json{{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 32768}}));
  // Factors of a file become the rule, and their tensor is spoken for.
  GgufText text = small_llama();
  text.f32_tensor("rope_freqs.weight", {4}, llama3_factors(4, 1e4, 8, 1, 4, 64));
  const Checkpoint checkpoint = model_of(text);
  EXPECT_EQ(checkpoint.config().at("rope_scaling").at("rope_type"), "llama3");
  EXPECT_EQ(checkpoint.tensors().size(), 1u);
}

}  // namespace
}  // namespace anemone
