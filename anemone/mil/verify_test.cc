#include "anemone/mil/verify.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"
#include "anemone/mil/builder.h"
#include "anemone/mil/text.h"

namespace anemone::mil {
namespace {

std::vector<std::string> defects_of(const Program& program) {
  std::vector<std::string> words;
  for (const Defect& defect : verify(program)) words.push_back(defect.where + ": " + defect.what);
  return words;
}

// A program of one iOS 18 function `main` with a tensor x, a state kv and those statements.
Program program_of(const std::string& statements, const std::string& outputs = "x") {
  return parse(
      "program(1.0)\n{\n  func main<ios18>(tensor<fp16, [2, 4]> x, state<tensor<fp16, [8, 4]>> "
      "kv) {\n" +
          statements + "  } -> (" + outputs + ");\n}\n",
      "t.mil");
}

std::vector<std::string> defects_of(const std::string& statements,
                                    const std::string& outputs = "x") {
  return defects_of(program_of(statements, outputs));
}

using Words = std::vector<std::string>;

// x written to rows `from` to `from + 2` of `old`, as the value `name`.
std::string update(const std::string& name, const std::string& old, int from) {
  const std::string begin = name + "_begin";
  const std::string end = name + "_end";
  const auto vector = [](const std::string& to, int a, int b) {
    return "tensor<int32, [2]> " + to + " = const()[name = string(\"" + to +
           "\"), val = tensor<int32, [2]>([" + std::to_string(a) + ", " + std::to_string(b) +
           "])];\n";
  };
  return vector(begin, from, 0) + vector(end, from + 2, 4) + "tensor<fp16, [8, 4]> " + name +
         " = slice_update(x = " + old + ", update = x, begin = " + begin + ", end = " + end +
         ")[name = string(\"" + name + "\")];\n";
}
std::string read(const std::string& name) {
  return "tensor<fp16, [8, 4]> " + name + " = read_state(input = kv)[name = string(\"" + name +
         "\")];\n";
}
std::string write(const std::string& name, const std::string& data) {
  return "write_state(input = kv, data = " + data + ")[name = string(\"" + name + "\")];\n";
}

TEST(Verify, FindsNothingInASoundProgram) {
  EXPECT_EQ(defects_of(read("a") + update("b", "a", 0) + write("w", "b") + read("c") +
                           update("d", "c", 2) + write("w2", "d") + read("e"),
                       "e"),
            Words());
  require_sound(program_of(""), "t.mil");
}

TEST(Verify, NamesTheFirstDefectAndCountsTheRest) {
  const Program program = program_of(
      "tensor<fp16, [2, 5]> y = sin(x = x)[name = string(\"y\")];\n"
      "tensor<fp32, [2, 4]> z = cos(x = x)[name = string(\"z\")];\n");
  try {
    require_sound(program, "t.mil");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadInput);
    EXPECT_STREQ(error.what(),
                 "t.mil: function 'main', op 'y' (sin): output 'y' is declared as tensor<fp16, [2, "
                 "5]>, but is tensor<fp16, [2, 4]> (and 1 more)");
  }
}

TEST(Verify, InfersEveryTypeAgain) {
  EXPECT_EQ(defects_of("tensor<fp16, [2, 5]> y = sin(x = x)[name = string(\"y\")];\n"),
            Words{"function 'main', op 'y' (sin): output 'y' is declared as tensor<fp16, [2, 5]>, "
                  "but is tensor<fp16, [2, 4]>"});
  EXPECT_EQ(defects_of("tensor<fp16, [2, ?]> y = sin(x = x)[name = string(\"y\")];\n"), Words());
  EXPECT_EQ(defects_of("tensor<fp16, [2, 4]> y, tensor<fp16, [2, 4]> z = sin(x = x)"
                       "[name = string(\"y\")];\n"),
            Words{"function 'main', op 'y' (sin): declares 2 outputs; it has 1"});
  EXPECT_EQ(
      defects_of("tensor<fp16, [2, 4]> y = sin(x = x, z = x)[name = string(\"y\")];\n").size(), 1u);
  EXPECT_EQ(defects_of("tensor<fp16, [2, 4]> y = sin()[name = string(\"y\")];\n"),
            Words{"function 'main', op 'y' (sin): lacks parameter 'x'"});
}

TEST(Verify, KeepsNewOpsOutOfOldFunctions) {
  Program program = program_of(read("a"));
  program.functions.front()->opset = Opset::kIos17;
  const Words found = defects_of(program);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0],
            "function 'main', op 'a' (read_state): exists from ios18 on, but the function speaks "
            "ios17");
}

TEST(Verify, FindsNamesThatAreNoIdentifiersOrStandTwice) {
  Program program = program_of(
      "tensor<fp16, [2, 4]> y = sin(x = x)[name = string(\"y\")];\n"
      "tensor<fp16, [2, 4]> z = cos(x = y)[name = string(\"z\")];\n");
  Block& body = program.functions.front()->body;
  body.ops[0]->outputs[0]->name = "1y";
  EXPECT_EQ(defects_of(program),
            Words{"function 'main', op 'y' (sin): the name '1y' is no identifier "
                  "([A-Za-z_][A-Za-z0-9_@]*, no reserved word)"});
  body.ops[0]->outputs[0]->name = "state";
  EXPECT_EQ(defects_of(program).size(), 1u);
  body.ops[0]->outputs[0]->name = "x";
  body.ops[1]->name = "y";
  EXPECT_EQ(defects_of(program), (Words{"function 'main', op 'y' (sin): two values are called 'x'",
                                        "function 'main', op 'y' (cos): two ops are called 'y'"}));
  program.functions.front()->name = "a-b";
  EXPECT_EQ(defects_of(program).front(), "function 'a-b': its name is no identifier");
}

TEST(Verify, FindsUsesBeforeTheirDefinition) {
  Program program = program_of(
      "tensor<fp16, [2, 4]> y = sin(x = x)[name = string(\"y\")];\n"
      "tensor<fp16, [2, 4]> z = cos(x = y)[name = string(\"z\")];\n",
      "z");
  Block& body = program.functions.front()->body;
  std::swap(body.ops[0], body.ops[1]);
  EXPECT_EQ(defects_of(program), Words{"function 'main', op 'z' (cos): parameter 'x' takes 'y', "
                                       "which is not defined before it or not in its block"});
  std::swap(body.ops[0], body.ops[1]);
  body.ops.pop_back();
  body.outputs = {nullptr};
  EXPECT_EQ(defects_of(program),
            Words{"function 'main': gives back nothing, which no op before its end defines"});
  body.outputs = {body.ops[0]->output(), body.ops[0]->output()};
  EXPECT_EQ(defects_of(program), Words{"function 'main': gives 'y' back twice"});
}

TEST(Verify, HoldsConstantsToTheirTypes) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos18));
  Value* x = b.input("x", Type::tensor(DType::kF16, {2}));
  Value* c = b.constant("c", Tensor::from_floats(DType::kF16, {2}, std::vector<float>{1, 2}));
  b.set_outputs({b.add("add", "y", {{"x", x}, {"y", c}})});
  EXPECT_EQ(defects_of(program), Words());
  c->type.shape = {3};
  EXPECT_EQ(defects_of(program).front(),
            "function 'main', op 'c' (const): output 'c' is declared as tensor<fp16, [3]>, but "
            "holds tensor<fp16, [2]>");
  c->constant = nullptr;
  EXPECT_EQ(defects_of(program).front(),
            "function 'main', op 'c' (const): a const has one output, which holds its value");
}

// --- States. ---

TEST(Verify, FindsASliceUpdateOfWhatWasOverwritten) {
  const std::string stale = "it must take the read_state after that write";
  EXPECT_EQ(defects_of(read("a") + update("b", "a", 0) + write("w", "b") + update("d", "a", 2) +
                       write("w2", "d")),
            (Words{"function 'main', op 'd' (slice_update): starts from 'a', but state 'kv' was "
                   "written since; " +
                       stale,
                   "function 'main', op 'w2' (write_state): starts from 'a', but state 'kv' was "
                   "written since; " +
                       stale}));
}

TEST(Verify, FindsAWriteThatLosesAnotherOne) {
  // Both updates are made before either is written.
  EXPECT_EQ(defects_of(read("a") + update("b", "a", 0) + update("d", "a", 2) + write("w", "b") +
                       write("w2", "d")),
            Words{"function 'main', op 'w2' (write_state): starts from 'a', but state 'kv' was "
                  "written since; it must take the read_state after that write"});
  // One update on top of the other loses nothing.
  EXPECT_EQ(defects_of(read("a") + update("b", "a", 0) + update("d", "b", 2) + write("w", "b") +
                       write("w2", "d")),
            Words());
}

TEST(Verify, LetsAReadOutliveAWriteThatItIsNotAnUpdateOf) {
  EXPECT_EQ(defects_of(read("a") + read("b") + update("c", "b", 0) + write("w", "c") +
                           "tensor<fp16, [8, 4]> s = sin(x = a)[name = string(\"s\")];\n",
                       "s"),
            Words());
}

TEST(Verify, FindsStatesThatAreUsedLikeTensors) {
  const Words found =
      defects_of("tensor<fp16, [8, 4]> y = sin(x = kv)[name = string(\"y\")];\n", "kv");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0],
            "function 'main', op 'y' (sin): parameter 'x' takes the state 'kv'; states are only "
            "read and written");
  EXPECT_EQ(found[1], "function 'main': gives back the state 'kv'");
  Program program = program_of("");
  program.functions.front()->inputs[1]->type.shape = {kUnknown, 4};
  EXPECT_EQ(defects_of(program),
            Words{"function 'main': state 'kv' is state<tensor<fp16, [?, 4]>>; states have a fixed "
                  "shape"});
}

TEST(Verify, FindsAWriteOfAnotherType) { EXPECT_EQ(defects_of(write("w", "x")).size(), 1u); }

// --- Nested blocks. ---

std::string cond(const std::string& yes, const std::string& no, const std::string& results) {
  return "bool p = const()[name = string(\"p\"), val = bool(true)];\n"
         "tensor<fp16, [2, 4]> y = cond(pred = p)[name = string(\"y\")] {" +
         yes + "} -> (" + results + "), {" + no + "} -> (x);\n";
}

TEST(Verify, ABranchSeesOuterValuesAndKeepsItsOwn) {
  const std::string inner = "tensor<fp16, [2, 4]> s = sin(x = x)[name = string(\"s\")];\n";
  EXPECT_EQ(defects_of(cond(inner, "", "s")), Words());
  Program program = program_of(cond(inner, "", "s"));
  // What a branch defines is not seen after it.
  Block& body = program.functions.front()->body;
  body.outputs = {body.ops.back()->blocks[0]->ops[0]->output()};
  EXPECT_EQ(defects_of(program),
            Words{"function 'main': gives back 's', which no op before its end defines"});
}

TEST(Verify, AWriteInOneBranchSpoilsReadsAfterTheCondButNotInTheOther) {
  const std::string writes = read("r") + update("u", "r", 0) + write("w", "u");
  const std::string other = update("v", "a", 0) + write("w2", "v");
  EXPECT_EQ(defects_of(read("a") + cond(writes, other, "x")), Words());
  EXPECT_EQ(defects_of(read("a") + cond(writes, "", "x") + update("after", "a", 0)).size(), 1u);
}

std::string loop(const std::string& variable_type, const std::string& body) {
  return "int32 start = const()[name = string(\"start\"), val = int32(0)];\n"
         "int32 i = while_loop(loop_vars = start)[name = string(\"i\")] (" +
         variable_type +
         " a_i) { bool again = less(x = a_i, y = start)[name = string(\"again\")]; } -> (again), "
         "(int32 b_i) {" +
         body + "} -> (b_i);\n";
}

TEST(Verify, ALoopMustReadAgainWhatAnEarlierRoundWrote) {
  EXPECT_EQ(defects_of(loop("int32", read("r") + update("u", "r", 0) + write("w", "u"))), Words());
  // Sound in the first round; in the second, `a` is what the state held before the first.
  const Words found = defects_of(read("a") + loop("int32", update("u", "a", 0) + write("w", "u")));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0],
            "function 'main', op 'u' (slice_update): starts from 'a', but state 'kv' was written "
            "since; it must take the read_state after that write");
}

TEST(Verify, ABlockTakesWhatTheLoopCarries) {
  EXPECT_EQ(defects_of(loop("int32", "")), Words());
  Program program = program_of(loop("int32", ""));
  const Op& op = *program.functions.front()->body.ops.back();
  op.blocks[1]->inputs[0]->type = Type::scalar(DType::kF32);
  const Words found = defects_of(program);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(
      found[0],
      "function 'main', op 'i' (while_loop): block input 'b_i' is fp32, but the loop variable "
      "is int32");
  op.blocks[1]->inputs.clear();
  op.blocks[1]->outputs.clear();
  EXPECT_EQ(defects_of(program)[0],
            "function 'main', op 'i' (while_loop): a block takes 0 values, but there are 1 loop "
            "variables");
  program.functions.front()->body.ops.back()->blocks.pop_back();
  EXPECT_EQ(defects_of(program)[0],
            "function 'main', op 'i' (while_loop): has 1 blocks; it needs 2");
}

}  // namespace
}  // namespace anemone::mil
