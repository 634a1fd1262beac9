#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using mil::Value;

// Scores of size 10 carry float's error of 10 units of 2^-24 into an exponent, and two sums follow.
constexpr Tolerance kAttention{64, 1};

// The last `hidden_after[r]` keys of row r are hidden, and so are the first `hidden_before`.
Tensor mask_of(std::int64_t rows, std::int64_t keys, std::int64_t seen, std::int64_t hidden_before,
               DType dtype) {
  std::vector<double> mask;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t k = 0; k < keys; ++k) {
      const bool is_seen = k >= hidden_before && k < std::min(keys, seen + r);
      mask.push_back(is_seen ? 0.125 * static_cast<double>(k % 3) : -1e4);
    }
  }
  return Tensor::from_doubles(dtype, {1, 1, rows, keys}, mask);
}

struct Case {
  std::int64_t heads = 3, rows = 5, keys = 70, depth = 20, width = 12;
  std::int64_t seen = 40, hidden_before = 0;
  bool has_mask = true, has_scale = false, mask_first = false;
};

std::shared_ptr<mil::Program> program_of(const Case& c, Tensors& inputs) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  Numbers numbers(static_cast<unsigned>(c.rows * 100 + c.keys));
  const auto input = [&](const char* name, Shape shape) {
    inputs[name] = numbers.tensor(DType::kF16, shape, -1.5, 1.5);
    return b.input(name, mil::Type::tensor(DType::kF16, shape));
  };
  Value* q = input("q", {1, c.heads, c.rows, c.depth});
  Value* k = input("k", {1, c.heads, c.keys, c.depth});
  Value* v = input("v", {1, c.heads, c.keys, c.width});
  Value* x = b.add("matmul", "scores", {{"x", q}, {"y", k}, {"transpose_y", true}});
  if (c.has_scale) {
    x = b.add("mul", "scaled", {{"x", x}, {"y", Tensor::scalar(DType::kF16, 0.3)}});
  }
  if (c.has_mask) {
    inputs["mask"] = mask_of(c.rows, c.keys, c.seen, c.hidden_before, DType::kF16);
    Value* mask = b.input("mask", mil::Type::tensor(DType::kF16, {1, 1, c.rows, c.keys}));
    x = c.mask_first ? b.add("add", "masked", {{"x", mask}, {"y", x}})
                     : b.add("add", "masked", {{"x", x}, {"y", mask}});
  }
  x = b.add("softmax", "weights", {{"x", x}, {"axis", -1}});
  b.set_outputs({b.add("matmul", "y", {{"x", x}, {"y", v}})});
  return program;
}

TEST(AttentionKernel, GivesTheBitsOfItsOpsByThemselves) {
  std::vector<Case> cases;
  for (const std::int64_t rows : {1, 2, 8, 9, 130}) {
    for (const std::int64_t keys : {130, 200}) {
      for (const std::int64_t seen : {1, 32, 33, 97}) {
        Case c;
        c.rows = rows;
        c.keys = keys;
        c.seen = seen;
        c.has_scale = seen % 3 == 0;
        c.mask_first = seen % 2 == 0;
        cases.push_back(c);
      }
    }
  }
  Case c;
  c.has_mask = false;
  cases.push_back(c);
  c.has_mask = true;
  c.keys = 300;
  c.seen = 250;
  c.hidden_before = 200;  // a window
  cases.push_back(c);
  c.depth = 128;
  c.width = 128;
  cases.push_back(c);
  c.width = 7;  // few columns: the second product goes by "dot"
  c.rows = 20;
  cases.push_back(c);
  c.seen = 0;  // the first row sees nothing, and so weighs everything alike
  c.hidden_before = 0;
  cases.push_back(c);
  for (const Case& each : cases) {
    Tensors inputs;
    const auto program = program_of(each, inputs);
    for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
      const Tensor exact = Reference(program, arithmetic).run("main", inputs).at("y");
      for (const std::string& target : supported_targets()) {
        set_target_for_test(target);
        Options options;
        options.arithmetic = arithmetic;
        options.fuse = false;
        const Tensor expected =
            run_plan(*Executable::compile(program, "main", options), nullptr, inputs).at("y");
        options.fuse = true;
        options.pool = std::make_shared<ThreadPool>(3);
        const auto executable = Executable::compile(program, "main", options);
        ASSERT_NE(executable->plan_text().find("y matmul: attention"), std::string::npos)
            << executable->plan_text();
        ASSERT_EQ(run_plan(*executable, nullptr, inputs).at("y"), expected)
            << each.rows << " rows, " << each.keys << " keys, " << each.seen << " seen on "
            << target;
        expect_close(expected, exact, exact.dtype(), kAttention, "against the definitions");
      }
    }
  }
  set_target_for_test("");
}

TEST(AttentionKernel, DoesNotReadHiddenKeys) {
  Case c;
  c.seen = 20;
  c.rows = 1;
  Tensors inputs;
  const auto program = program_of(c, inputs);
  const auto executable = Executable::compile(program, "main");
  const Tensor expected = run_plan(*executable, nullptr, inputs).at("y");
  // Not a number where nobody looks.
  for (const char* name : {"k", "v"}) {
    std::vector<double> values = inputs[name].to_doubles();
    const auto row = static_cast<std::size_t>(inputs[name].shape().back());
    for (std::size_t i = values.size() - row; i < values.size(); ++i) {
      values[i] = std::numeric_limits<double>::quiet_NaN();
    }
    inputs[name] = Tensor::from_doubles(DType::kF16, inputs[name].shape(), values);
  }
  EXPECT_EQ(run_plan(*executable, nullptr, inputs).at("y"), expected);
}

TEST(AttentionKernel, RunsScaledDotProductAttention) {
  Numbers numbers(1);
  for (const std::int64_t rows : {1, 9}) {
    check_op({"scaled_dot_product_attention",
              "attention",
              {{"query", numbers.tensor(DType::kF16, {1, 3, rows, 20})},
               {"key", numbers.tensor(DType::kF16, {1, 3, 50, 20})},
               {"value", numbers.tensor(DType::kF16, {1, 3, 50, 12})},
               {"attn_mask", mask_of(rows, 50, 30, 0, DType::kF16)}},
              {},
              kAttention});
  }
  check_op({"scaled_dot_product_attention",
            "attention",
            {{"query", numbers.tensor(DType::kF16, {3, 4, 20})},
             {"key", numbers.tensor(DType::kF16, {3, 50, 20})},
             {"value", numbers.tensor(DType::kF16, {3, 50, 12})}},
            {},
            kAttention});
  check_op({"scaled_dot_product_attention",
            "eval",
            {{"query", numbers.tensor(DType::kF16, {3, 4, 20})},
             {"key", numbers.tensor(DType::kF16, {3, 50, 20})},
             {"value", numbers.tensor(DType::kF16, {3, 50, 12})},
             {"attn_mask", numbers.tensor(DType::kBool, {4, 50}, 0, 2)}},
            {},
            kAttention});
}

TEST(AttentionKernel, LeavesScoresThatAreUsedElsewhereToTheirOps) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  Value* q = b.input("q", mil::Type::tensor(DType::kF16, {2, 3, 4}));
  Value* scores = b.add("matmul", "scores", {{"x", q}, {"y", q}, {"transpose_y", true}});
  Value* weights = b.add("softmax", "weights", {{"x", scores}});
  Value* y = b.add("matmul", "y", {{"x", weights}, {"y", q}});
  b.set_outputs({y, scores});
  const std::string text = Executable::compile(program, "main")->plan_text();
  EXPECT_EQ(text.find("attention"), std::string::npos) << text;
}

}  // namespace
}  // namespace anemone::engine
