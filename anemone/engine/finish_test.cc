#include <limits>

#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

// Programs of a convolution and what its kernel does before it puts its results down.
class Convolved {
 public:
  using Value = mil::Value;
  using Bindings = mil::Builder::Bindings;

  Value* input(const std::string& name, const Shape& shape) {
    inputs_[name] = numbers_.tensor(DType::kF16, shape, -2, 2);
    return b_.input(name, mil::Type::tensor(DType::kF16, shape));
  }
  Value* add(const char* op, const char* name, Bindings bindings) {
    return b_.add(op, name, std::move(bindings));
  }
  Value* add(const char* op, const char* name, Value* x, mil::Builder::Binding y) {
    return b_.add(op, name, {{"x", x}, {"y", std::move(y)}});
  }
  Tensor random(const Shape& shape) { return numbers_.tensor(DType::kF16, shape); }
  static Tensor number(double value) { return Tensor::scalar(DType::kF16, value); }
  Value* conv(Value* x, const Shape& weight, Bindings more = {}) {
    more.push_back({"x", x});
    more.push_back({"weight", random(weight)});
    return add("conv", "p", std::move(more));
  }
  Value* slope(Value* x, const Tensor& slopes) {
    Value* test = add("greater_equal", "test", {{"x", x}, {"y", number(0)}});
    Value* scaled = add("mul", "scaled", x, slopes);
    return add("select", "y", {{"cond", test}, {"a", x}, {"b", scaled}});
  }
  // The sum with another input, then a slope for each channel: all kinds but the clamp.
  Value* sum_and_slope(Value* p, bool turned = false) {
    const Shape& shape = p->type.shape;
    Value* other = input("other", shape);
    Value* sum = turned ? add("add", "sum", other, p) : add("add", "sum", p, other);
    Shape of_channels(shape.size(), 1);
    of_channels[1] = shape[1];
    return slope(sum, random(of_channels));
  }
  // What no number and infinities do must not depend on fusion either.
  void put_extremes(const char* name) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    auto values = inputs_.at(name).to_doubles();
    values[0] = kInfinity;
    values[values.size() / 2] = std::numeric_limits<double>::quiet_NaN();
    values.back() = -kInfinity;
    inputs_[name] = Tensor::from_doubles(DType::kF16, inputs_.at(name).shape(), values);
  }
  // The same bits fused and op by op, near the reference. Gives what the plan says of the last op.
  std::string check(Value* output) {
    b_.set_outputs({output});
    check_fusion(program_, inputs_);
    return Executable::compile(program_, "main", {.arithmetic = Arithmetic::kFloat32})
        ->plan_report()
        .lines.back()
        .how;
  }

 private:
  std::shared_ptr<mil::Program> program_ = std::make_shared<mil::Program>();
  mil::Builder b_{program_->add_function("main", mil::Opset::kIos18)};
  Numbers numbers_{1};
  Tensors inputs_;
};

using Ints = std::vector<std::int64_t>;

bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

TEST(Finish, LeaksBelowZero) {
  for (const Shape& weight : {Shape{5, 6, 1, 1}, Shape{5, 6, 3, 3}, Shape{6, 1, 3, 3}}) {
    for (const bool is_sum : {false, true}) {
      Convolved it;
      const bool is_depthwise = weight[1] == 1;
      Convolved::Bindings more = {{"bias", it.random({weight[0]})}};
      if (is_depthwise) more.push_back({"groups", 6});
      Convolved::Value* p = it.conv(it.input("x", {2, 6, 9, 9}), weight, std::move(more));
      it.put_extremes("x");
      if (is_sum) p = it.add("add", "sum", p, it.input("other", p->type.shape));
      const std::string said =
          it.check(it.add("leaky_relu", "y", {{"x", p}, {"alpha", Convolved::number(-0.3)}}));
      EXPECT_TRUE(said.starts_with("activation of ")) << said;
    }
  }
}

TEST(Finish, ClampsWhereItWasSummed) {
  for (const char* op : {"relu", "relu6", "clip"}) {
    Convolved c;
    mil::Value* p = c.conv(c.input("x", {2, 7, 9, 9}), {13, 7, 3, 3}, {{"bias", c.random({13})}});
    c.put_extremes("x");
    Convolved::Bindings bindings = {{"x", p}};
    if (std::string(op) == "clip") {
      bindings.push_back({"alpha", Tensor::scalar(DType::kF16, -0.3)});
      bindings.push_back({"beta", Tensor::scalar(DType::kF16, 0.7)});
    }
    const std::string said = c.check(c.add(op, "y", std::move(bindings)));
    EXPECT_TRUE(has(said, "activation of 2 ops")) << said;
  }
}

TEST(Finish, AddsAndScalesAtEveryWidth) {
  // Planes that end within a vector, within a panel, and panels that go on in the next plane.
  for (const std::int64_t width : {1, 3, 16, 17, 33, 64, 65, 130}) {
    Convolved c;
    c.check(c.sum_and_slope(c.conv(c.input("x", {2, 5, 1, width + 2}), {8, 5, 1, 3})));
  }
}

TEST(Finish, AddsAndScalesWhatSlidesOverPlanes) {
  for (const std::int64_t side : {4, 7, 14, 30}) {
    Convolved c;
    mil::Value* x = c.input("x", {2, 6, side, side});
    c.put_extremes("x");
    c.check(c.sum_and_slope(c.conv(x, {16, 3, 3, 3},
                                   {{"groups", 2},
                                    {"bias", c.random({16})},
                                    {"pad_type", "custom"},
                                    {"pad", Ints{1, 1, 1, 1}}})));
  }
}

TEST(Finish, TellsOfWhatSlidesOverPlanes) {
  // An op that no kernel takes in: it is told of runs of elements.
  for (const std::int64_t side : {7, 14, 30}) {
    Convolved c;
    mil::Value* x = c.input("x", {2, 4, side, side});
    mil::Value* p = c.conv(x, {50, 4, 3, 3}, {{"pad_type", "same"}});
    c.check(c.add("sigmoid", "y", {{"x", p}}));
  }
}

TEST(Finish, AddsAndScalesSinglePlaces) {
  // Few places; few beyond a vector, which are summed along k; many.
  for (const std::int64_t side : {3, 7, 14, 17}) {
    Convolved c;
    mil::Value* x = c.input("x", {2, 150, side, side});
    const std::string said =
        c.check(c.sum_and_slope(c.conv(x, {31, 150, 1, 1}, {{"bias", c.random({31})}}), true));
    EXPECT_TRUE(has(said, "activation of 5 ops")) << said;
  }
}

TEST(Finish, AddsAndScalesEachChannelAlone) {
  for (const std::int64_t stride : {1, 2}) {
    for (const std::int64_t side : {7, 20, 75}) {
      Convolved c;
      mil::Value* x = c.input("x", {2, 6, side, side});
      c.put_extremes("x");
      mil::Value* p = c.conv(x, {6, 1, 3, 3},
                             {{"groups", 6},
                              {"bias", c.random({6})},
                              {"strides", Ints{stride, stride}},
                              {"pad_type", "custom"},
                              {"pad", Ints{1, 1, 1, 1}}});
      c.check(c.sum_and_slope(p));
    }
  }
}

TEST(Finish, TakesOneSlopeForAll) {
  Convolved c;
  mil::Value* p = c.conv(c.input("x", {1, 4, 6, 6}), {3, 4, 3, 3});
  const std::string said = c.check(c.slope(p, c.number(0.125)));
  EXPECT_TRUE(has(said, "activation of 4 ops")) << said;
}

TEST(Finish, TakesTransposedOnes) {
  Convolved c;
  mil::Value* p = c.add("conv_transpose", "p",
                        {{"x", c.input("x", {1, 4, 5, 6})},
                         {"weight", c.random({4, 3, 3, 3})},
                         {"strides", Ints{2, 2}}});
  c.check(c.sum_and_slope(p));
}

TEST(Finish, LeavesOtherSlopesToTheOps) {
  Convolved by_column;
  mil::Value* p = by_column.conv(by_column.input("x", {1, 4, 6, 6}), {3, 4, 3, 3});
  by_column.check(by_column.slope(p, by_column.random({4})));
  // A comparison with another number; the value and its multiple the other way round.
  for (const bool is_turned : {false, true}) {
    Convolved c;
    p = c.conv(c.input("x", {1, 4, 6, 6}), {3, 4, 3, 3});
    mil::Value* test =
        c.add("greater_equal", "test", {{"x", p}, {"y", c.number(is_turned ? 0 : 0.5)}});
    mil::Value* scaled = c.add("mul", "scaled", p, c.number(2));
    mil::Value* a = is_turned ? scaled : p;
    mil::Value* b = is_turned ? p : scaled;
    c.check(c.add("select", "y", {{"cond", test}, {"a", a}, {"b", b}}));
  }
}

TEST(Finish, LeavesMoreStepsThanItHoldsToTheOps) {
  Convolved c;
  mil::Value* y = c.conv(c.input("x", {1, 4, 6, 6}), {3, 4, 3, 3});
  for (const char* name : {"a", "b", "c", "d", "e", "y"}) {
    y = c.add("add", name, y, c.input(std::string("other_") + name, {1, 3, 4, 4}));
  }
  c.check(y);
}

}  // namespace
}  // namespace anemone::engine
