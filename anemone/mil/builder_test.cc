#include "anemone/mil/builder.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"

namespace anemone::mil {
namespace {

TEST(Builder, InfersTypesAndKeepsNamesUnique) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos18));
  Value* x = b.input("x", Type::tensor(DType::kF16, {1, 8}));
  Value* y = b.add("softmax", "y", {{"x", x}, {"axis", -1}});
  Value* z = b.add("softmax", "y", {{"x", y}, {"axis", -1}});
  b.set_outputs({z});
  EXPECT_EQ(y->name, "y");
  EXPECT_EQ(z->name, "y_0");
  EXPECT_EQ(z->type, Type::tensor(DType::kF16, {1, 8}));
}

TEST(Builder, SaysWhichParameterAnOpCannotTake) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos18));
  Value* x = b.input("x", Type::tensor(DType::kI32, {1, 8}));
  try {
    b.add("softmax", "y", {{"x", x}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "op 'y' (softmax): parameter 'x' is int32; allowed: fp16, fp32");
  }
}

TEST(Program, AClonedFunctionSharesConstantsAndNothingElse) {
  Program program;
  Builder b(program.add_function("main", Opset::kIos18));
  Value* x = b.input("x", Type::tensor(DType::kF16, {1, 8}));
  b.set_outputs({b.add("softmax", "y", {{"x", x}, {"axis", -1}})});
  const auto copy = clone(b.function());
  ASSERT_EQ(copy->body.ops.size(), 2u);
  EXPECT_NE(copy->body.outputs[0], b.function().body.outputs[0]);
  EXPECT_EQ(copy->body.outputs[0]->producer, copy->body.ops[1].get());
  EXPECT_EQ(copy->body.ops[1]->find_input("x"), copy->inputs[0].get());
  EXPECT_EQ(copy->body.ops[0]->output()->constant, b.function().body.ops[0]->output()->constant);
}

}  // namespace
}  // namespace anemone::mil
