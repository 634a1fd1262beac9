#include "anemone/base/error.h"
#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

Tensor ints(Shape shape, std::vector<std::int64_t> values) {
  return Tensor::from_ints(DType::kI32, std::move(shape), values);
}

TEST(GatherKernel, TakesRowsAlongAnyAxis) {
  Numbers numbers(1);
  const Tensor x = numbers.tensor(DType::kF16, {7, 5, 17});
  for (const int axis : {0, 1, 2, -1}) {
    check_op({"gather",
              "gather",
              {{"x", x}, {"indices", ints({2, 3}, {0, 4, 1, 1, -1, 2})}},
              {{"axis", axis}},
              {}});
  }
  check_op({"gather",
            "gather",
            {{"x", numbers.tensor(DType::kI32, {9}, -5, 5)}, {"indices", ints({}, {3})}},
            {},
            {}});
}

TEST(GatherKernel, ReadsATableOfWeightsWhereItLies) {
  Numbers numbers(2);
  check_op({"gather",
            "gather",
            {{"indices", ints({1, 4}, {30, 0, 7, 99})}},
            {{"x", numbers.tensor(DType::kF16, {100, 33})}, {"axis", 0}},
            {}});
}

TEST(GatherKernel, TakesTheNearestRowForIndicesOutside) {
  Numbers numbers(3);
  check_op({"gather",
            "gather",
            {{"indices", ints({4}, {5, 99, -6, -99})}},
            {{"x", numbers.tensor(DType::kF16, {5, 3})}},
            {}});
}

TEST(GatherKernel, RefusesThemWhereTheProgramAsksForIt) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  mil::Value* indices = b.input("indices", mil::Type::tensor(DType::kI32, {2}));
  Numbers numbers(4);
  b.set_outputs({b.add("gather", "y",
                       {{"x", numbers.tensor(DType::kF16, {5, 3})},
                        {"indices", indices},
                        {"validate_indices", true}})});
  const auto executable = Executable::compile(program, "main");
  try {
    run_plan(*executable, nullptr, {{"indices", ints({2}, {4, 5})}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "op 'y' (gather): parameter 'indices' holds 5; allowed: 0 to 4");
  }
}

}  // namespace
}  // namespace anemone::engine
