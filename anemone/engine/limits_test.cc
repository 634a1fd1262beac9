#include "anemone/engine/limits.h"

#include <thread>

#include "anemone/base/error.h"
#include "anemone/engine/callable.h"
#include "anemone/engine/testing.h"
#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"

namespace anemone::engine {
namespace {

std::shared_ptr<mil::Program> program_of(const std::string& inputs, const std::string& body,
                                         const std::string& outputs) {
  const std::string text =
      "program(1.0) { func main<ios18>(" + inputs + ") {" + body + "} -> (" + outputs + "); }";
  auto program = std::make_shared<mil::Program>(mil::parse(text, "test"));
  for (const mil::Defect& one : mil::verify(*program)) {
    ADD_FAILURE() << one.where << ": " << one.what;
  }
  return program;
}

// What a call says that is refused, with its code in front.
std::string refusal(const std::shared_ptr<mil::Program>& program, const Callable::Tensors& inputs,
                    const Options& options) {
  try {
    Callable::make(program, "main", options)->run(inputs, nullptr);
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.what();
  }
  return "no error";
}

Tensor ints(std::vector<std::int64_t> values) { return Tensor::ints(values); }
Tensor number(double value) { return Tensor::scalar(DType::kF32, value); }
Tensor integer(double value) { return Tensor::scalar(DType::kI32, value); }

// Half a megabyte a call.
const Options kSmall{.limits = {.memory_bytes = 1 << 19, .loop_iterations = 1000}};

constexpr const char* kCounting = R"(
  int32 n = while_loop(loop_vars = start)[name = string("n")]
    (int32 i) { bool go = less(x = i, y = end)[name = string("go")]; } -> (go),
    (int32 j) { int32 k = add(x = j, y = int32(1))[name = string("k")]; } -> (k);)";

TEST(Limits, EndLoopsThatNeverEnd) {
  const auto program = program_of("int32 start, int32 end", kCounting, "n");
  const Callable::Tensors long_way = {{"start", integer(0)}, {"end", integer(1001)}};
  EXPECT_EQ(
      refusal(program, long_way, kSmall),
      "limit: function 'main': op 'n' (while_loop) wants to go on after 1000 iterations, which "
      "is what all loops of a call together are allowed");
  const Callable::Tensors all = {{"start", integer(0)}, {"end", integer(1000)}};
  const auto callable = Callable::make(program, "main", kSmall);
  EXPECT_EQ(callable->run(all, nullptr).at("n").integer(0), 1000);
  // Each call begins anew.
  EXPECT_EQ(callable->run(all, nullptr).at("n").integer(0), 1000);
}

TEST(Limits, CountTheIterationsOfNestedLoopsTogether) {
  const auto program = program_of("int32 end", R"(
    int32 outer = while_loop(loop_vars = int32(0))[name = string("outer")]
      (int32 i) { bool go = less(x = i, y = end)[name = string("go")]; } -> (go),
      (int32 j) {
        int32 inner = while_loop(loop_vars = int32(0))[name = string("inner")]
          (int32 a) { bool on = less(x = a, y = int32(50))[name = string("on")]; } -> (on),
          (int32 b) { int32 c = add(x = b, y = int32(1))[name = string("c")]; } -> (c);
        int32 k = add(x = j, y = int32(1))[name = string("k")];
      } -> (k);)",
                                  "outer");
  EXPECT_EQ(refusal(program, {{"end", integer(10)}}, kSmall), "no error");
  EXPECT_NE(refusal(program, {{"end", integer(30)}}, kSmall).find("op 'inner' (while_loop)"),
            std::string::npos);
}

TEST(Limits, StopWhenTheyAreAsked) {
  const auto program = program_of("int32 start, int32 end", kCounting, "n");
  StopFlag stop;
  Options options;
  options.limits.loop_iterations = std::int64_t{1} << 60;
  options.stop = &stop;
  const auto callable = Callable::make(program, "main", options);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.set();
  });
  try {
    callable->run({{"start", integer(0)}, {"end", integer(2147483647)}}, nullptr);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInterrupted);
  }
  later.join();
  // A plan looks between its steps.
  const auto planned = program_of("tensor<fp32, [2]> x",
                                  "tensor<fp32, [2]> y = exp(x = x)[name = string(\"y\")];", "y");
  EXPECT_THROW(
      Callable::make(planned, "main", options)
          ->run({{"x", Tensor::from_doubles(DType::kF32, {2}, std::vector{1.0, 2.0})}}, nullptr),
      Error);
}

// ---- memory that only a call shows: interpreted ----

TEST(Limits, RefuseTensorsThatOnlyACallMakesHuge) {
  struct Case {
    const char* inputs;
    const char* body;
    Callable::Tensors given;
    const char* says;
  };
  const Tensor huge = ints({1000000, 1000000});
  const Tensor row = Tensor::from_doubles(DType::kF32, {1, 2}, std::vector{1.0, 2.0});
  const Tensor pair = Tensor::from_doubles(DType::kF32, {1, 1, 1, 2}, std::vector{1.0, 2.0});
  const Case cases[] = {
      {"tensor<int32, [2]> s",
       R"(tensor<fp32, [?, ?]> y = fill(shape = s, value = fp32(1))[name = string("y")];)",
       {{"s", huge}},
       "limit: function 'main': op 'y' (fill) asks for 12000000000016 bytes to compute "
       "tensor<fp32, "
       "[1000000, 1000000]>; allowed: 524288"},
      {"tensor<fp32, [1, 2]> x, tensor<int32, [2]> s",
       R"(tensor<fp32, [?, ?]> y = tile(x = x, reps = s)[name = string("y")];)",
       {{"x", row}, {"s", huge}},
       "op 'y' (tile) asks for"},
      {"fp32 end",
       R"(tensor<fp32, [?]> y = range_1d(end = end, start = fp32(0), step = fp32(1))[name = string("y")];)",
       {{"end", number(1e12)}},
       "op 'y' (range_1d) asks for"},
      {"tensor<int32, [2]> s",
       R"(tensor<fp32, [?, ?]> y = random_normal(shape = s, mean = fp32(0), stddev = fp32(1), seed = int32(1))[name = string("y")];)",
       {{"s", huge}},
       "op 'y' (random_normal) asks for"},
      {"tensor<int32, [2]> s",
       R"(tensor<fp32, [?, ?]> y = random_uniform(shape = s, low = fp32(0), high = fp32(1), seed = int32(1))[name = string("y")];)",
       {{"s", huge}},
       "op 'y' (random_uniform) asks for"},
      {"tensor<int32, [2]> s",
       R"(tensor<fp32, [?, ?]> y = random_bernoulli(shape = s, prob = fp32(0.5), seed = int32(1))[name = string("y")];)",
       {{"s", huge}},
       "op 'y' (random_bernoulli) asks for"},
      {"tensor<fp32, [1, 2]> x, tensor<int32, [4]> p",
       R"(tensor<fp32, [?, ?]> y = pad(x = x, pad = p, mode = string("constant"), constant_val = fp32(0))[name = string("y")];)",
       {{"x", row}, {"p", ints({0, 1000000, 0, 1000000})}},
       "op 'y' (pad) asks for"},
      {"tensor<int32, [3]> i",
       R"(tensor<fp32, [3, ?]> y = one_hot(indices = i, one_hot_vector_size = size, on_value = fp32(1), off_value = fp32(0))[name = string("y")];)",
       {{"i", ints({0, 1, 2})}, {"size", integer(1e9)}},
       "op 'y' (one_hot) asks for"},
  };
  for (const Case& one : cases) {
    const bool needs_size = one.given.count("size") > 0;
    const auto program =
        program_of(std::string(one.inputs) + (needs_size ? ", int32 size" : ""), one.body, "y");
    const std::string says = refusal(program, one.given, kSmall);
    EXPECT_NE(says.find(one.says), std::string::npos) << says;
    EXPECT_NE(says.find("; allowed: 524288"), std::string::npos) << says;
  }
}

TEST(Limits, CountWhatIsInUse) {
  // Ten tensors of 16,000 bytes live at the same time, then one more would be too many.
  std::string body =
      R"(tensor<fp32, [?]> v0 = fill(shape = s, value = fp32(1))[name = string("v0")];)";
  std::string names = "v0";
  for (int i = 1; i < 40; ++i) {
    const std::string name = "v" + std::to_string(i);
    body += "tensor<fp32, [?]> " + name + " = fill(shape = s, value = fp32(1))[name = string(\"" +
            name + "\")];";
    names += ", " + name;
  }
  const auto program = program_of("tensor<int32, [1]> s", body, names);
  const std::string says = refusal(program, {{"s", ints({4000})}}, kSmall);
  EXPECT_NE(
      says.find("op 'v30' (fill) asks for 48008 bytes to compute tensor<fp32, [4000]>, beside "
                "480000 in use; allowed: 524288"),
      std::string::npos)
      << says;
  EXPECT_EQ(refusal(program, {{"s", ints({400})}}, kSmall), "no error");
}

TEST(Limits, BoundValuesThatGrowInALoop) {
  const auto program = program_of("tensor<fp32, [?]> x", R"(
    tensor<fp32, [?]> y = while_loop(loop_vars = x)[name = string("y")]
      (tensor<fp32, [?]> a) { bool go = equal(x = int32(1), y = int32(1))[name = string("go")]; } -> (go),
      (tensor<fp32, [?]> b) {
        tensor<fp32, [?]> c = concat(values = (b, b), axis = int32(0), interleave = bool(false))[name = string("c")];
      } -> (c);)",
                                  "y");
  const std::string says =
      refusal(program, {{"x", Tensor::from_doubles(DType::kF32, {1}, std::vector{1.0})}}, kSmall);
  EXPECT_NE(says.find("op 'c' (concat) asks for"), std::string::npos) << says;
}

// ---- lists ----

TEST(Limits, RefuseListsThatNoMemoryHolds) {
  const std::string list = R"(
    list<tensor<fp32, [2]>, ?> l = make_list(init_length = n, dynamic_length = bool(true), elem_shape = int32(2), dtype = string("fp32"))[name = string("l")];)";
  const std::string write = list + R"(
    list<tensor<fp32, [2]>, ?> m = list_write(ls = l, index = i, value = x)[name = string("m")];
    int32 y = list_length(ls = m)[name = string("y")];)";
  const Tensor x = Tensor::from_doubles(DType::kF32, {2}, std::vector{1.0, 2.0});
  const auto program = program_of("int32 n, int32 i, tensor<fp32, [2]> x", write, "y");
  const auto says = [&](double n, double i) {
    return refusal(program, {{"n", integer(n)}, {"i", integer(i)}, {"x", x}}, kSmall);
  };
  EXPECT_EQ(says(4, 1000), "no error");
  EXPECT_NE(says(1e9, 0).find("op 'l' (make_list) asks for 1000000000 elements"), std::string::npos)
      << says(1e9, 0);
  EXPECT_NE(says(2e6, 0).find("op 'l' (make_list) asks for 32000000 bytes"), std::string::npos)
      << says(2e6, 0);
  EXPECT_NE(says(1, 1e9).find("op 'm' (list_write) asks for element 1000000000 of a list; allowed"),
            std::string::npos)
      << says(1, 1e9);
  EXPECT_NE(says(1, 2e6).find("op 'm' (list_write) asks for"), std::string::npos) << says(1, 2e6);
}

TEST(Limits, LetListsGrowInTimeThatGoesWithTheirLength) {
  // Twenty thousand writes; were the list copied for each, that would be 200 million elements.
  const auto program = program_of("int32 end", R"(
    list<tensor<fp32, [2]>, ?> l = make_list(init_length = int32(1), dynamic_length = bool(true), elem_shape = int32(2), dtype = string("fp32"))[name = string("l")];
    int32 n, list<tensor<fp32, [2]>, ?> m = while_loop(loop_vars = (int32(0), l))[name = string("n")]
      (int32 i, list<tensor<fp32, [2]>, ?> a) { bool go = less(x = i, y = end)[name = string("go")]; } -> (go),
      (int32 j, list<tensor<fp32, [2]>, ?> b) {
        list<tensor<fp32, [2]>, ?> c = list_write(ls = b, index = j, value = tensor<fp32, [2]>([1, 2]))[name = string("c")];
        int32 k = add(x = j, y = int32(1))[name = string("k")];
      } -> (k, c);
    int32 y = list_length(ls = m)[name = string("y")];)",
                                  "y");
  Options options;
  const auto callable = Callable::make(program, "main", options);
  EXPECT_EQ(callable->run({{"end", integer(20000)}}, nullptr).at("y").integer(0), 20000);
  // And what was written grows no further than a call may hold.
  options.limits.memory_bytes = 1 << 18;
  const std::string says = refusal(program, {{"end", integer(20000)}}, options);
  EXPECT_NE(says.find(" in use; allowed: 262144"), std::string::npos) << says;
}

TEST(Limits, KeepAListThatIsStillNeededAsItWas) {
  const auto program = program_of("tensor<fp32, [2]> x", R"(
    list<tensor<fp32, [2]>, ?> l = make_list(init_length = int32(1), dynamic_length = bool(true), elem_shape = int32(2), dtype = string("fp32"))[name = string("l")];
    list<tensor<fp32, [2]>, ?> a = list_write(ls = l, index = int32(0), value = x)[name = string("a")];
    tensor<fp32, [2]> twice = add(x = x, y = x)[name = string("twice")];
    list<tensor<fp32, [2]>, ?> b = list_write(ls = a, index = int32(0), value = twice)[name = string("b")];
    tensor<fp32, [2]> from_a = list_read(ls = a, index = int32(0))[name = string("from_a")];
    tensor<fp32, [2]> from_b = list_read(ls = b, index = int32(0))[name = string("from_b")];)",
                                  "from_a, from_b");
  const Tensor x = Tensor::from_doubles(DType::kF32, {2}, std::vector{1.0, 2.0});
  const auto results = Callable::make(program, "main")->run({{"x", x}}, nullptr);
  EXPECT_EQ(results.at("from_a"), x);
  EXPECT_EQ(results.at("from_b").number(1), 4);
}

TEST(Limits, ScatterAndGatherListsWithoutTouchingOthers) {
  const auto program = program_of("tensor<fp32, [2, 2]> rows, tensor<int32, [2]> at", R"(
    list<tensor<fp32, [2]>, ?> l = make_list(init_length = int32(1), dynamic_length = bool(true), elem_shape = int32(2), dtype = string("fp32"))[name = string("l")];
    list<tensor<fp32, [2]>, ?> a = list_scatter(ls = l, indices = at, value = rows)[name = string("a")];
    tensor<fp32, [2, 2]> twice = add(x = rows, y = rows)[name = string("twice")];
    list<tensor<fp32, [2]>, ?> b = list_scatter(ls = a, indices = at, value = twice)[name = string("b")];
    tensor<fp32, [2, 2]> from_b = list_gather(ls = b, indices = at)[name = string("from_b")];
    tensor<fp32, [2, 2]> from_a = list_gather(ls = a, indices = at)[name = string("from_a")];
    int32 length = list_length(ls = b)[name = string("length")];)",
                                  "from_a, from_b, length");
  const Tensor rows = Tensor::from_doubles(DType::kF32, {2, 2}, std::vector{1.0, 2.0, 3.0, 4.0});
  const auto results =
      Callable::make(program, "main")->run({{"rows", rows}, {"at", ints({4, 2})}}, nullptr);
  EXPECT_EQ(results.at("from_a"), rows);
  EXPECT_EQ(results.at("from_b").to_doubles(), (std::vector<double>{2, 4, 6, 8}));
  EXPECT_EQ(results.at("length").integer(0), 5);
}

// What a run drops early to change lists where they are must not be what somebody still needs.
TEST(Limits, KeepOuterValuesThatABlockGivesBack) {
  const auto program = program_of("fp32 x, int32 end", R"(
    fp32 twice = add(x = x, y = x)[name = string("twice")];
    int32 n, fp32 a, fp32 b, fp32 c = while_loop(loop_vars = (int32(0), x, twice, x))[name = string("n")]
      (int32 i, fp32 a0, fp32 b0, fp32 c0) { bool go = less(x = i, y = end)[name = string("go")]; } -> (go),
      (int32 j, fp32 a1, fp32 b1, fp32 c1) {
        fp32 sum = add(x = a1, y = b1)[name = string("sum")];
        bool odd = equal(x = j, y = int32(1))[name = string("odd")];
        fp32 chosen = cond(pred = odd)[name = string("chosen")]
          { } -> (sum), { fp32 less_one = sub(x = sum, y = fp32(1))[name = string("less_one")]; } -> (less_one);
        fp32 after = add(x = chosen, y = sum)[name = string("after")];
        int32 k = add(x = j, y = int32(1))[name = string("k")];
      } -> (k, b1, a1, after);)",
                                  "n, a, b, c, twice");
  const auto results =
      Callable::make(program, "main")->run({{"x", number(3)}, {"end", integer(2)}}, nullptr);
  // The two change places and back; the sum is 9, and is chosen in the second round.
  EXPECT_EQ(results.at("n").integer(0), 2);
  EXPECT_EQ(results.at("a").number(0), 3);
  EXPECT_EQ(results.at("b").number(0), 6);
  EXPECT_EQ(results.at("c").number(0), 18);
  EXPECT_EQ(results.at("twice").number(0), 6);
}

// ---- memory that shapes show: plans ----

TEST(Limits, RefuseArenasThatNoMemoryHolds) {
  const auto fill = program_of("tensor<fp32, [1]> x", R"(
    tensor<fp32, [1000000, 1000000]> f = fill(shape = tensor<int32, [2]>([1000000, 1000000]), value = fp32(1))[name = string("f")];
    tensor<fp32, [1000000, 1000000]> y = add(x = f, y = x)[name = string("y")];)",
                               "y");
  const Callable::Tensors one = {{"x", Tensor::from_doubles(DType::kF32, {1}, std::vector{1.0})}};
  // By the machine's memory, too.
  for (const Options& options : {kSmall, Options{}}) {
    const std::string says = refusal(fill, one, options);
    EXPECT_NE(says.find("limit: function 'main': op 'f' (fill) asks for 12000000000000 bytes of "
                        "memory; allowed: "),
              std::string::npos)
        << says;
  }
}

TEST(Limits, RefuseOutputsThatAreMuchOfLittle) {
  const auto tile = program_of("tensor<fp32, [1, 1]> x", R"(
    tensor<fp32, [1000000, 1000000]> y = tile(x = x, reps = tensor<int32, [2]>([1000000, 1000000]))[name = string("y")];)",
                               "y");
  EXPECT_EQ(
      refusal(tile, {{"x", Tensor::from_doubles(DType::kF32, {1, 1}, std::vector{1.0})}}, kSmall),
      "limit: function 'main': output 'y' asks for 4000000000000 bytes of memory; allowed: "
      "524288");
}

TEST(Limits, RefuseWhatKernelsWouldNeed) {
  const auto sum =
      program_of("tensor<fp32, [1000, 1]> x, tensor<fp32, [1, 1000]> y",
                 "tensor<fp32, [1000, 1000]> z = sub(x = x, y = y)[name = string(\"z\")];"
                 "tensor<fp32, [1000, 1]> m = reduce_max(x = z, axes = tensor<int32, [1]>([1]), "
                 "keep_dims = bool(true))[name = string(\"m\")];",
                 "m");
  Numbers numbers(1);
  EXPECT_EQ(
      refusal(sum,
              {{"x", numbers.tensor(DType::kF32, {1000, 1})},
               {"y", numbers.tensor(DType::kF32, {1, 1000})}},
              kSmall),
      "limit: function 'main': op 'z' (sub) asks for 4000000 bytes of memory; allowed: 524288");
}

TEST(Limits, KnowTheMachine) {
  EXPECT_GT(memory_of_machine(), std::uint64_t{1} << 26);
  EXPECT_EQ(memory_allowed({}), memory_of_machine());
  EXPECT_EQ(memory_allowed({.memory_bytes = 7}), 7u);
  EXPECT_EQ(added(~0ull, 1), ~0ull);
  EXPECT_EQ(multiplied(~0ull / 2, 3), ~0ull);
  EXPECT_EQ(definition_bytes(10, 5, 16), 130u);
}

}  // namespace
}  // namespace anemone::engine
