#include "anemone/models/decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "anemone/mil/op.h"
#include "anemone/mil/verify.h"
#include "anemone/models/arch/tiny_checkpoint.h"

namespace anemone::models {
namespace {

Form tiny_form() {
  Form form;
  form.context = 128;
  form.prefill = 8;
  return form;
}

// Every pair of choices of two fields, the rest being the default: what goes wrong between two
// choices shows there.
std::vector<Form> forms_by_pairs() {
  using Change = std::function<void(Form&)>;
  const std::vector<std::vector<Change>> fields = {
      {[](Form& f) { f.layout = Layout::kBsc; }},
      {[](Form& f) { f.kv = KvWrite::kBlend; }, [](Form& f) { f.kv = KvWrite::kHost; }},
      {[](Form& f) { f.states = States::kTwo; }, [](Form& f) { f.states = States::kPerLayer; }},
      {[](Form& f) { f.norm = Norm::kPrescaled; }, [](Form& f) { f.norm = Norm::kPlain; }},
      {[](Form& f) { f.rotary = Rotary::kMatmul; }, [](Form& f) { f.rotary = Rotary::kTables; }},
      {[](Form& f) { f.gqa = Gqa::kRepeat; }, [](Form& f) { f.gqa = Gqa::kExpand; }},
      {[](Form& f) { f.mask = Mask::kPosition; }},
      {[](Form& f) { f.silu = Silu::kNative; }},
  };
  std::vector<Form> forms = {tiny_form()};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (const Change& first : fields[i]) {
      Form one = tiny_form();
      first(one);
      forms.push_back(one);
      for (std::size_t j = i + 1; j < fields.size(); ++j) {
        for (const Change& second : fields[j]) {
          Form two = one;
          second(two);
          // A host that owns the cache makes the mask, too.
          if (two.kv == KvWrite::kHost && two.mask == Mask::kPosition) continue;
          forms.push_back(two);
        }
      }
    }
  }
  return forms;
}

std::set<std::string> input_names(const mil::Function& function) {
  std::set<std::string> names;
  for (const auto& input : function.inputs) names.insert(input->name);
  return names;
}

int count_ops(const mil::Function& function, std::string_view type) {
  int count = 0;
  mil::for_each_op(function.body, [&](const mil::Op& op, int) { count += op.type() == type; });
  return count;
}

TEST(Decoder, EveryFormOfEveryArchitectureIsSound) {
  const char* const kModelTypes[] = {"qwen3", "qwen2", "llama"};
  for (std::size_t which = 0; which < 3; ++which) {
    const char* model_type = kModelTypes[which];
    TinyCheckpoint c;
    c.fill(model_type);
    DecoderConfig config;
    DecoderWeights weights = c.weights(config);
    const std::vector<Form> pairs = forms_by_pairs();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      // The architectures differ in few ops: each takes a third of the pairs, all take the
      // defaults.
      if (i != 0 && i % 3 != which) continue;
      const Form& form = pairs[i];
      EXPECT_NO_THROW(mil::require_sound(build_layers(config, form, weights, {1, 1}), model_type));
      if (form.norm != Norm::kConcat || form.gqa != Gqa::kGrouped) continue;
      EXPECT_NO_THROW(mil::require_sound(build_head(config, form, weights), model_type));
      EXPECT_NO_THROW(mil::require_sound(build_single(config, form, weights), model_type));
    }
  }
}

TEST(Decoder, HasTheInputsStateAndOutputOfTheBundleFormat) {
  TinyCheckpoint c;
  c.fill("qwen3");
  DecoderConfig config;
  DecoderWeights weights = c.weights(config);
  const mil::Program program = build_layers(config, tiny_form(), weights, {0, 2});
  ASSERT_EQ(program.functions.size(), 2u);
  const mil::Function& decode = *program.find_function("decode");
  EXPECT_EQ(input_names(decode),
            (std::set<std::string>{"hidden", "position", "cos", "sin", "mask", "kv"}));
  EXPECT_EQ(decode.find_input("hidden")->type, mil::Type::tensor(DType::kF16, {1, 1, 32}));
  EXPECT_EQ(decode.find_input("kv")->type, mil::Type::state(DType::kF16, {4, 2, 128, 16}));
  EXPECT_EQ(decode.find_input("mask")->type, mil::Type::tensor(DType::kF16, {1, 1, 1, 128}));
  const mil::Function& prefill = *program.find_function("prefill");
  EXPECT_EQ(prefill.find_input("hidden")->type, mil::Type::tensor(DType::kF16, {1, 8, 32}));
  ASSERT_EQ(prefill.body.outputs.size(), 1u);
  EXPECT_EQ(prefill.body.outputs[0]->name, "hidden_out");
  EXPECT_EQ(prefill.body.outputs[0]->type, mil::Type::tensor(DType::kF16, {1, 8, 32}));

  Form blend = tiny_form();
  blend.kv = KvWrite::kBlend;
  EXPECT_EQ(input_names(*build_layers(config, blend, weights, {0, 2}).find_function("decode")),
            (std::set<std::string>{"hidden", "write", "cos", "sin", "mask", "kv"}));
  Form host = tiny_form();
  host.kv = KvWrite::kHost;
  const mil::Program hosted = build_layers(config, host, weights, {0, 2});
  const mil::Function& hosted_decode = *hosted.find_function("decode");
  EXPECT_EQ(input_names(hosted_decode),
            (std::set<std::string>{"hidden", "kv", "cos", "sin", "mask"}));
  EXPECT_EQ(hosted_decode.find_input("mask")->type, mil::Type::tensor(DType::kF16, {1, 1, 1, 129}));
  EXPECT_EQ(hosted_decode.body.outputs[1]->name, "kv_new");
  EXPECT_EQ(hosted_decode.body.outputs[1]->type, mil::Type::tensor(DType::kF16, {4, 2, 1, 16}));
}

TEST(Decoder, SharesEveryWeightBetweenItsFunctionsAndTheEmbeddingWithTheHead) {
  TinyCheckpoint c;
  c.fill("qwen3");
  DecoderConfig config;
  DecoderWeights weights = c.weights(config);
  const mil::Program program = build_single(config, tiny_form(), weights);
  std::map<std::string, std::set<const Bytes*>> large;
  std::set<const Bytes*> matrices;
  for (const auto& function : program.functions) {
    mil::for_each_op(function->body, [&](const mil::Op& op, int) {
      if (op.type() != "const" || op.output()->constant->size_bytes() < 512) return;
      large[function->name].insert(op.output()->constant->bytes().get());
    });
  }
  EXPECT_EQ(large["decode"], large["prefill"]);
  EXPECT_EQ(large["decode"], large["score"]);
  // 7 matrices a layer and one embedding, which is the head too.
  EXPECT_EQ(large["decode"].size(), 7u * 2 + 1);
}

TEST(Decoder, StaysWithinRankFourAndFp16InItsDefaultForm) {
  TinyCheckpoint c;
  c.fill("qwen3");
  DecoderConfig config;
  DecoderWeights weights = c.weights(config);
  for (const auto& function : build_layers(config, tiny_form(), weights, {0, 2}).functions) {
    mil::for_each_op(function->body, [&](const mil::Op& op, int) {
      for (const auto& output : op.outputs) {
        EXPECT_LE(output->type.rank(), 4) << output->name;
        EXPECT_NE(output->type.dtype, DType::kF32) << output->name;
        EXPECT_TRUE(output->type.is_static()) << output->name;
      }
    });
    EXPECT_EQ(count_ops(*function, "slice_update"), 4);
    EXPECT_EQ(count_ops(*function, "linear"), 0);
    EXPECT_EQ(count_ops(*function, "gather"), 0);
  }
}

TEST(Decoder, TheRangedFormTakesAnyNumberOfRows) {
  for (const char* model_type : {"qwen3", "qwen2", "llama"}) {
    TinyCheckpoint c;
    c.fill(model_type);
    DecoderConfig config;
    DecoderWeights weights = c.weights(config);
    const mil::Program program = build_ranged(config, tiny_form(), weights);
    EXPECT_THAT(mil::verify(program), testing::IsEmpty());
    const mil::Function& main = *program.functions.front();
    EXPECT_EQ(main.name, "main");
    EXPECT_EQ(input_names(main),
              (std::set<std::string>{"inputIds", "fullAttentionMask", "keyCache", "valueCache"}));
    const mil::Type& logits = main.body.outputs.front()->type;
    EXPECT_EQ(logits.shape, (Shape{1, kUnknown, config.vocab_size}));
    // One write of keys and one of values a layer, and nothing reads past what was written.
    EXPECT_EQ(count_ops(main, "slice_update"), 2 * config.num_hidden_layers);
    EXPECT_EQ(count_ops(main, "write_state"), 2 * config.num_hidden_layers);
  }
}

}  // namespace
}  // namespace anemone::models
