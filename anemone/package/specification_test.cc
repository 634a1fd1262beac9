#include "anemone/package/specification.h"

#include <gmock/gmock.h>

#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"
#include "anemone/package/testing.h"

namespace anemone::package {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// A specification with its weights in memory, to be damaged and read.
class Sample {
 public:
  explicit Sample(const Model& model) {
    BlobLayout blobs;
    EXPECT_TRUE(spec_.ParseFromString(write_specification(model, 10, blobs)));
    if (blobs.count() == 0) return;
    const TempFolder folder;
    blobs.write(folder.path() / "w", {});
    const std::string raw = read_text(folder.path() / "w");
    weights_ = own_bytes({as_bytes(raw).begin(), as_bytes(raw).end()});
  }

  spec::Model& model() { return spec_; }
  spec::Program& program() { return *spec_.mutable_ml_program(); }
  spec::Function& function(const std::string& name = "main") {
    return program().mutable_functions()->at(name);
  }
  spec::Block& block(const std::string& name = "main") {
    return function(name).mutable_block_specializations()->begin()->second;
  }
  spec::Operation& op(int i) { return *block().mutable_operations(i); }

  Model read() const {
    const std::string bytes = spec_.SerializeAsString();
    return load_from_memory(as_bytes(bytes), weights_, "m");
  }
  std::string refusal() const {
    const std::string message = message_of([&] { read(); });
    EXPECT_THAT(message, StartsWith("m/model.mlmodel: "));
    return message.substr(std::string("m/model.mlmodel: ").size());
  }

 private:
  spec::Model spec_;
  std::shared_ptr<const Bytes> weights_;
};

Sample small(std::int64_t columns = 12) { return Sample(small_model(mil::Opset::kIos15, columns)); }

std::string refusal_of(std::string_view bytes) {
  return message_of([&] { load_from_memory(as_bytes(bytes), nullptr, "m"); });
}

TEST(Specification, TheSampleItselfIsSound) {
  EXPECT_EQ(mil::print(small().read().program), mil::print(small_model().program));
}

// --- Not a specification, or of something else. ---

TEST(Specification, RefusesBytesThatAreNone) {
  EXPECT_EQ(refusal_of(""), "m/model.mlmodel: is empty");
  EXPECT_EQ(refusal_of("\x0f"),
            "m/model.mlmodel: is no Core ML specification: no protobuf field at byte 0");
  EXPECT_EQ(refusal_of("\x08"),
            "m/model.mlmodel: ends inside of a number at byte 1; the file is cut short or damaged");
  EXPECT_EQ(refusal_of("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
            "m/model.mlmodel: is no Core ML specification: no protobuf field at byte 1");
  EXPECT_EQ(refusal_of("\x08\x06"),
            "m/model.mlmodel: holds no model; an ML Program (mlProgram) is wanted");
  EXPECT_EQ(refusal_of("<html><body>"),
            "m/model.mlmodel: is no Core ML specification: no protobuf field at byte 0");
}

TEST(Specification, RefusesACutFileWhereverItIsCut) {
  BlobLayout blobs;
  const std::string whole = write_specification(small_model(mil::Opset::kIos15, 4), 10, blobs);
  load_from_memory(as_bytes(whole), nullptr, "m");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string message = refusal_of(std::string_view(whole).substr(0, size));
    ASSERT_THAT(message, StartsWith("m/model.mlmodel: ")) << size;
  }
  EXPECT_THAT(refusal_of(std::string_view(whole).substr(0, whole.size() - 1)),
              HasSubstr("; the file is cut short or damaged"));
}

TEST(Specification, RefusesOtherKindsOfModelByName) {
  const auto with_field = [](std::uint32_t field) {
    std::string bytes = "\x08\x04";
    std::uint32_t tag = field << 3 | 2;
    for (; tag >= 128; tag >>= 7) bytes += static_cast<char>(tag | 128);
    bytes += static_cast<char>(tag);
    return bytes + '\0';
  };
  EXPECT_EQ(refusal_of(with_field(500)),
            "m/model.mlmodel: the model is a neuralNetwork; only ML Programs (mlProgram) are "
            "handled");
  EXPECT_EQ(refusal_of(with_field(202)),
            "m/model.mlmodel: the model is a pipeline; only ML Programs (mlProgram) are handled");
  EXPECT_EQ(refusal_of(with_field(3000)),
            "m/model.mlmodel: the model is a serializedModel; only ML Programs (mlProgram) are "
            "handled");
  EXPECT_EQ(refusal_of(with_field(77)),
            "m/model.mlmodel: holds no model; an ML Program (mlProgram) is wanted");
}

TEST(Specification, RefusesNestingThatIsTooDeep) {
  Sample sample = small();
  spec::ValueType* type = sample.op(0).mutable_outputs(0)->mutable_type();
  for (int i = 0; i < 200; ++i) type = type->mutable_tuple_type()->add_types();
  EXPECT_EQ(sample.refusal(),
            "is no sound Core ML specification: a message inside of it is damaged, not UTF-8 or "
            "nested more than 100 deep");
}

TEST(Specification, TakesFieldsThatItDoesNotKnow) {
  BlobLayout blobs;
  std::string bytes = write_specification(small_model(mil::Opset::kIos15, 4), 10, blobs);
  bytes += std::string("\xf8\x07\x01", 3);  // field 127
  load_from_memory(as_bytes(bytes), nullptr, "m");
}

TEST(Specification, RefusesWhatNoMlProgramIs) {
  Sample sample = small();
  sample.model().set_is_updatable(true);
  EXPECT_EQ(sample.refusal(), "is marked as updatable, which an ML Program cannot be");
  sample = small();
  sample.model().set_specification_version(0);
  EXPECT_EQ(sample.refusal(), "the specification version is 0; at least 1 is wanted");
  sample = small();
  sample.program().set_version(2);
  EXPECT_EQ(sample.refusal(), "the ML Program is of version 2; version 1 is handled");
  sample = small();
  sample.program().mutable_functions()->clear();
  EXPECT_EQ(sample.refusal(), "the ML Program has no functions");
  sample = small();
  (*sample.program().mutable_attributes())["odd"];
  EXPECT_EQ(sample.refusal(), "the ML Program has the attribute 'odd'; allowed: buildInfo");
}

// --- Functions and names. ---

TEST(Specification, RefusesFunctionsWithoutABlockForTheirOpset) {
  Sample sample = small();
  sample.function().set_opset("CoreML6");
  EXPECT_EQ(sample.refusal(),
            "function 'main': speaks opset 'CoreML6', but has blocks only for 'CoreML5'");
  sample.function().set_opset("CoreML4");
  EXPECT_EQ(
      sample.refusal(),
      "function 'main': speaks opset 'CoreML4'; known are CoreML5, CoreML6, CoreML7, CoreML8, "
      "CoreML9");
  sample.function().set_opset("CoreML5");
  sample.function().mutable_block_specializations()->clear();
  EXPECT_EQ(sample.refusal(), "function 'main': speaks opset 'CoreML5', but has no block");
}

TEST(Specification, RefusesNamesThatAreNoIdentifiers) {
  Sample sample = small();
  sample.op(0).mutable_outputs(0)->set_name("w/1");
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'w' (const): the name 'w/1' of an output is no identifier; "
            "allowed: [A-Za-z_][A-Za-z0-9_@]*");
  sample = small();
  sample.function().mutable_inputs(0)->set_name("");
  EXPECT_THAT(sample.refusal(), StartsWith("function 'main': the name '' of an input is no"));
  sample = small();
  (*sample.program().mutable_functions())[std::string(500, '-')] = sample.function();
  EXPECT_THAT(sample.refusal(), HasSubstr("'" + std::string(80, '-') + "...'"));
}

TEST(Specification, RefusesReferencesToNothing) {
  Sample sample = small();
  sample.op(3).mutable_inputs()->at("y").mutable_arguments(0)->set_name("nobody");
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'y' (add): parameter 'y': uses 'nobody', which nothing defines");
  sample.op(3).mutable_inputs()->at("y").mutable_arguments(0)->set_name("y");
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'y' (add): parameter 'y': uses 'y' before it is defined or "
            "outside of its block");
  sample = small();
  sample.block().set_outputs(0, "gone");
  EXPECT_EQ(sample.refusal(),
            "function 'main': an output of a block: uses 'gone', which nothing defines");
  sample = small();
  sample.block().mutable_operations()->SwapElements(2, 3);
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'y' (add): parameter 'x': uses 'p' before it is defined or "
            "outside of its block");
}

TEST(Specification, RefusesAValueThatIsDefinedTwice) {
  Sample sample = small();
  sample.op(2).mutable_outputs(0)->set_name("x");
  EXPECT_EQ(sample.refusal(), "function 'main': op 'p' (softmax): 'x' is defined twice");
}

// Two branches that both call a value 'same' and an op 'twin'.
TEST(Specification, TellsEqualNamesInBlocksSideBySideApart) {
  Model model;
  mil::Builder b(model.program.add_function("main", mil::Opset::kIos16));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF32, {2}));
  mil::Value* y = b.add("sin", "y", {{"x", x}});
  b.set_outputs({y});
  Sample sample(model);
  spec::Operation& op = sample.op(0);
  const spec::Operation inner = op;
  op.set_type("cond");
  op.mutable_inputs()->clear();
  auto* predicate = (*op.mutable_inputs())["pred"].add_arguments()->mutable_value();
  predicate->mutable_type()->mutable_tensor_type()->set_data_type(info(DType::kBool).mil);
  predicate->mutable_immediate_value()->mutable_tensor()->mutable_bools()->add_values(true);
  for (int i = 0; i < 2; ++i) {
    spec::Block& block = *op.add_blocks();
    spec::Operation& same = *block.add_operations();
    same = inner;
    same.mutable_outputs(0)->set_name("same");
    auto* name = same.mutable_attributes()->at("name").mutable_immediate_value();
    name->mutable_tensor()->mutable_strings()->set_values(0, "twin");
    block.add_outputs("same");
  }
  const Model read = sample.read();
  mil::require_sound(read.program, "m");
  const mil::Op& cond = *read.program.functions[0]->body.ops[0];
  EXPECT_EQ(cond.blocks[0]->outputs[0]->name, "same");
  EXPECT_EQ(cond.blocks[1]->outputs[0]->name, "same_1");
  EXPECT_EQ(cond.blocks[1]->ops[0]->name, "twin_1");
  EXPECT_EQ(cond.output()->name, "y");

  // A name of the outer block is taken.
  op.mutable_blocks(0)->mutable_operations(0)->mutable_outputs(0)->set_name("x");
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'y' (cond): op 'twin' (sin): 'x' is defined twice");
  op.mutable_blocks(0)->mutable_operations(0)->mutable_outputs(0)->set_name("other");
  EXPECT_EQ(
      sample.refusal(),
      "function 'main': op 'y' (cond): an output of a block: uses 'same' before it is defined "
      "or outside of its block");
}

TEST(Specification, RefusesOpsItDoesNotKnow) {
  Sample sample = small();
  sample.op(2).set_type("custom_layer");
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'p' (custom_layer): no op of that type is known");
  sample = small();
  sample.op(2).add_blocks();
  EXPECT_EQ(sample.refusal(), "function 'main': op 'p' (softmax): has 1 blocks; it needs 0");
  sample = small();
  (*sample.op(2).mutable_attributes())["extra"] = sample.op(2).attributes().at("name");
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'p' (softmax): attribute 'extra': is unknown; allowed: name");
}

TEST(Specification, GivesOpsWithoutANameTheNameOfTheirOutput) {
  Sample sample = small();
  sample.op(2).mutable_attributes()->clear();
  EXPECT_EQ(sample.read().program.functions[0]->body.ops[2]->name, "p");
}

// --- Types and values. ---

spec::Value& value_of(spec::Operation& op) { return op.mutable_attributes()->at("val"); }

TEST(Specification, RefusesTypesThatAreNone) {
  Sample sample = small();
  spec::TensorType& type = *sample.op(2).mutable_outputs(0)->mutable_type()->mutable_tensor_type();
  const spec::TensorType sound = type;
  const std::string where = "function 'main': op 'p' (softmax): an output 'p': ";
  type.set_data_type(99);
  EXPECT_EQ(sample.refusal(), where + "a tensor type has the unknown data type 99");
  type.set_data_type(0);
  EXPECT_EQ(sample.refusal(), where + "a tensor type has the unknown data type 0");
  type = sound;
  type.set_rank(3);
  EXPECT_EQ(sample.refusal(), where + "a tensor type says rank 3 and lists 2 dimensions");
  type = sound;
  type.mutable_dimensions(0)->mutable_constant()->set_size(~std::uint64_t{0});
  EXPECT_EQ(sample.refusal(),
            where + "a dimension is 18446744073709551615; at most 281474976710656 is allowed");
  type.mutable_dimensions(0)->mutable_constant()->set_size(std::uint64_t{1} << 47);
  EXPECT_EQ(sample.refusal(), where +
                                  "a tensor type has the shape [140737488355328, 12], which is "
                                  "more than 2^48 elements");
  (*type.mutable_attributes())["a"];
  EXPECT_EQ(sample.refusal(), where + "a tensor type has attributes; none are known");
  sample.op(2).mutable_outputs(0)->clear_type();
  EXPECT_EQ(sample.refusal(),
            where + "a type is none of tensor, state, list, tuple and dictionary");
}

TEST(Specification, RefusesImmediateValuesThatDoNotFitTheirType) {
  const std::string where = "function 'main': op 'w' (const): attribute 'val': ";
  Sample sample = small(4);
  value_of(sample.op(0))
      .mutable_immediate_value()
      ->mutable_tensor()
      ->mutable_floats()
      ->add_values(1);
  EXPECT_EQ(sample.refusal(),
            where + "a value of type tensor<fp32, [4]> holds 5 elements; it needs 4");
  sample = small(4);
  value_of(sample.op(0)).mutable_immediate_value()->mutable_tensor()->mutable_ints();
  EXPECT_EQ(sample.refusal(), where +
                                  "a value of type tensor<fp32, [4]> stands in 'ints'; it belongs "
                                  "in 'floats'");
  sample = small(4);
  value_of(sample.op(0)).clear_immediate_value();
  EXPECT_EQ(sample.refusal(), where + "a value of type tensor<fp32, [4]> holds nothing");
  value_of(sample.op(0)).mutable_immediate_value()->mutable_list();
  EXPECT_EQ(sample.refusal(), where + "a value of type tensor<fp32, [4]> holds no tensor");
  sample = small(4);
  auto* dimension =
      value_of(sample.op(0)).mutable_type()->mutable_tensor_type()->mutable_dimensions(0);
  dimension->mutable_unknown();
  EXPECT_EQ(sample.refusal(),
            where +
                "a value of type tensor<fp32, [?]>, which says no extent for each "
                "axis");
  sample = small(4);
  sample.op(0).mutable_attributes()->erase("val");
  EXPECT_EQ(sample.refusal(), "function 'main': op 'w' (const): has no attribute 'val'");
  sample = small(4);
  sample.op(0).add_outputs()->CopyFrom(sample.op(0).outputs(0));
  sample.op(0).mutable_outputs(1)->set_name("w2");
  EXPECT_EQ(
      sample.refusal(),
      "function 'main': op 'w' (const): has 2 outputs and 0 inputs; a const has one and none");
  sample = small(4);
  sample.op(0).mutable_outputs(0)->mutable_type()->mutable_tensor_type()->set_data_type(10);
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'w' (const): its output is declared as tensor<fp16, [4]>, but its "
            "value is tensor<fp32, [4]>");
}

TEST(Specification, RefusesElementsThatDoNotFitTheirType) {
  Sample sample = small(2);
  spec::Operation& op = sample.op(0);
  const auto become = [&](DType dtype) {
    value_of(op).mutable_type()->mutable_tensor_type()->set_data_type(info(dtype).mil);
    op.mutable_outputs(0)->mutable_type()->mutable_tensor_type()->set_data_type(info(dtype).mil);
    auto* tensor = value_of(op).mutable_immediate_value()->mutable_tensor();
    tensor->Clear();
    return tensor;
  };
  const std::string where = "function 'main': op 'w' (const): attribute 'val': a value of type ";
  auto* tensor = become(DType::kI16);
  tensor->mutable_ints()->add_values(-32768);
  tensor->mutable_ints()->add_values(32767);
  EXPECT_EQ(sample.read().program.functions[0]->body.ops[0]->output()->constant->to_ints(),
            (std::vector<std::int64_t>{-32768, 32767}));
  tensor->mutable_ints()->set_values(1, 32768);
  EXPECT_EQ(sample.refusal(), where + "tensor<int16, [2]> holds 32768, which does not fit");
  become(DType::kU16)->mutable_ints()->add_values(-1);
  tensor->mutable_ints()->add_values(1);
  EXPECT_EQ(sample.refusal(), where + "tensor<uint16, [2]> holds -1, which does not fit");
  become(DType::kF16)->mutable_bytes()->set_values("abc");
  EXPECT_EQ(sample.refusal(), where + "tensor<fp16, [2]> holds 3 bytes; it needs 4");
  become(DType::kU1)->mutable_bytes()->set_values("ab");
  EXPECT_EQ(sample.refusal(), where + "tensor<uint1, [2]> holds 2 bytes; it needs 1");
}

TEST(Specification, RefusesBlobsThatAreNotThere) {
  Sample sample = small();
  auto* blob = value_of(sample.op(0)).mutable_blob_file_value();
  blob->set_offset(128);
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'w' (const): attribute 'val': m/weights/weight.bin: the blob at "
            "offset 128 has its record past the end of the file (176 bytes)");
  blob->set_file_name("@model_path/../../secret");
  EXPECT_EQ(sample.refusal(),
            "function 'main': op 'w' (const): attribute 'val': refers to the weight file "
            "'@model_path/../../secret'; allowed are paths inside '@model_path/'");
}

// --- The description. ---

TEST(Specification, TakesAnOutputThatIsGivenTwiceForOne) {
  Sample sample = small();
  auto* description = sample.model().mutable_description();
  description->add_output()->CopyFrom(description->output(0));
  sample.block().add_outputs(sample.block().outputs(0));
  const Model model = sample.read();
  EXPECT_EQ(mil::print(model.program), mil::print(small_model().program));
  EXPECT_EQ(model.interfaces.at("main").outputs.size(), 1u);
}

TEST(Specification, RefusesFeaturesThatDoNotFitTheProgram) {
  Sample sample = small();
  auto* description = sample.model().mutable_description();
  const spec::ModelDescription sound = *description;
  const std::string where = "the description: function 'main': ";
  description->mutable_input(0)->set_name("z");
  EXPECT_EQ(sample.refusal(), where + "input feature 'z': is no input of the program's function");
  *description = sound;
  description->clear_input();
  EXPECT_EQ(sample.refusal(), where + "input 'x' of the program's function has no feature");
  *description = sound;
  description->mutable_output(0)->set_name("p");
  EXPECT_EQ(sample.refusal(), where + "output feature 'p': is no output of the program's function");
  *description = sound;
  description->add_output()->CopyFrom(description->output(0));
  description->mutable_output(1)->set_short_description("another");
  EXPECT_EQ(sample.refusal(), where + "output feature 'y': stands twice");
  *description = sound;
  auto* array = description->mutable_input(0)->mutable_type()->mutable_multi_array_type();
  array->set_shape(1, 13);
  EXPECT_EQ(sample.refusal(), where +
                                  "input feature 'x': has the shape [1, 13], but the program's "
                                  "value is tensor<fp32, [1, 12]>");
  *description = sound;
  description->set_predicted_feature_name("label");
  EXPECT_EQ(sample.refusal(), where + "names 'label' as predicted, but has no such output feature");
}

TEST(Specification, RefusesFeaturesOfNoKnownType) {
  Sample sample = small();
  auto* type = sample.model().mutable_description()->mutable_input(0)->mutable_type();
  const spec::FeatureType sound = *type;
  const std::string where = "the description: input feature 'x': ";
  type->mutable_multi_array_type()->set_data_type(7);
  EXPECT_EQ(sample.refusal(), where + "is a multi-array of the unknown data type 7");
  *type = sound;
  type->mutable_multi_array_type()->set_shape(0, -5);
  EXPECT_EQ(sample.refusal(), where + "an extent is -5; allowed: 0 to 2^48");
  *type = sound;
  type->mutable_multi_array_type()->mutable_enumerated_shapes()->add_shapes()->add_shape(1);
  EXPECT_EQ(sample.refusal(), where + "has the default shape [1, 12], but allows shapes of rank 1");
  *type = sound;
  auto* range = type->mutable_multi_array_type()->mutable_shape_range()->add_size_ranges();
  range->set_lower_bound(9);
  range->set_upper_bound(3);
  EXPECT_EQ(sample.refusal(), where + "a size ranges from 9 to 3");
  type->mutable_image_type()->set_color_space(5);
  EXPECT_EQ(sample.refusal(), where + "is an image of the unknown color space 5");
  type->mutable_dictionary_type();
  EXPECT_EQ(sample.refusal(), where + "is a dictionary whose keys are neither int64 nor string");
  type->mutable_sequence_type();
  EXPECT_EQ(sample.refusal(), where + "is a sequence whose elements are neither int64 nor string");
  type->Clear();
  EXPECT_EQ(sample.refusal(), where + "is of no type that Core ML's features have");
}

TEST(Specification, RefusesDescriptionsOfFunctionsThatAreNotThere) {
  Sample sample(cache_model());
  auto* description = sample.model().mutable_description();
  const spec::ModelDescription sound = *description;
  description->mutable_functions(0)->set_name("gone");
  EXPECT_EQ(sample.refusal(),
            "the description: describes a function 'gone'; the program has 'decode', 'prefill'");
  description->mutable_functions(0)->set_name("prefill");
  EXPECT_EQ(sample.refusal(), "the description: describes function 'prefill' twice");
  *description = sound;
  description->set_default_function_name("gone");
  EXPECT_EQ(
      sample.refusal(),
      "the description: names 'gone' as the default function, but describes no such function");
  *description = sound;
  description->add_input()->set_name("x");
  EXPECT_EQ(sample.refusal(),
            "the description: has a list of functions as well as features outside of it; allowed "
            "is either");
  *description = sound;
  description->clear_functions();
  EXPECT_EQ(sample.refusal(),
            "the description: describes one function, but the program has 'decode', 'prefill' and "
            "no 'main'");
  *description = sound;
  auto* state = description->mutable_functions(1)->mutable_state(0)->mutable_type();
  state->mutable_state_type()->mutable_array_type()->set_data_type(65568);
  EXPECT_EQ(sample.refusal(),
            "the description: function 'prefill': state feature 'kv': is of fp32, but the "
            "program's value is state<tensor<fp16, [8, 16]>>");
  state->mutable_int64_type();
  EXPECT_EQ(sample.refusal(),
            "the description: function 'prefill': state feature 'kv': is described as something "
            "else");
}

}  // namespace
}  // namespace anemone::package
