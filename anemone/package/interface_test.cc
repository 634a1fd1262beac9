#include <gmock/gmock.h>

#include "anemone/package/features.h"
#include "anemone/package/testing.h"

namespace anemone::package {
namespace {

// A function that takes one value of the type and gives it back through `sin`, if it is a float.
Model model_of(mil::Type type, mil::Opset opset = mil::Opset::kIos15) {
  Model model;
  mil::Builder b(model.program.add_function("main", opset));
  mil::Value* x = b.input("x", std::move(type));
  b.set_outputs({b.add("cast", "y", {{"x", x}, {"dtype", "fp32"}})});
  return model;
}

ArrayFeature input_array(const Model& model) {
  return std::get<ArrayFeature>(interface_of(*model.program.functions.front()).inputs.front().type);
}

TEST(Interface, FollowsFromTheTypes) {
  EXPECT_EQ(input_array(model_of(mil::Type::tensor(DType::kI32, {2, 3}))),
            (ArrayFeature{.dtype = DType::kI32, .shape = {2, 3}}));
  // A scalar is fed as one element; an unknown extent is anything from 1 on.
  const Model scalar = model_of(mil::Type::scalar(DType::kF32));
  EXPECT_EQ(input_array(scalar), (ArrayFeature{.dtype = DType::kF32, .shape = {1}}));
  const Interface interface = interface_of(*scalar.program.functions.front());
  EXPECT_EQ(std::get<ArrayFeature>(interface.outputs.front().type),
            (ArrayFeature{.dtype = DType::kF32, .shape = {}}));
  check_interface(interface, *scalar.program.functions.front());
  const Model open = model_of(mil::Type::tensor(DType::kF16, {2, kUnknown}));
  EXPECT_EQ(input_array(open), (ArrayFeature{.dtype = DType::kF16,
                                             .shape = {2, 1},
                                             .ranges = {SizeRange{2, 2}, SizeRange{1, -1}}}));
  check_interface(interface_of(*open.program.functions.front()), *open.program.functions.front());
}

TEST(Interface, RefusesTypesThatNoFeatureHas) {
  const auto refusal = [](mil::Type type) {
    const Model model = model_of(std::move(type));
    return message_of([&] { interface_of(*model.program.functions.front()); });
  };
  EXPECT_EQ(refusal(mil::Type::tensor(DType::kBool, {2})),
            "'x' is of type tensor<bool, [2]>; features are of fp16, fp32, fp64, int32 or int8");
  mil::Type unranked = mil::Type::tensor(DType::kF32, {});
  unranked.has_rank = false;
  EXPECT_EQ(refusal(unranked), "'x' has no fixed rank, as every feature must have");
}

// The rows of docs/formats/package.md, "Versions".
TEST(Interface, NeedsTheSmallestVersionThatAllowsIt) {
  const auto f32 = mil::Type::tensor(DType::kF32, {2});
  EXPECT_EQ(needed_specification(model_of(f32)), 6);
  EXPECT_EQ(needed_specification(model_of(mil::Type::tensor(DType::kF16, {2}))), 7);
  EXPECT_EQ(needed_specification(model_of(f32, mil::Opset::kIos16)), 7);
  EXPECT_EQ(needed_specification(model_of(f32, mil::Opset::kIos17)), 8);
  EXPECT_EQ(needed_specification(model_of(f32, mil::Opset::kIos18)), 9);
  EXPECT_EQ(needed_specification(model_of(f32, mil::Opset::kIos26)), 10);
  Model model = model_of(f32);
  model.is_multifunction = true;
  EXPECT_EQ(needed_specification(model), 9);

  model = model_of(f32);
  Interface& interface = model.interfaces["main"] = interface_of(*model.program.functions.front());
  std::get<ArrayFeature>(interface.inputs[0].type).dtype = DType::kI8;
  EXPECT_EQ(needed_specification(model), 10);
  interface.inputs[0].type = ImageFeature{.color_space = ColorSpace::kRgb};
  EXPECT_EQ(needed_specification(model), 6);
  interface.inputs[0].type = ImageFeature{.color_space = ColorSpace::kGrayscaleF16};
  EXPECT_EQ(needed_specification(model), 7);
  interface.inputs.clear();
  EXPECT_EQ(needed_specification(model), 9);
}

TEST(Interface, EveryKindOfFeatureComesBack) {
  const auto come_back = [](const mil::Type& type, const decltype(Feature::type)& feature_type) {
    Model model = model_of(type);
    Interface& interface = model.interfaces["main"];
    interface = interface_of(*model.program.functions.front());
    interface.inputs[0].type = feature_type;
    interface.inputs[0].is_optional = true;
    interface.inputs[0].short_description = "words";
    spec::ModelDescription written;
    write_description(model, &written);
    Model read = model_of(type);
    read_description(written, read);
    EXPECT_EQ(read.interfaces, model.interfaces);
  };
  const mil::Type open = mil::Type::tensor(DType::kF32, {2, kUnknown});
  come_back(open, ArrayFeature{.dtype = DType::kF64, .shape = {2, 1}, .default_value = 0.1});
  come_back(open, ArrayFeature{.dtype = DType::kI32, .shape = {2, 1}, .default_value = 7});
  come_back(open, ArrayFeature{
                      .dtype = DType::kI8, .shape = {2, 5}, .enumerated_shapes = {{2, 5}, {2, 1}}});
  come_back(open, Int64Feature{});
  come_back(open, DoubleFeature{});
  come_back(open, StringFeature{});
  come_back(open, DictionaryFeature{KeyType::kInt64});
  come_back(open, DictionaryFeature{KeyType::kString});
  come_back(open, SequenceFeature{KeyType::kInt64, {1, 5}});
  come_back(open, SequenceFeature{KeyType::kString, {0, -1}});
  come_back(mil::Type::tensor(DType::kF32, {1, 1, kUnknown, kUnknown}),
            ImageFeature{.width = 3,
                         .height = 4,
                         .color_space = ColorSpace::kGrayscale,
                         .enumerated_sizes = {{3, 4}, {5, 6}}});
  come_back(mil::Type::tensor(DType::kF32, {1, 3, kUnknown, kUnknown}),
            ImageFeature{.width = 3,
                         .height = 4,
                         .color_space = ColorSpace::kRgb,
                         .range = std::pair(SizeRange{1, 8}, SizeRange{2, -1})});
}

TEST(Interface, ThatDoesNotFitIsNotWritten) {
  Model model = model_of(mil::Type::tensor(DType::kF32, {1, 1, 4, 4}));
  Interface& interface = model.interfaces["main"];
  interface = interface_of(*model.program.functions.front());
  spec::ModelDescription written;
  interface.inputs[0].type = ImageFeature{.width = 4, .height = 4};
  EXPECT_EQ(message_of([&] { write_description(model, &written); }),
            "function 'main': input feature 'x': is an image in color, so the program's value must "
            "have the shape [1, 3, ?, ?]; it is tensor<fp32, [1, 1, 4, 4]>");
  interface.inputs.clear();
  EXPECT_EQ(message_of([&] { write_description(model, &written); }),
            "function 'main': input 'x' of the program's function has no feature");
}

}  // namespace
}  // namespace anemone::package
