#include "anemone/engine/effects.h"

#include "anemone/engine/testing.h"

// Programs that use states in every order, held to the reference, which copies at each step.
namespace anemone::engine {
namespace {

using mil::Value;
using Ints = std::vector<std::int64_t>;

class States : public ::testing::Test {
 protected:
  States()
      : program_(std::make_shared<mil::Program>()), b_(program_->add_function("main", kOpset)) {
    s_ = b_.input("s", mil::Type::state(DType::kF16, {4, 6}));
    t_ = b_.input("t", mil::Type::state(DType::kF16, {4, 6}));
    x_ = b_.input("x", mil::Type::tensor(DType::kF16, {1, 6}));
    at_ = b_.input("at", mil::Type::tensor(DType::kI32, {2}));
    end_ = b_.input("end", mil::Type::tensor(DType::kI32, {2}));
  }

  Value* read(Value* state) { return b_.add("read_state", "read", {{"input", state}}); }
  void write(Value* state, Value* data) {
    b_.add_op("write_state", "write", {{"input", state}, {"data", data}}, {});
  }
  // One row of `x`, where the call says.
  Value* update(Value* x, Value* row) {
    return b_.add("slice_update", "update",
                  {{"x", x}, {"update", row}, {"begin", at_}, {"end", end_}});
  }
  Value* row(Value* x, std::int64_t i) {
    return b_.add("slice_by_index", "row",
                  {{"x", x}, {"begin", Ints{i, 0}}, {"end", Ints{i + 1, 6}}});
  }
  Value* twice(Value* x) { return b_.add("add", "twice", {{"x", x}, {"y", x}}); }
  Value* named(Value* x, const char* name) { return b_.add("identity", name, {{"x", x}}); }

  // Runs twice from states that are not zero and compares everything. Gives the plan's text.
  std::string check(std::vector<Value*> outputs) {
    b_.set_outputs(std::move(outputs));
    std::string text;
    for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
      Options options;
      options.arithmetic = arithmetic;
      const auto executable = Executable::compile(program_, "main", options);
      const auto state = executable->make_state();
      Reference reference(program_, arithmetic);
      Numbers numbers(1);
      for (const std::string& name : state->names()) {
        const Tensor start = numbers.tensor(DType::kF16, reference.state(name).shape());
        reference.set_state(name, start);
        state->write(name, start.to_floats());
      }
      for (const std::int64_t at : {2, 0}) {
        const Tensors inputs = {{"x", numbers.tensor(DType::kF16, {1, 6})},
                                {"at", Tensor::ints(Ints{at, 0})},
                                {"end", Tensor::ints(Ints{at + 1, 6})}};
        const Tensors expected = reference.run("main", inputs);
        const Tensors actual = run_plan(*executable, state.get(), inputs);
        for (const auto& [name, tensor] : expected) {
          EXPECT_EQ(actual.at(name).to_doubles(), tensor.to_doubles()) << name;
        }
        for (const std::string& name : state->names()) {
          EXPECT_EQ(state->read(name), reference.state(name).to_floats()) << name;
        }
      }
      text = executable->plan_text();
    }
    return text;
  }

  static constexpr mil::Opset kOpset = mil::Opset::kIos18;
  std::shared_ptr<mil::Program> program_;
  mil::Builder b_;
  Value* s_;
  Value* t_;
  Value* x_;
  Value* at_;
  Value* end_;
};

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST_F(States, AreUpdatedInPlaceAndReadWhereTheyLie) {
  write(s_, update(read(s_), x_));
  const std::string text = check({named(twice(row(read(s_), 2)), "y")});
  EXPECT_TRUE(has(text, "slice_update in place")) << text;
  EXPECT_FALSE(has(text, "copy of state")) << text;
  EXPECT_FALSE(has(text, "copy to state")) << text;
}

TEST_F(States, AreUpdatedInPlaceTwiceBeforeOneWrite) {
  write(s_, update(update(read(s_), x_), twice(x_)));
  const std::string text = check({named(read(s_), "y")});
  EXPECT_FALSE(has(text, "copy of state")) << text;
  EXPECT_FALSE(has(text, "copy to state")) << text;
}

TEST_F(States, KeepASnapshotThatIsUsedAfterTheWrite) {
  Value* old = read(s_);
  write(s_, update(old, x_));
  Value* difference = b_.add("sub", "difference", {{"x", read(s_)}, {"y", old}});
  check({named(difference, "y")});
}

TEST_F(States, KeepAViewOfASnapshotThatIsUsedAfterTheWrite) {
  Value* old = read(s_);
  Value* part = row(old, 2);
  write(s_, update(old, x_));
  // The view alone is copied, not the whole state.
  const std::string text = check({named(twice(part), "y")});
  EXPECT_FALSE(has(text, "copy of state")) << text;
  EXPECT_TRUE(has(text, "slice_update in place")) << text;
}

TEST_F(States, KeepASnapshotThatIsAnOutput) {
  Value* old = read(s_);
  write(s_, update(old, x_));
  check({named(old, "y")});
}

TEST_F(States, AreLeftAloneByAnUpdateThatIsNotWritten) {
  const std::string text = check({named(update(read(s_), x_), "y")});
  EXPECT_FALSE(has(text, "in place")) << text;
}

TEST_F(States, ShowTheOldContentsUntilTheWrite) {
  Value* updated = update(read(s_), x_);
  Value* between = read(s_);
  write(s_, updated);
  check({named(twice(between), "y")});
}

TEST_F(States, TakeOneOfTwoUpdates) {
  Value* old = read(s_);
  Value* first = update(old, x_);
  Value* second = update(old, twice(x_));
  write(s_, first);
  check({named(second, "y")});
}

TEST_F(States, TakeAnUpdateOutOfThemselves) {
  Value* old = read(s_);
  write(s_, update(old, row(old, 1)));
  check({named(read(s_), "y")});
}

TEST_F(States, SwapTheirContents) {
  Value* s = read(s_);
  Value* t = read(t_);
  write(s_, t);
  write(t_, s);
  check({named(x_, "y")});
}

TEST_F(States, AreGivenBackAnOldSnapshot) {
  Value* old = read(s_);
  write(s_, update(old, x_));
  Value* between = twice(read(s_));
  write(s_, old);
  check({named(between, "y")});
}

TEST_F(States, AreWrittenAnotherShapeOfThemselves) {
  Value* turned = b_.add("transpose", "turned", {{"x", read(s_)}, {"perm", Ints{1, 0}}});
  write(s_, b_.add("reshape", "shaped", {{"x", turned}, {"shape", Ints{4, 6}}}));
  Value* same = b_.add("identity", "same", {{"x", read(t_)}});
  write(t_, same);
  check({named(read(s_), "y")});
}

TEST_F(States, AreWrittenWhole) {
  Value* blended = b_.add("mul", "blended", {{"x", read(s_)}, {"y", x_}});
  write(s_, blended);
  write(t_, b_.add("concat", "joined",
                   {{"values",
                     std::vector<Value*>{row(read(t_), 3), row(read(t_), 0), row(read(s_), 1), x_}},
                    {"axis", 0}}));
  check({named(twice(blended), "y")});
}

TEST_F(States, TakeRowsAsSoonAsTheyAreComputed) {
  std::vector<Value*> rows;
  std::vector<Value*> sums;
  for (std::int64_t i = 0; i < 4; ++i) {
    Value* blended = b_.add("mul", "blended", {{"x", row(read(s_), i)}, {"y", x_}});
    rows.push_back(blended);
    sums.push_back(named(twice(blended), ("y" + std::to_string(i)).c_str()));
  }
  write(s_, b_.add("concat", "joined", {{"values", rows}, {"axis", 0}}));
  const std::string text = check(sums);
  EXPECT_TRUE(has(text, "joined concat: in place")) << text;
  EXPECT_TRUE(has(text, "write write_state: in place")) << text;
  EXPECT_TRUE(has(text, "blended_2: copy to state, [1, 6] at 18")) << text;
  EXPECT_FALSE(has(text, "copy of state")) << text;
}

TEST_F(States, TakeAWholeValueAsSoonAsItIsComputed) {
  Value* blended = b_.add("mul", "blended", {{"x", read(s_)}, {"y", x_}});
  Value* y = named(twice(blended), "y");
  write(s_, blended);
  const std::string text = check({y});
  EXPECT_TRUE(has(text, "blended: copy to state")) << text;
}

TEST_F(States, KeepOldRowsThatAreLookedAtAfterTheirSuccessors) {
  Value* old = read(s_);
  std::vector<Value*> rows;
  for (std::int64_t i = 0; i < 4; ++i) rows.push_back(twice(row(old, i)));
  Value* late = b_.add("mul", "late", {{"x", row(read(s_), 2)}, {"y", x_}});
  write(s_, b_.add("concat", "joined", {{"values", rows}, {"axis", 0}}));
  check({named(late, "y")});
}

TEST_F(States, KeepOldRowsThatAreAnOutput) {
  Value* old = row(read(s_), 1);
  std::vector<Value*> rows;
  for (std::int64_t i = 0; i < 4; ++i) rows.push_back(twice(row(read(s_), i)));
  write(s_, b_.add("concat", "joined", {{"values", rows}, {"axis", 0}}));
  check({named(old, "y"), named(rows[0], "z")});
}

TEST_F(States, DoNotTakeColumnsForRows) {
  Value* square = b_.input("u", mil::Type::state(DType::kF16, {4, 4}));
  Value* old = read(square);
  Value* turned = b_.add("transpose", "turned", {{"x", old}, {"perm", Ints{1, 0}}});
  const auto row_of = [&](Value* x, std::int64_t i) {
    return b_.add("slice_by_index", "part",
                  {{"x", x}, {"begin", Ints{i, 0}}, {"end", Ints{i + 1, 4}}});
  };
  Value* column = row_of(turned, 0);
  std::vector<Value*> rows;
  for (std::int64_t i = 0; i < 4; ++i) {
    rows.push_back(b_.add("add", "sum", {{"x", row_of(old, i)}, {"y", column}}));
  }
  write(square, b_.add("concat", "joined", {{"values", rows}, {"axis", 0}}));
  check({named(rows[3], "y")});
}

TEST_F(States, TakeOneValueTwice) {
  Value* blended = b_.add("mul", "blended", {{"x", row(read(s_), 0)}, {"y", x_}});
  write(s_, b_.add("concat", "joined",
                   {{"values", std::vector<Value*>{blended, blended, twice(blended), x_}},
                    {"axis", 0}}));
  check({named(blended, "y")});
}

TEST_F(States, AreWrittenTwiceRowByRow) {
  for (int times = 0; times < 2; ++times) {
    std::vector<Value*> rows;
    for (std::int64_t i = 0; i < 4; ++i) rows.push_back(twice(row(read(s_), 3 - i)));
    write(s_, b_.add("concat", "joined", {{"values", rows}, {"axis", 0}}));
  }
  write(t_, update(read(t_), x_));
  check({named(read(s_), "y")});
}

TEST_F(States, GoFromOneToTheOther) {
  Value* s = read(s_);
  write(t_, update(s, x_));
  write(s_, update(read(t_), twice(x_)));
  check({named(read(s_), "y"), named(read(t_), "z")});
}

}  // namespace
}  // namespace anemone::engine
