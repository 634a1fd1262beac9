#include <gtest/gtest.h>

#include "anemone/checkpoint/checkpoint.h"
#include "anemone/checkpoint/test_files.h"

namespace anemone {
namespace {

using checkpoint_test::message_of;

Json normalised(const char* text) {
  return normalised_config(parse_json(text, "config.json"), "config.json");
}
std::string refusal(const char* text) {
  return message_of([&] { normalised(text); });
}

TEST(Config, BothSpellingsBecomeOne) {
  const Json old_one = normalised(
      R"({"model_type":"qwen3","rope_theta":1000000,"rope_scaling":null,"torch_dtype":"bfloat16"})");
  const Json new_one = normalised(
      R"({"model_type":"qwen3","rope_parameters":{"rope_theta":1000000,"rope_type":"default"},)"
      R"("dtype":"bfloat16"})");
  EXPECT_EQ(old_one, new_one);
  EXPECT_EQ(old_one,
            Json::parse(R"({"model_type":"qwen3","dtype":"bfloat16",)"
                        R"("rope_parameters":{"rope_type":"default","rope_theta":1000000}})"));
}

TEST(Config, ScalingGoesWithTheRest) {
  const Json wanted = Json::parse(
      R"({"max_position_embeddings":131072,"rope_parameters":{"rope_type":"llama3","factor":8.0,)"
      R"("low_freq_factor":1.0,"high_freq_factor":4.0,"original_max_position_embeddings":8192,)"
      R"("rope_theta":500000.0}})");
  EXPECT_EQ(normalised(R"({"max_position_embeddings":131072,"rope_theta":500000.0,"rope_scaling":)"
                       R"({"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,)"
                       R"("high_freq_factor":4.0,"original_max_position_embeddings":8192}})"),
            wanted);
  // The older key "type", alone or agreeing; the same thing said twice; the original length
  // outside.
  EXPECT_EQ(
      normalised(R"({"max_position_embeddings":131072,"rope_theta":500000.0,"rope_scaling":)"
                 R"({"type":"llama3","rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,)"
                 R"("high_freq_factor":4.0},"original_max_position_embeddings":8192,)"
                 R"("rope_parameters":{"factor":8,"rope_theta":500000}})"),
      wanted);
  EXPECT_EQ(normalised(R"({"rope_scaling":{"type":"linear","factor":2.0}})"),
            Json::parse(R"({"rope_parameters":{"rope_type":"linear","factor":2.0}})"));
  // Where the original length is left out, it is the whole.
  EXPECT_EQ(normalised(R"({"max_position_embeddings":64,"rope_scaling":{"type":"llama3"}})")
                .at("rope_parameters")
                .at("original_max_position_embeddings"),
            64);
  EXPECT_EQ(
      normalised(R"({"partial_rotary_factor":0.5})"),
      Json::parse(R"({"rope_parameters":{"rope_type":"default","partial_rotary_factor":0.5}})"));
}

TEST(Config, NothingSaidIsTheDefaultWithoutATheta) {
  const Json wanted = Json::parse(R"({"rope_parameters":{"rope_type":"default"}})");
  EXPECT_EQ(normalised("{}"), wanted);
  EXPECT_EQ(normalised(R"({"rope_theta":null,"rope_scaling":{},"rope_parameters":null})"), wanted);
  EXPECT_EQ(normalised(R"({"rope_parameters":{"rope_theta":null,"rope_type":null}})"), wanted);
}

TEST(Config, OneSetALayerKindStaysAsItIs) {
  const char* text =
      R"({"rope_parameters":{"full_attention":{"rope_type":"default","rope_theta":1e6},)"
      R"("sliding_attention":{"rope_type":"default","rope_theta":1e4}}})";
  EXPECT_EQ(normalised(text), Json::parse(text));
}

TEST(Config, SpellingsThatDisagreeAreRefused) {
  struct Case {
    const char* text;
    const char* message;
  };
  const Case kCases[] = {
      {R"({"rope_theta":10000,"rope_parameters":{"rope_theta":1000000}})",
       "config.json: rope_theta is 10000, but rope_parameters.rope_theta is 1000000"},
      {R"({"torch_dtype":"float16","dtype":"bfloat16"})",
       "config.json: torch_dtype is \"float16\", but dtype is \"bfloat16\""},
      {R"({"rope_scaling":{"type":"linear","rope_type":"yarn"}})",
       "config.json: rope_scaling.type is \"linear\", but rope_scaling.rope_type is \"yarn\""},
      {R"({"rope_scaling":{"rope_type":"linear"},"rope_parameters":{"rope_type":"default"}})",
       "config.json: rope_scaling.rope_type is \"linear\", but rope_parameters.rope_type is "
       "\"default\""},
      {R"({"rope_scaling":{"factor":2.0},"rope_parameters":{"factor":4.0}})",
       "config.json: rope_scaling.factor is 2.0, but rope_parameters.factor is 4.0"},
      {R"({"original_max_position_embeddings":8,"rope_scaling":)"
       R"({"rope_type":"llama3","original_max_position_embeddings":16}})",
       "config.json: original_max_position_embeddings is 8, but "
       "rope_parameters.original_max_position_embeddings is 16"},
      {R"({"rope_scaling":"linear"})",
       "config.json: rope_scaling is of type string; allowed: object"},
      {R"({"rope_parameters":[1]})",
       "config.json: rope_parameters is of type array; allowed: object"},
      {R"({"rope_scaling":{"rope_type":3}})",
       "config.json: rope_parameters.rope_type is of type number; allowed: string"},
      {R"([])", "config.json: is of type array; allowed: object"},
  };
  for (const Case& c : kCases) EXPECT_EQ(refusal(c.text), std::string("bad-input: ") + c.message);
}

}  // namespace
}  // namespace anemone
