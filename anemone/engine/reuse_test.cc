#include "anemone/engine/reuse.h"

#include "anemone/base/error.h"
#include "anemone/engine/plan_report.h"
#include "anemone/engine/testing_random.h"

namespace anemone::engine {
namespace {

using mil::Type;
using mil::Value;
using Ints = std::vector<std::int64_t>;
using Names = std::map<std::string, std::string>;

// Large enough that three threads share each op's work.
constexpr std::int64_t kRows = 96;
constexpr std::int64_t kColumns = 1024;

class InPlace : public ::testing::Test {
 protected:
  InPlace()
      : program_(std::make_shared<mil::Program>()),
        b_(program_->add_function("main", mil::Opset::kIos18)) {}

  Value* input(const char* name, Shape shape, DType dtype = DType::kF16) {
    inputs_[name] = numbers_.tensor(dtype, shape, -2, 2);
    return b_.input(name, Type::tensor(dtype, shape));
  }
  Value* add(const char* op, const char* name, mil::Builder::Bindings bindings) {
    return b_.add(op, name, std::move(bindings));
  }
  Value* unary(const char* op, const char* name, Value* x) { return add(op, name, {{"x", x}}); }
  Value* binary(const char* op, const char* name, Value* x, Value* y) {
    return add(op, name, {{"x", x}, {"y", y}});
  }
  Value* rows(const char* name, Value* x, std::int64_t begin, std::int64_t end) {
    Ints from(x->type.shape.size(), 0), to = x->type.shape;
    from[0] = begin;
    to[0] = end;
    return add("slice_by_index", name, {{"x", x}, {"begin", from}, {"end", to}});
  }
  // A value of its own memory that is computed by an op without choice.
  Value* made(const char* name, Shape shape = {kRows, kColumns}) {
    return unary("tanh", name, input((std::string("of_") + name).c_str(), std::move(shape)));
  }

  // With memory of its own for every result, and with results over operands, by one thread and by
  // three, in both arithmetics: the same bits. Gives what each op's output is written over.
  Names check(std::vector<Value*> outputs, bool fuse = false) {
    b_.set_outputs(std::move(outputs));
    Names over;
    for (const Arithmetic arithmetic : {Arithmetic::kFloat32, Arithmetic::kFloat16}) {
      const auto apart = Executable::compile(
          program_, "main", {.arithmetic = arithmetic, .fuse = fuse, .in_place = false});
      const Tensors expected = run_plan(*apart, nullptr, inputs_);
      EXPECT_EQ(apart->plan_report().in_place, 0u);
      for (const int threads : {3, 1}) {
        Options options{.arithmetic = arithmetic, .fuse = fuse};
        if (threads > 1) options.pool = std::make_shared<ThreadPool>(threads);
        const auto executable = Executable::compile(program_, "main", options);
        // The arena is another one in every call, and so is what was left in it.
        for (int i = 0; i < 3; ++i) {
          const Tensors actual = run_plan(*executable, nullptr, inputs_);
          for (const auto& [name, tensor] : expected) {
            EXPECT_EQ(actual.at(name), tensor) << name << "\n" << executable->plan_text();
          }
        }
        over.clear();
        for (const PlanReport::Line& line : executable->plan_report().lines) {
          if (!line.over.empty()) over[line.name] = line.over;
        }
      }
    }
    return over;
  }

  std::shared_ptr<mil::Program> program_;
  mil::Builder b_;
  Numbers numbers_{7};
  Tensors inputs_;
};

// ---- what may be written over ----

TEST_F(InPlace, RunsChainsInOnePlace) {
  Value* a = made("a");
  Value* y = unary("exp", "c", unary("relu", "b", a));
  EXPECT_EQ(check({y}), (Names{{"b", "a"}, {"c", "b"}}));
  const PlanReport report = Executable::compile(program_, "main", {.fuse = false})->plan_report();
  EXPECT_EQ(report.in_place, 2u);
  // The input as it is converted, and one result.
  EXPECT_EQ(report.live_bytes, 2u * kRows * kColumns * sizeof(float));
  EXPECT_EQ(report.arena_bytes, report.live_bytes);
  EXPECT_NE(report.text().find("b relu: unary, [96, 1024], over a, 393216 bytes at "),
            std::string::npos)
      << report.text();
  EXPECT_NE(report.text().find(", 2 in place, "), std::string::npos) << report.text();
  EXPECT_EQ(report.json().at("in_place"), 2);
  EXPECT_EQ(report.json().at("plan").at(1).at("over"), "a");
}

TEST_F(InPlace, TakesEitherOperandThatDies) {
  Value* a = made("a");
  Value* b = made("b");
  Value* s = binary("sub", "s", a, b);          // over a
  Value* t = binary("mul", "t", made("c"), s);  // over c
  EXPECT_EQ(check({t, b}), (Names{{"s", "a"}, {"t", "c"}}));
}

TEST_F(InPlace, TakesTheSecondOperandIfTheFirstLivesOn) {
  Value* a = made("a");
  Value* s = binary("sub", "s", a, made("b"));
  EXPECT_EQ(check({s, a}), (Names{{"s", "b"}}));
}

TEST_F(InPlace, TakesAnOperandThatIsMeantTwice) {
  Value* a = made("a");
  EXPECT_EQ(check({binary("mul", "s", a, a)}), (Names{{"s", "a"}}));
}

TEST_F(InPlace, TakesPartOfAMemory) {
  Value* a = made("a");
  Value* s = unary("relu", "s", rows("part", a, 32, 64));
  EXPECT_EQ(check({s}), (Names{{"s", "a"}}));
}

TEST_F(InPlace, TakesOneHalfWhileTheOtherIsRead) {
  Value* a = made("a");
  Value* s = binary("sub", "s", rows("low", a, 0, 48), rows("high", a, 48, 96));
  EXPECT_EQ(check({s}), (Names{{"s", "a"}}));
}

TEST_F(InPlace, TakesSoftmaxAndNormsByRowsAndByColumns) {
  Value* x = made("a", {2, kRows, 301});
  x = add("softmax", "rows", {{"x", x}, {"axis", 2}});
  x = add("softmax", "columns", {{"x", x}, {"axis", 1}});
  x = add("layer_norm", "norm", {{"x", x}, {"axes", Ints{2}}});
  x = add("layer_norm", "down", {{"x", x}, {"axes", Ints{1}}});
  const Shape channels = {kRows};
  x = add("batch_norm", "batch",
          {{"x", x},
           {"mean", numbers_.tensor(DType::kF16, channels)},
           {"variance", numbers_.tensor(DType::kF16, channels, 1, 2)}});
  EXPECT_EQ(check({x}), (Names{{"rows", "a"},
                               {"columns", "rows"},
                               {"norm", "columns"},
                               {"down", "norm"},
                               {"batch", "down"}}));
}

TEST_F(InPlace, TakesCastsOfTheSameWidthAlone) {
  Value* n = add("cast", "n", {{"x", made("a")}, {"dtype", "int32"}});
  Value* f = add("cast", "f", {{"x", n}, {"dtype", "fp16"}});
  Value* p = add("cast", "p", {{"x", f}, {"dtype", "bool"}});
  EXPECT_EQ(check({add("cast", "y", {{"x", p}, {"dtype", "int32"}})}),
            (Names{{"n", "a"}, {"f", "n"}}));
}

TEST_F(InPlace, TakesEitherSideOfASelect) {
  Value* a = made("a");
  Value* b = made("b");
  Value* test = binary("greater", "test", a, b);
  EXPECT_EQ(check({add("select", "y", {{"cond", test}, {"a", b}, {"b", a}})}), (Names{{"y", "b"}}));
}

TEST_F(InPlace, UpdatesASliceWhereItLies) {
  Value* a = made("a");
  Value* part = unary("relu", "part", input("x", {8, kColumns}));
  Value* y = add("slice_update", "y",
                 {{"x", a}, {"update", part}, {"begin", Ints{3, 0}}, {"end", Ints{11, kColumns}}});
  EXPECT_EQ(check({y}), (Names{{"y", "a"}}));
}

TEST_F(InPlace, TakesWhatADefinitionHasReadWhole) {
  // What has no kernel has a definition, which reads all, then writes all, in whatever order.
  Value* a = made("a", {30, 40});
  Value* e = unary("atan", "e", a);
  Value* y = add("reverse", "y", {{"x", e}, {"axes", Ints{0, 1}}});
  EXPECT_EQ(check({y}), (Names{{"e", "a"}, {"y", "e"}}));
}

TEST_F(InPlace, TakesOperandsOfFusedRows) {
  Value* a = made("a");
  Value* x = add("relu", "r", {{"x", a}});
  x = add("add", "y", {{"x", x}, {"y", input("row", {1, kColumns})}});
  EXPECT_EQ(check({x}, true), (Names{}));  // one group, tanh included: nothing dies
  Value* c = add("concat", "c", {{"values", std::vector<Value*>{x, x}}, {"axis", 0}});
  Value* z = unary("exp", "z", unary("abs", "d", c));
  EXPECT_EQ(check({z}, true), (Names{{"z", "c"}}));
}

// ---- what may not: each would have other bits ----

TEST_F(InPlace, LeavesWhatIsReadLater) {
  Value* a = made("a");
  Value* b = unary("exp", "b", a);
  EXPECT_EQ(check({binary("sub", "y", a, b)}), (Names{{"y", "a"}}));  // and not b over a
}

TEST_F(InPlace, LeavesWhatIsReadLaterAsAView) {
  Value* a = made("a");
  Value* flat = add("reshape", "flat", {{"x", a}, {"shape", Ints{kRows * kColumns}}});
  Value* b = unary("exp", "b", a);
  Value* shaped = add("reshape", "shaped", {{"x", b}, {"shape", Ints{kRows * kColumns}}});
  EXPECT_EQ(check({binary("sub", "y", shaped, flat)}), (Names{{"y", "b"}}));
}

TEST_F(InPlace, LeavesAMemoryOfWhichAnotherSliceIsReadLater) {
  Value* a = made("a");
  Value* low = rows("low", a, 0, 64);
  Value* high = rows("high", a, 32, 96);
  Value* b = unary("exp", "b", low);
  EXPECT_EQ(check({binary("sub", "y", b, high)}), (Names{{"y", "b"}}));
}

TEST_F(InPlace, LeavesSlicesThatMeet) {
  Value* a = made("a");
  Value* y = binary("sub", "y", rows("low", a, 0, 64), rows("high", a, 32, 96));
  EXPECT_EQ(check({y}), (Names{}));
}

TEST_F(InPlace, LeavesAnOperandThatIsAlsoSeenTurned) {
  const std::int64_t n = 256;
  Value* a = binary("add", "a", input("m", {n, n}, DType::kI32), input("n", {n, n}, DType::kI32));
  Value* turned = add("transpose", "turned", {{"x", a}, {"perm", Ints{1, 0}}});
  EXPECT_EQ(check({binary("sub", "y", turned, a), binary("sub", "z", a, turned)}), (Names{}));
}

TEST_F(InPlace, LeavesATurnedOperand) {
  const std::int64_t n = 256;
  Value* a = binary("add", "a", input("m", {n, n}, DType::kI32), input("n", {n, n}, DType::kI32));
  Value* turned = add("transpose", "turned", {{"x", a}, {"perm", Ints{1, 0}}});
  Value* y = binary("sub", "y", turned, input("k", {n, n}, DType::kI32));
  EXPECT_EQ(check({y}), (Names{}));
}

TEST_F(InPlace, LeavesAnOperandThatIsStretched) {
  // A row of a memory that is large enough for the result and dies here.
  Value* a = made("a");
  Value* b = made("b");
  Value* y = binary("sub", "y", rows("row", a, 0, 1), b);
  EXPECT_EQ(check({y, b}), (Names{}));
}

TEST_F(InPlace, LeavesAnUpdateThatIsPartOfWhatItUpdates) {
  Value* a = made("a");
  Value* part = rows("part", a, 0, 64);
  Value* y = add("slice_update", "y",
                 {{"x", a}, {"update", part}, {"begin", Ints{16, 0}}, {"end", Ints{80, kColumns}}});
  EXPECT_EQ(check({y}), (Names{}));
}

TEST_F(InPlace, LeavesOutputs) {
  Value* a = made("a");
  EXPECT_EQ(check({unary("exp", "y", a), a}), (Names{}));
  EXPECT_EQ(check({unary("exp", "z", a), rows("part", a, 2, 5)}), (Names{}));
}

TEST_F(InPlace, LeavesConstants) {
  Value* c = b_.constant("c", numbers_.tensor(DType::kF32, {kRows, kColumns}));
  Value* x = input("x", {kRows, kColumns}, DType::kF32);
  // Run twice and more: a constant written over would show.
  EXPECT_EQ(check({binary("sub", "y", c, x)}), (Names{}));
}

TEST_F(InPlace, LeavesTheCallersInputs) {
  Value* x = input("x", {kRows, kColumns}, DType::kF32);
  EXPECT_EQ(check({unary("exp", "y", x)}), (Names{}));
  const Tensor before = inputs_["x"];
  std::vector<float> mine = before.to_floats();
  std::vector<float> result(mine.size());
  const Feed feed{"x", DType::kF32, mine.data(), before.count()};
  const Fetch fetch{"y", DType::kF32, result.data(), before.count()};
  Executable::compile(program_, "main", {})->run({&feed, 1}, nullptr, {&fetch, 1});
  EXPECT_EQ(mine, before.to_floats());
}

TEST_F(InPlace, LeavesStates) {
  Value* x = input("x", {kRows, kColumns});
  Value* state = b_.input("s", Type::state(DType::kF16, {kRows, kColumns}));
  Value* read = add("read_state", "read", {{"input", state}});
  b_.set_outputs({binary("sub", "y", read, x), unary("exp", "z", read)});
  for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
    const auto executable =
        Executable::compile(program_, "main", {.arithmetic = arithmetic, .fuse = false});
    const auto contents = executable->make_state();
    const std::vector<float> before = inputs_["x"].to_floats();
    contents->write("s", before);
    run_plan(*executable, contents.get(), inputs_);
    EXPECT_EQ(contents->read("s"), before) << executable->plan_text();
  }
}

TEST_F(InPlace, LeavesWhatAFusedRowReadsAfterItHasWritten) {
  // The second half of each row of y is the first half of a's.
  Value* a = add("softmax", "a", {{"x", input("x", {kRows, 2 * kColumns})}, {"axis", 0}});
  const auto half = [&](const char* name, std::int64_t begin) {
    return add("slice_by_index", name,
               {{"x", a}, {"begin", Ints{0, begin}}, {"end", Ints{kRows, begin + kColumns}}});
  };
  Value* low = half("low", 0);
  Value* s = binary("mul", "s", half("high", kColumns), input("sin", {1, kColumns}));
  Value* t = binary("sub", "t", binary("mul", "u", low, input("cos", {1, kColumns})), s);
  Value* y = add("concat", "y", {{"values", std::vector<Value*>{t, low}}, {"axis", 1}});
  EXPECT_EQ(check({y}, true), (Names{}));
  EXPECT_NE(Executable::compile(program_, "main", {})->plan_text().find("rotary"),
            std::string::npos);
}

TEST_F(InPlace, LeavesARowThatAllRowsOfAFusedOneRead) {
  // As many elements as the result has, but all of them for each of its rows, which are shorter.
  Value* a = add("softmax", "a", {{"x", input("x", {1, 16})}, {"axis", 1}});
  const auto part = [&](const char* name, Value* x, std::int64_t begin, std::int64_t end) {
    return add("slice_by_index", name,
               {{"x", x}, {"begin", Ints{0, begin}}, {"end", Ints{2, end}}});
  };
  Value* t = binary("mul", "t", input("wide", {2, 16}), a);
  Value* u = binary("mul", "u", part("low", t, 0, 8), input("cos", {1, 8}));
  Value* v = binary("mul", "v", part("high", t, 8, 16), input("sin", {1, 8}));
  Value* p = binary("sub", "p", u, v);
  Value* y = add("concat", "y",
                 {{"values", std::vector<Value*>{part("second", p, 4, 8), part("first", p, 0, 4)}},
                  {"axis", 1}});
  EXPECT_EQ(check({y}, true), (Names{}));
  EXPECT_NE(Executable::compile(program_, "main", {})->plan_text().find("rotary of 9 ops"),
            std::string::npos);
}

// ---- random programs ----

void expect_same_bits(const RandomProgram& made, const std::string& what) {
  for (const bool fuse : {false, true}) {
    for (const int threads : {1, 3}) {
      Options options{.fuse = fuse, .in_place = false};
      if (threads > 1) options.pool = std::make_shared<ThreadPool>(threads);
      const auto apart = Executable::compile(made.program(), "main", options);
      options.in_place = true;
      const auto executable = Executable::compile(made.program(), "main", options);
      const PlanReport report = executable->plan_report();
      EXPECT_LE(report.arena_ratio(), 1.3) << what << "\n" << report.text();
      EXPECT_LE(report.arena_bytes, apart->plan_report().arena_bytes) << what;
      const Tensors expected = run_plan(*apart, nullptr, made.inputs());
      const Tensors actual = run_plan(*executable, nullptr, made.inputs());
      for (const auto& [name, tensor] : expected) {
        ASSERT_EQ(actual.at(name), tensor) << what << ", " << name << "\n" << report.text();
      }
    }
  }
}

TEST(InPlaceAtRandom, KeepsTheBitsOfMixedPrograms) {
  std::size_t in_place = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    RandomProgram made(seed);
    made.mixed(10 + static_cast<int>(seed % 30));
    expect_same_bits(made, "mixed, seed " + std::to_string(seed));
    in_place += Executable::compile(made.program(), "main", {})->plan_report().in_place;
  }
  EXPECT_GT(in_place, 40u);
}

TEST(InPlaceAtRandom, KeepsTheBitsOfNetworksOfPlanes) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RandomProgram made(seed);
    made.network_of_planes(2 + static_cast<int>(seed % 4));
    expect_same_bits(made, "planes, seed " + std::to_string(seed));
  }
}

TEST(InPlaceAtRandom, KeepsTheBitsOfNetworksOfTokens) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    RandomProgram made(seed);
    made.network_of_tokens(1 + static_cast<int>(seed % 3), seed % 2 == 0 ? 1 : 17, 64);
    expect_same_bits(made, "tokens, seed " + std::to_string(seed));
  }
}

// ---- the rules by themselves ----

// Two memories of 256 numbers; step 1 reads the first and writes the second, step 2 reads that.
struct Fixture {
  std::vector<Memory> memories;
  std::vector<Step> steps;

  Fixture() {
    for (const int first : {0, 1}) {
      Memory memory;
      memory.count = 256;
      memory.first = first;
      memory.last = first + 1;
      memories.push_back(memory);
    }
    steps.resize(3);
    steps[1].views = {dense_view(0, DType::kF32, {256}), dense_view(1, DType::kF32, {256})};
    steps[1].overwrites = {{.output = 1, .operand = 0}};
  }
  bool reuses() { return !reuse_operands(memories, steps).empty(); }
};

TEST(Reuse, TakesAnOperandThatEndsWhereTheOutputBegins) {
  Fixture f;
  EXPECT_TRUE(f.reuses());
  EXPECT_EQ(f.memories[1].over, 0);
  EXPECT_EQ(largest_live_set(f.memories), 1024u);
  EXPECT_EQ(lay_out_arena(f.memories), 1024u);
  EXPECT_EQ(f.memories[1].offset, f.memories[0].offset);
}

TEST(Reuse, LeavesWhatTheKernelDoesNotOffer) {
  Fixture f;
  f.steps[1].overwrites.clear();
  EXPECT_FALSE(f.reuses());
}

TEST(Reuse, LeavesMemoriesThatAreNotThePlans) {
  for (const Memory::Kind kind :
       {Memory::Kind::kInput, Memory::Kind::kState, Memory::Kind::kConstant}) {
    Fixture f;
    f.memories[0].kind = kind;
    EXPECT_FALSE(f.reuses());
  }
}

TEST(Reuse, LeavesAnOutputThatNobodyReads) {
  Fixture f;
  f.memories[1].last = 1;
  EXPECT_FALSE(f.reuses());
}

TEST(Reuse, LeavesElementsOfAnotherWidthUnlessAllIsReadFirst) {
  Fixture f;
  f.memories[1].stored = f.steps[1].views[1].stored = DType::kBool;
  EXPECT_FALSE(f.reuses());
  f.steps[1].overwrites[0].at_once = true;
  EXPECT_TRUE(f.reuses());
}

TEST(Reuse, LeavesAnOperandThatIsTooSmall) {
  Fixture f;
  f.steps[1].overwrites[0].at_once = true;
  f.memories[1].count = 257;
  EXPECT_FALSE(f.reuses());
}

TEST(Reuse, LeavesPlacesThatNoMemoryBeginsAt) {
  Fixture f;
  f.memories[0].count = 512;
  f.steps[1].views[0].offset = 16;  // 64 bytes
  EXPECT_TRUE(f.reuses());
  EXPECT_EQ(f.memories[1].over_bytes, 64u);
  Fixture odd;
  odd.memories[0].count = 512;
  odd.steps[1].views[0].offset = 3;
  EXPECT_FALSE(odd.reuses());
}

TEST(Reuse, GivesAMemoryToOneOutputOnly) {
  Fixture f;
  f.memories.push_back(f.memories[1]);
  f.steps[1].views.push_back(dense_view(2, DType::kF32, {256}));
  f.steps[1].overwrites.push_back({.output = 2, .operand = 0});
  const auto reused = reuse_operands(f.memories, f.steps);
  ASSERT_EQ(reused.size(), 1u);
  EXPECT_EQ(reused[0].memory, 1);
}

}  // namespace
}  // namespace anemone::engine
