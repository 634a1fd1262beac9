#include "anemone/base/error.h"
#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

Tensor ints(std::vector<std::int64_t> values) { return Tensor::ints(values); }

TEST(SliceUpdateKernel, WritesWhereTheCallSays) {
  Numbers numbers(1);
  const Tensor x = numbers.tensor(DType::kF16, {4, 9, 17});
  const Tensor update = numbers.tensor(DType::kF16, {2, 3, 17});
  for (const std::int64_t at : {0, 1, 6}) {
    check_op({"slice_update",
              "slice_update",
              {{"x", x},
               {"update", update},
               {"begin", ints({1, at, 0})},
               {"end", ints({3, at + 3, 17})}},
              {},
              {}});
  }
}

TEST(SliceUpdateKernel, TakesMasksStridesAndNegativeBounds) {
  Numbers numbers(2);
  const Tensor x = numbers.tensor(DType::kF16, {4, 9, 17});
  const bool begin_mask[] = {true, false, false};
  const bool end_mask[] = {false, false, true};
  const bool squeeze_mask[] = {false, true, false};
  check_op({"slice_update",
            "slice_update",
            {{"x", x},
             {"update", numbers.tensor(DType::kF16, {2, 8})},
             {"begin", ints({1, -2, 2})},
             {"end", ints({2, 0, 5})}},
            {{"stride", std::vector<std::int64_t>{1, 1, 2}},
             {"begin_mask", Tensor::bools(begin_mask)},
             {"end_mask", Tensor::bools(end_mask)},
             {"squeeze_mask", Tensor::bools(squeeze_mask)}},
            {}});
  check_op({"slice_update",
            "slice_update",
            {{"x", numbers.tensor(DType::kI32, {9}, -5, 5)},
             {"update", numbers.tensor(DType::kI32, {3}, -5, 5)}},
            {{"begin", std::vector<std::int64_t>{-4}}, {"end", std::vector<std::int64_t>{-1}}},
            {}});
}

TEST(SliceUpdateKernel, RefusesRowsPastTheEnd) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {8}));
  mil::Value* update = b.input("update", mil::Type::tensor(DType::kF16, {3}));
  mil::Value* begin = b.input("begin", mil::Type::tensor(DType::kI32, {1}));
  mil::Value* end = b.input("end", mil::Type::tensor(DType::kI32, {1}));
  b.set_outputs(
      {b.add("slice_update", "y", {{"x", x}, {"update", update}, {"begin", begin}, {"end", end}})});
  const auto executable = Executable::compile(program, "main");
  Numbers numbers(3);
  const Tensors inputs = {{"x", numbers.tensor(DType::kF16, {8})},
                          {"update", numbers.tensor(DType::kF16, {3})},
                          {"begin", ints({6})},
                          {"end", ints({9})}};
  try {
    run_plan(*executable, nullptr, inputs);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "op 'y' (slice_update): takes 2 elements from 6 on along axis 0, which has 8; the "
                 "plan needs 3");
  }
}

}  // namespace
}  // namespace anemone::engine
