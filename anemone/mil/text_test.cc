#include "anemone/mil/text.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "anemone/base/error.h"
#include "anemone/mil/builder.h"
#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

// print -> parse -> print, whose two texts must agree.
Program reread(const Program& program) {
  const std::string text = print(program);
  Program again = parse(text, "again.mil");
  EXPECT_EQ(print(again), text);
  return again;
}

std::string message_of(std::string_view text) {
  try {
    parse(text, "t.mil");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadInput);
    return error.what();
  }
  return "no error";
}

// A function `main` of one statement.
std::string with_statement(const std::string& statement) {
  return "program(1.0)\n{\n  func main<ios18>(tensor<fp16, [2]> x) {\n    " + statement +
         "\n  } -> (x);\n}\n";
}

// A program whose one constant is `tensor`, printed and read again.
Tensor reread_constant(const Tensor& tensor) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos18));
  b.set_outputs({b.constant("c", tensor)});
  return *reread(program).functions.front()->body.outputs.front()->constant;
}

std::string spelled(const Tensor& tensor) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos18));
  b.constant("c", tensor);
  const std::string text = print(program);
  const auto from = text.find("val = ") + 6;
  return text.substr(from, text.find("];\n") - from);
}

TEST(Text, PrintsAProgramInTheMannerOfCoreMl) {
  Program program;
  program.build_info = {{"date", "2026-01-01"}, {"tool", "a \"b\""}};
  Builder b(program.add_function("main", Opset::kIos18));
  Value* x = b.input("x", Type::tensor(DType::kF16, {1, 2}));
  b.input("kv", Type::state(DType::kF16, {2, 3}));
  Value* weights =
      b.constant("w", Tensor::from_floats(DType::kF16, {2, 2}, std::vector<float>{1, -2, .1f, 3}));
  Value* y = b.add("softmax", "y", {{"x", x}, {"axis", -1}});
  b.set_outputs({y, weights});
  EXPECT_EQ(print(program),
            R"(program(1.0)
[buildInfo = dict<string, string>({{"date", "2026-01-01"}, {"tool", "a \"b\""}})]
{
  func main<ios18>(tensor<fp16, [1, 2]> x, state<tensor<fp16, [2, 3]>> kv) {
    tensor<fp16, [2, 2]> w = const()[name = string("w"), val = tensor<fp16, [2, 2]>([[1, -2], [0.1, 3]])];
    int32 y_axis = const()[name = string("y_axis"), val = int32(-1)];
    tensor<fp16, [1, 2]> y = softmax(x = x, axis = y_axis)[name = string("y")];
  } -> (y, w);
}
)");
  const Program again = reread(program);
  EXPECT_EQ(again.build_info, program.build_info);
  ASSERT_EQ(again.functions.size(), 1u);
  const Function& main = *again.functions.front();
  EXPECT_EQ(main.inputs[1]->type, Type::state(DType::kF16, {2, 3}));
  EXPECT_EQ(main.body.outputs[0]->producer, main.body.ops[2].get());
  EXPECT_EQ(main.body.ops[2]->find_input("axis")->constant->integer(0), -1);
}

TEST(Text, LeavesOutWhatAReaderDoesNotWant) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos16));
  Value* x = b.input("x", Type::tensor(DType::kF16, {1, 64}));
  const std::vector<float> many(64);
  b.constant("w", Tensor::from_floats(DType::kF16, {8, 8}, many));
  b.set_outputs({b.add("softmax", "y", {{"x", x}, {"axis", -1}})});
  EXPECT_EQ(print(*program.functions.front(), {.max_elements = 8, .show_constants = false}),
            "func main<ios16>(tensor<fp16, [1, 64]> x) {\n"
            "  tensor<fp16, [1, 64]> y = softmax(x = x, axis = int32(-1))[name = string(\"y\")];\n"
            "} -> (y);\n");
  const std::string summary = print(program, {.max_elements = 8});
  EXPECT_NE(summary.find("val = tensor<fp16, [8, 8]>(...)]"), std::string::npos) << summary;
  EXPECT_EQ(message_of(summary),
            "t.mil: line 4, column 85: the elements are left out ('...'): the text is a summary");
}

TEST(Text, EveryHalfReadsBackAsTheSameBits) {
  for (const DType dtype : {DType::kF16, DType::kBF16}) {
    std::vector<std::byte> bytes(1 << 17);
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      bytes[i] = static_cast<std::byte>(i / 2);
      bytes[i + 1] = static_cast<std::byte>(i / 512);
    }
    const Tensor all(dtype, {256, 256}, own_bytes(std::move(bytes)));
    EXPECT_EQ(reread_constant(all), all) << name(dtype);
  }
}

TEST(Text, EveryEightBitFloatReadsBackAsTheSameBits) {
  for (const DType dtype : {DType::kF8E4M3, DType::kF8E5M2}) {
    std::vector<std::byte> bytes(256);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
    const Tensor all(dtype, {256}, own_bytes(std::move(bytes)));
    EXPECT_EQ(reread_constant(all), all) << name(dtype);
  }
}

TEST(Text, AnyPatternOfAFloatReadsBackAsTheSameBits) {
  std::mt19937_64 random(20260101);  // the seed
  for (const DType dtype : {DType::kF32, DType::kF64}) {
    std::vector<std::byte> bytes(1 << 16);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const std::uint64_t special[] = {
        0,          1,          0x80000000,         0x80000001,        0x7f800000,
        0xff800001, 0x7fffffff, 0x7ff0000000000001, 0xfff8000000000000};
    std::memcpy(bytes.data(), special, sizeof special);
    const auto width = static_cast<std::size_t>(width_bits(dtype) / 8);
    const auto count = static_cast<std::int64_t>(bytes.size() / width);
    const Tensor some(dtype, {count}, own_bytes(std::move(bytes)));
    EXPECT_EQ(reread_constant(some), some) << name(dtype);
  }
}

TEST(Text, EveryIntegerTypeKeepsItsLimits) {
  for (const DType dtype :
       {DType::kI4, DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kU1, DType::kU2,
        DType::kU3, DType::kU4, DType::kU6, DType::kU8, DType::kU16, DType::kU32, DType::kU64}) {
    // All bits set, all clear, the highest alone, and so on.
    std::vector<std::byte> bytes(24);
    for (std::size_t i = 0; i < 8; ++i) bytes[i] = std::byte{0xff};
    bytes[15] = std::byte{0x80};
    bytes[16] = std::byte{0x1b};
    bytes[23] = std::byte{0x7f};
    const auto count = static_cast<std::int64_t>(bytes.size()) * 8 / width_bits(dtype);
    const Tensor limits(dtype, {count}, own_bytes(std::move(bytes)));
    EXPECT_EQ(reread_constant(limits), limits) << name(dtype);
  }
}

TEST(Text, SpellsElementsShortly) {
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF16, 65504)), "fp16(65504)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF16, 1e-5)), "fp16(1e-05)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF16, -1e4)), "fp16(-10000)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF32, 0.1)), "fp32(0.1)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF32, -0.0)), "fp32(-0)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF32, INFINITY)), "fp32(inf)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF64, 0.1)), "fp64(0.1)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF16, NAN)), "fp16(nan)");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kF16, -NAN)), "fp16(nan(0xfe00))");
  EXPECT_EQ(spelled(Tensor::scalar(DType::kI4, -8)), "int4(-8)");
  EXPECT_EQ(spelled(Tensor::scalar_bool(true)), "bool(true)");
  EXPECT_EQ(spelled(Tensor::from_ints(DType::kI32, {0, 3}, {})), "tensor<int32, [0, 3]>([])");
  EXPECT_EQ(spelled(Tensor::from_strings({2}, {"a\n\"\\", "\xc3\xa9\xff\x01"})),
            R"(tensor<string, [2]>(["a\n\"\\", "é\xff\x01"]))");
}

TEST(Text, StringsReadBackByteForByte) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  const Tensor strings = Tensor::from_strings(
      {5}, {all, "", "\xed\xa0\x80 \xe0\x80\x80 \xf4\x90\x80\x80", "日本語 🪸", "\\x41\"\\"});
  EXPECT_EQ(reread_constant(strings), strings);
}

TEST(Text, ReadsHexadecimalFloats) {
  const auto read = [](const std::string& value) {
    const Program program = parse(with_statement("fp16 c = const()[val = " + value + "];"), "t");
    return *program.functions[0]->body.ops[0]->output()->constant;
  };
  EXPECT_EQ(read("fp16(0x1.8p+1)").number(0), 3);
  EXPECT_EQ(read("fp16(-0x1p-24)").number(0), -std::ldexp(1, -24));
  EXPECT_EQ(read("fp32(0x1.fffffep+127)").number(0), 0x1.fffffep+127);
  EXPECT_EQ(read("fp16(65519.9)").number(0), 65504);
  EXPECT_EQ(read("fp8e4m3fn(463.9)").number(0), 448);
  EXPECT_EQ(read("fp8e5m2(-0x1.1p+0)").number(0), -1);  // a tie
  EXPECT_EQ(read("fp16(inf)").number(0), INFINITY);
}

TEST(Text, KeepsWhatAProgramCanHold) {
  const std::string text = R"(program(1.0)
{
  func main<ios18>(tensor<fp16, [2, ?]> x, tensor<fp32, [...]> anything, bool p, state<tensor<fp16, [2]>> kv, tuple<int32, list<string, ?>> pair, dict<string, fp64> table, list<tensor<fp32, [2]>, 3> rows) {
    list<string, 2> classes = const()[name = string("classes"), val = list<string, 2>(["cat", "dog"])];
    list<tensor<int32, [2]>, 1> sizes = const()[val = list<tensor<int32, [2]>, 1>([[1, 2]])];
    uint4 nothing = const()[name = string("nothing")];
    tensor<fp16, [2, ?]> one, tensor<fp16, [2, ?]> "2nd @ part" = softmax(x = x, axis = int32(0))[name = string("two outputs")];
    softmax(x = kv, data = one);
    tensor<fp16, [2, ?]> y = softmax(x = (one, "2nd @ part"), axis = (), again = tensor<uint3, [2]>([1, 7]))[name = string("")];
    tensor<fp16, [2]> z = softmax(x = p)[name = string("z")] {
      bool q = softmax(x = p)[name = string("q")] (int32 i, fp16 string) {
        bool r = softmax(x = string, axis = i)[name = string("r")];
      } -> (r, p), {
      } -> ();
    } -> (q, one), (bool p) {
    } -> (p);
  } -> (y, z, "2nd @ part");
  func other<ios26>() {
  } -> ();
}
)";
  Program program = parse(text, "t.mil");
  std::string expected = text;
  expected.replace(expected.find("[name = string(\"\")]"), 19, "");  // an empty name is no name
  // No catalogue says that x takes many; the parentheses come from what is bound.
  EXPECT_EQ(print(program), expected);
  EXPECT_EQ(print(reread(program)), expected);
  const Function& main = *program.find_function("main");
  const Op& z = *main.body.ops.back();
  ASSERT_EQ(z.blocks.size(), 2u);
  EXPECT_EQ(z.blocks[1]->outputs[0], z.blocks[1]->inputs[0].get());
  const Op& q = *z.blocks[0]->ops[0];
  EXPECT_EQ(q.blocks[0]->outputs[1], main.inputs[2].get());
  EXPECT_EQ(main.body.ops[0]->output()->type, Type::list(DType::kString, {}, 2));
}

TEST(Text, ReadsAttributesOfTheOlderCompressionOpsAsParameters) {
  const Program program =
      parse(with_statement("fp16 y = softmax(x = x)[axis = int32(0), name = string(\"y\")];"), "t");
  const Op& op = *program.functions[0]->body.ops[0];
  EXPECT_EQ(op.find_input("axis"), op.literals.front().get());
  EXPECT_EQ(op.name, "y");
}

TEST(Text, ReadsCommentsAndAnySpacing) {
  const Program program = parse(
      "// a program\nprogram ( 1.0 ){func main<macOS15>(tensor<fp16,[2]>x)// none\n{}->(x);\r\n}",
      "t");
  EXPECT_EQ(program.functions[0]->opset, Opset::kIos18);
}

struct Fault {
  std::string text;
  std::string message;
};

TEST(Text, SaysWhereAndWhatIsWrong) {
  const std::string head = "t.mil: line 4, column ";
  const Fault faults[] = {
      {"", "t.mil: line 1, column 1: expected 'program', found the end of the text"},
      {"program(2.0) {}", "t.mil: line 1, column 9: expected the version 1.0, found '2.0'"},
      {"program(1.0)\n{\n} x", "t.mil: line 3, column 3: expected the end of the text, found 'x'"},
      {"program(1.0)\n[buildInfo = string(\"\")]{}",
       "t.mil: line 2, column 14: buildInfo is string; allowed: dict<string, string>"},
      {"program(1.0)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}, {\"a\", \"c\"}})]{}",
       "t.mil: line 2, column 49: the key stands twice"},
      {"program(1.0) { func f<ios14>() {} -> (); }",
       "t.mil: line 1, column 23: unknown target 'ios14'; allowed: ios15, ios16, ios17, ios18, "
       "ios26"},
      {"program(1.0) { func f<ios18>() {} -> (); func f<ios18>() {} -> (); }",
       "t.mil: line 1, column 47: a second function 'f'"},
      {with_statement("$"), head + "5: unexpected character '$'"},
      {with_statement("fp16 y = sofmax(x = x);"), head + "14: there is no op 'sofmax'"},
      {with_statement("fp16 y = softmax(x = z);"),
       head + "26: value 'z' is not defined before this"},
      {with_statement("fp16 y = softmax(x = y);"),
       head + "26: value 'y' is not defined before this"},
      {with_statement("fp16 y = softmax(x = x, x = x);"),
       head + "29: parameter 'x' is bound twice"},
      {with_statement("fp16 y = softmax(x = x)[axes = int32(1)];"),
       head + "29: op 'softmax' has no attribute 'axes'"},
      {with_statement("fp16 y = softmax(x = x)[name = int32(1)];"),
       head + "36: an op's name is int32; allowed: string"},
      {with_statement("fp16 y = const()[value = fp16(1)];"),
       head + "22: a const has no attribute 'value'"},
      {with_statement("fp16 y, fp16 z = const()[val = fp16(1)];"),
       head + "30: a const has one output, not 2"},
      {with_statement("fp16 y = const()[val = fp16(1e5)];"), head + "33: '1e5' does not fit fp16"},
      {with_statement("fp16 y = const()[val = fp8e4m3fn(464)];"),
       head + "38: '464' does not fit fp8e4m3fn"},
      {with_statement("fp16 y = const()[val = fp16(nan(0x10000))];"),
       head + "33: the pattern does not fit fp16"},
      {with_statement("fp16 y = const()[val = fp16(nan(1))];"),
       head + "37: expected a bit pattern such as 0x7e01, found '1'"},
      {with_statement("fp16 y = const()[val = fp16(-nan)];"),
       head + "33: a NaN with a sign is written nan(0x...), as its whole pattern"},
      {with_statement("fp16 y = const()[val = fp16(1x)];"), head + "33: '1x' is not a number"},
      {with_statement("int4 y = const()[val = int4(8)];"), head + "33: '8' does not fit int4"},
      {with_statement("int4 y = const()[val = uint64(18446744073709551616)];"),
       head + "35: '18446744073709551616' does not fit uint64"},
      {with_statement("int4 y = const()[val = int32(1.5)];"),
       head + "34: '1.5' is not a whole number"},
      {with_statement("int4 y = const()[val = int32(true)];"), head + "34: a bool is not a int32"},
      {with_statement("int4 y = const()[val = bool(1)];"), head + "33: '1' is not a bool"},
      {with_statement("int4 y = const()[val = string(\"a)];"),
       head + "35: the string that starts here does not end on its line"},
      {with_statement("int4 y = const()[val = string(\"\\q\")];"),
       head + "36: unknown escape; allowed: \\\" \\\\ \\n \\r \\t \\xNN"},
      {with_statement("int4 y = const()[val = tensor<int32, [2]>([1])];"),
       head + "49: expected ',' (2 in a row; 1 so far), found ']'"},
      {with_statement("int4 y = const()[val = tensor<int32, [1]>([1, 2])];"),
       head + "49: expected ']' (after 1 in a row), found ','"},
      {with_statement("int4 y = const()[val = tensor<int32, [?]>([1])];"),
       head + "28: a value of type tensor<int32, [?]>; allowed: of a static tensor or list"},
      {with_statement("int4 y = const()[val = tensor<int32, [4000000000, 4000000000]>([1])];"),
       head + "42: more than 2^48 elements"},
      {with_statement("int4 y = const()[val = tensor<fp16, [2]>(BLOBFILE(path = 1))];"),
       head + "46: the elements are in a file: read the package, not its text"},
      {with_statement("tensor<fp17, [2]> y = const();"),
       head + "12: expected an element type such as fp16, found 'fp17'"},
      {with_statement("tensor<fp16, [-2]> y = const();"),
       head + "19: expected an extent or '?', found '-2'"},
      {with_statement("state<state<fp16>> y = const();"),
       head + "11: a state of state<fp16>; allowed: of tensors"},
      {with_statement("dict<fp16> y = const();"), head + "5: a dict has two types, not 1"},
  };
  for (const Fault& fault : faults) EXPECT_EQ(message_of(fault.text), fault.message) << fault.text;
}

TEST(Text, RefusesBottomlessNesting) {
  std::string types, blocks;
  for (int i = 0; i < 100000; ++i) types += "tuple<";
  for (int i = 0; i < 100000; ++i) blocks += "softmax() {";
  EXPECT_EQ(message_of(with_statement(types)),
            "t.mil: line 4, column 389: nested deeper than 64 levels");
  EXPECT_EQ(message_of(with_statement(blocks)),
            "t.mil: line 4, column 719: nested deeper than 64 levels");
}

TEST(Text, EveryPrefixOfAProgramIsRefusedInPeace) {
  const std::string text = with_statement(
      "tensor<string, [1]> c = const()[name = string(\"\\x41\"), val = tensor<string, "
      "[1]>([\"a\"])];");
  EXPECT_EQ(message_of(text), "no error");
  for (std::size_t size = 0; size + 2 < text.size(); ++size) {
    EXPECT_NE(message_of(text.substr(0, size)), "no error") << size;
  }
}

}  // namespace
}  // namespace anemone::mil
