#include "anemone/report/layers.h"

#include <gtest/gtest.h>

#include "anemone/mil/builder.h"

namespace anemone::report {
namespace {

TEST(Layers, AreFoundInTheNamesThatToolsGive) {
  EXPECT_EQ(find_layer("layer_12_q_proj"), 12);
  EXPECT_EQ(find_layer("model_layers_3_self_attn_q_proj_weight_to_fp16"), 3);
  EXPECT_EQ(find_layer("model.layers.27.mlp"), 27);
  EXPECT_EQ(find_layer("transformer.h.5"), 5);
  EXPECT_EQ(find_layer("blk.0.ffn_up"), 0);
  EXPECT_EQ(find_layer("block-7/x"), 7);
}

TEST(Layers, AreNotFoundInOtherNames) {
  for (const char* name : {"", "layer", "layer_", "layer_norm_3", "layer_3x", "player_3", "input_3",
                           "layer_12345678", "hidden"}) {
    EXPECT_EQ(find_layer(name), std::nullopt) << name;
  }
}

TEST(Layers, TakeInTheOpsBetweenNamedOnes) {
  mil::Program program;
  mil::Builder builder(program.add_function("main", mil::Opset::kIos18));
  const auto weight = [&](const char* name) {
    return builder.constant(name,
                            Tensor::from_floats(DType::kF16, {8, 8}, std::vector<float>(64, 0.5f)));
  };
  mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {1, 8}));
  x = builder.add("relu", "cast_7", {{"x", x}});
  x = builder.add("linear", "linear_0", {{"x", x}, {"weight", weight("layers_0_q_weight")}});
  x = builder.add("relu", "var_45", {{"x", x}});
  x = builder.add("relu", "layers_1_relu", {{"x", x}});
  x = builder.add("relu", "var_46", {{"x", x}});
  x = builder.add("linear", "linear_1", {{"x", x}, {"weight", weight("lm_head_weight")}});
  builder.set_outputs({x});
  std::vector<const mil::Op*> ops;
  for (const auto& op : builder.function().body.ops) {
    if (op->type() != "const") ops.push_back(op.get());
  }
  const Layers layers = layers_of(ops);
  EXPECT_EQ(layers.names, (std::vector<std::string>{"before the layers", "layer 0", "layer 1",
                                                    "after the layers"}));
  EXPECT_EQ(layers.of, (std::vector<std::size_t>{0, 1, 1, 2, 2, 3}));
}

TEST(Layers, AreFoundInWeightsThatAreCalledAlikeButForANumber) {
  mil::Program program;
  mil::Builder builder(program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {1, 8}));
  const auto add = [&](const char* op, const char* name) {
    mil::Value* weight = builder.constant(
        name, Tensor::from_floats(DType::kF16, {8, 8}, std::vector<float>(64, 0.5f)));
    x = builder.add("linear", op, {{"x", x}, {"weight", weight}});
  };
  add("linear_0", "stem_conv_0_weight_to_fp16");         // a number by itself repeats nothing
  x = builder.add("relu", "h_7_cast_fp16", {{"x", x}});  // of a variable h
  add("linear_1", "net_stages_0_q_weight_to_fp16");
  add("linear_2", "net_stages_0_k_weight_to_fp16");
  add("linear_3", "net_stages_1_q_weight_to_fp16");
  add("linear_4", "net_stages_1_k_weight_to_fp16");
  add("linear_5", "out_weight_to_fp16");
  builder.set_outputs({x});
  std::vector<const mil::Op*> ops;
  for (const auto& op : builder.function().body.ops) {
    if (op->type() != "const") ops.push_back(op.get());
  }
  const Layers layers = layers_of(ops);
  EXPECT_EQ(layers.names, (std::vector<std::string>{"before the layers", "layer 0", "layer 1",
                                                    "after the layers"}));
  EXPECT_EQ(layers.of, (std::vector<std::size_t>{0, 0, 1, 1, 2, 2, 3}));
}

TEST(Layers, AreOneGroupWhereNoNameTells) {
  mil::Program program;
  mil::Builder builder(program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {1, 8}));
  builder.set_outputs({builder.add("relu", "y", {{"x", x}})});
  const Layers layers = layers_of({builder.function().body.ops.front().get()});
  EXPECT_EQ(layers.names, std::vector<std::string>{"all ops"});
}

}  // namespace
}  // namespace anemone::report
