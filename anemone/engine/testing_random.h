#pragma once

#include <random>
#include <string>
#include <vector>

#include "anemone/engine/testing.h"

// Random programs for the engine's tests: shapes and ops of the kinds that networks have, with
// views, values used twice and late, states, and results of every lifetime.
namespace anemone::engine {

class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed), numbers_(seed) {}

  // Ops on matrices [rows, columns] and what is made of them.
  void mixed(int ops, std::int64_t rows = 24, std::int64_t columns = 80) {
    rows_ = rows;
    columns_ = columns;
    for (int i = 0; i < 3; ++i) keep(input(i));
    for (int i = 0; i < ops; ++i) keep(mixed_op());
    finish(3);
  }

  // Convolutions, normalizations and activations, pools and joins, in planes that shrink as their
  // number grows.
  void network_of_planes(int stages) {
    const auto channels = [&] { return std::int64_t{8} << below(3); };
    std::int64_t side = 32;
    mil::Value* x = placed("x", {1, 3, side, side});
    for (int stage = 0; stage < stages; ++stage) {
      x = conv(x, channels(), stage > 0 && side > 4 && chance(60) ? 2 : 1);
      side = x->type.shape[2];
      std::vector<mil::Value*> parts = {x};
      const int depth = 1 + below(3);
      for (int i = 0; i < depth; ++i) {
        mil::Value* y = activated(conv(x, x->type.shape[1], 1));
        if (chance(50)) y = conv(y, x->type.shape[1], 1);
        x = chance(70) ? activated(add("add", {{"x", x}, {"y", y}})) : y;
        parts.push_back(x);
      }
      if (chance(40)) x = add("concat", {{"values", parts}, {"axis", 1}});
      kept_.push_back(x);
    }
    finish(1 + below(2));
  }

  // Norms, products, attention and gates over a residual stream.
  void network_of_tokens(int layers, std::int64_t tokens, std::int64_t width) {
    const std::int64_t heads = 4;
    mil::Value* x = placed("x", {1, tokens, width});
    for (int layer = 0; layer < layers; ++layer) {
      mil::Value* n = rms_norm(x);
      const auto headed = [&](mil::Value* v) {
        v = add("reshape", {{"x", v}, {"shape", Ints{1, tokens, heads, width / heads}}});
        return add("transpose", {{"x", v}, {"perm", Ints{0, 2, 1, 3}}});
      };
      mil::Value* q = headed(linear(n, width));
      mil::Value* k = headed(linear(n, width));
      mil::Value* v = headed(linear(n, width));
      mil::Value* s = add("matmul", {{"x", q}, {"y", k}, {"transpose_y", true}});
      s = add("mul", {{"x", s}, {"y", Tensor::scalar(DType::kF16, 0.25)}});
      s = add("softmax", {{"x", s}, {"axis", -1}});
      mil::Value* y = add("transpose",
                          {{"x", add("matmul", {{"x", s}, {"y", v}})}, {"perm", Ints{0, 2, 1, 3}}});
      y = add("reshape", {{"x", y}, {"shape", Ints{1, tokens, width}}});
      x = add("add", {{"x", x}, {"y", linear(y, width)}});
      n = rms_norm(x);
      mil::Value* gate = add("silu", {{"x", linear(n, 3 * width)}});
      mil::Value* up = add("mul", {{"x", gate}, {"y", linear(n, 3 * width)}});
      x = add("add", {{"x", x}, {"y", linear(up, width)}});
    }
    kept_.push_back(x);
    finish(1);
  }

  const std::shared_ptr<mil::Program>& program() const { return program_; }
  const Tensors& inputs() const { return inputs_; }

 private:
  using Ints = std::vector<std::int64_t>;

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  std::string name() { return "v" + std::to_string(names_++); }
  mil::Value* add(const char* op, mil::Builder::Bindings bindings) {
    return b_.add(op, name(), std::move(bindings));
  }
  mil::Value* placed(const std::string& called, const Shape& shape, DType dtype = DType::kF16) {
    inputs_[called] = numbers_.tensor(dtype, shape);
    return b_.input(called, mil::Type::tensor(dtype, shape));
  }
  mil::Value* input(int i) {
    return placed("x" + std::to_string(i), {rows_, columns_}, i == 2 ? DType::kF32 : DType::kF16);
  }

  void keep(mil::Value* value) { kept_.push_back(value); }
  // Mostly one of the latest values of a dtype and shape, or null.
  mil::Value* find(DType dtype, const Shape& shape) {
    std::vector<mil::Value*> found;
    for (mil::Value* value : kept_) {
      if (value->type.dtype == dtype && value->type.shape == shape) found.push_back(value);
    }
    if (found.empty()) return nullptr;
    const int back = chance(75) ? below(2) : below(static_cast<int>(found.size()));
    return found[found.size() - 1 - std::min<std::size_t>(found.size() - 1, back)];
  }

  mil::Value* mixed_op() {
    const Shape whole = {rows_, columns_};
    mil::Value* x = find(chance(80) ? DType::kF16 : DType::kF32, whole);
    if (x == nullptr) return kept_.front();
    const DType dtype = x->type.dtype;
    switch (below(18)) {
      case 0:
      case 1:
        return add(pick({"relu", "abs", "sigmoid", "square", "atan"}), {{"x", x}});
      case 2:
      case 3:
      case 4: {
        mil::Value* y = find(dtype, whole);
        return add(pick({"add", "sub", "mul", "maximum"}), {{"x", x}, {"y", y}});
      }
      case 5: {
        // Stretched along either axis.
        mil::Value* y =
            add("reduce_max",
                {{"x", find(dtype, whole)}, {"axes", Ints{below(2)}}, {"keep_dims", true}});
        return add("sub", {{"x", y}, {"y", x}});
      }
      case 6:
        return add("softmax", {{"x", x}, {"axis", below(2)}});
      case 7:
        return add("layer_norm", {{"x", x}, {"axes", Ints{below(2)}}});
      case 8:
        return add("cast", {{"x", x}, {"dtype", dtype == DType::kF16 ? "fp32" : "fp16"}});
      case 9: {
        mil::Value* n = add("cast", {{"x", x}, {"dtype", "int32"}});
        n = add("mul", {{"x", n}, {"y", n}});
        return add("cast", {{"x", n}, {"dtype", dtype == DType::kF16 ? "fp16" : "fp32"}});
      }
      case 10: {
        mil::Value* test = add("greater", {{"x", x}, {"y", find(dtype, whole)}});
        return add("select", {{"cond", test}, {"a", find(dtype, whole)}, {"b", x}});
      }
      case 11: {
        // Turned, changed, and turned back.
        mil::Value* t = add("transpose", {{"x", x}, {"perm", Ints{1, 0}}});
        return add("transpose", {{"x", add("relu", {{"x", t}})}, {"perm", Ints{1, 0}}});
      }
      case 12: {
        const std::int64_t cut = 1 + below(static_cast<int>(rows_) - 1);
        mil::Value* low = rows(x, 0, cut);
        mil::Value* high = add("abs", {{"x", rows(x, cut, rows_)}});
        return add("concat", {{"values", std::vector<mil::Value*>{high, low}}, {"axis", 0}});
      }
      case 13: {
        // Slices that meet, put over part of something.
        mil::Value* sum = add("add", {{"x", rows(x, 0, rows_ - 4)}, {"y", rows(x, 4, rows_)}});
        return add("slice_update", {{"x", find(dtype, whole)},
                                    {"update", sum},
                                    {"begin", Ints{2, 0}},
                                    {"end", Ints{rows_ - 2, columns_}}});
      }
      case 14: {
        mil::Value* flat = add("reshape", {{"x", x}, {"shape", Ints{rows_ * columns_}}});
        return add("reshape", {{"x", add("abs", {{"x", flat}})}, {"shape", whole}});
      }
      case 15: {
        const mil::Op* halves = b_.add_op(
            "split", name(), {{"x", x}, {"num_splits", 2}, {"axis", below(2)}}, {name(), name()});
        mil::Value* gate = add("sigmoid", {{"x", halves->output(1)}});
        mil::Value* y = add("mul", {{"x", halves->output(0)}, {"y", gate}});
        const int axis = y->type.shape[0] == rows_ ? 1 : 0;
        return add("concat",
                   {{"values", std::vector<mil::Value*>{y, halves->output(0)}}, {"axis", axis}});
      }
      case 16:
        return add("reverse", {{"x", x}, {"axes", Ints{below(2)}}});
      default: {
        mil::Value* w = add("matmul", {{"x", x}, {"y", find(dtype, whole)}, {"transpose_y", true}});
        return add("matmul", {{"x", add("softmax", {{"x", w}, {"axis", 1}})}, {"y", x}});
      }
    }
  }

  const char* pick(std::vector<const char*> of) {
    return of[static_cast<std::size_t>(below(static_cast<int>(of.size())))];
  }
  mil::Value* rows(mil::Value* x, std::int64_t begin, std::int64_t end) {
    return add("slice_by_index",
               {{"x", x}, {"begin", Ints{begin, 0}}, {"end", Ints{end, columns_}}});
  }

  mil::Value* conv(mil::Value* x, std::int64_t channels, std::int64_t stride) {
    const std::int64_t side = chance(50) ? 1 : 3;
    const Shape weight = {channels, x->type.shape[1], side, side};
    return add("conv", {{"x", x},
                        {"weight", numbers_.tensor(DType::kF16, weight, -0.2, 0.2)},
                        {"strides", Ints{stride, stride}},
                        {"pad_type", "same"}});
  }
  mil::Value* activated(mil::Value* x) { return add(pick({"relu", "silu", "tanh"}), {{"x", x}}); }

  mil::Value* linear(mil::Value* x, std::int64_t width) {
    const Shape weight = {width, x->type.shape.back()};
    return add("linear", {{"x", x}, {"weight", numbers_.tensor(DType::kF16, weight, -0.2, 0.2)}});
  }
  mil::Value* rms_norm(mil::Value* x) {
    mil::Value* m = add(
        "reduce_mean", {{"x", add("square", {{"x", x}})}, {"axes", Ints{-1}}, {"keep_dims", true}});
    mil::Value* r = add("rsqrt", {{"x", m}, {"epsilon", Tensor::scalar(DType::kF16, 1e-3)}});
    return add("mul", {{"x", x}, {"y", r}});
  }

  void finish(int outputs) {
    std::vector<mil::Value*> chosen = {kept_.back()};
    for (int i = 1; i < outputs; ++i) {
      mil::Value* value = kept_[static_cast<std::size_t>(below(static_cast<int>(kept_.size())))];
      const bool is_new = std::find(chosen.begin(), chosen.end(), value) == chosen.end();
      if (is_new && value->producer != nullptr) chosen.push_back(value);
    }
    b_.set_outputs(chosen);
  }

  std::mt19937 random_;
  Numbers numbers_;
  std::shared_ptr<mil::Program> program_ = std::make_shared<mil::Program>();
  mil::Builder b_{program_->add_function("main", mil::Opset::kIos18)};
  std::vector<mil::Value*> kept_;
  Tensors inputs_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  int names_ = 0;
};

}  // namespace anemone::engine
