#pragma once

#include <memory>
#include <vector>

#include "anemone/mil/builder.h"
#include "anemone/package/package.h"

// Small models for this layer's tests and for its fuzzer's first inputs.
namespace anemone::package {

// Like a decoder's part: functions `decode` (1 row) and `prefill` (4 rows) over one weight and one
// state, both fp16, with a weight under two shapes.
inline Model cache_model() {
  std::vector<float> values(64 * 16);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) / 16 - 3;
  const auto weight =
      std::make_shared<const Tensor>(Tensor::from_floats(DType::kF16, {16, 64}, values));
  const auto reshaped = std::make_shared<const Tensor>(weight->reshaped({64, 16}));
  Model model;
  for (const auto& [name, rows] : {std::pair{"decode", 1}, std::pair{"prefill", 4}}) {
    mil::Builder b(model.program.add_function(name, mil::Opset::kIos18));
    mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {rows, 64}));
    mil::Value* kv = b.input("kv", mil::Type::state(DType::kF16, {8, 16}));
    mil::Value* down = b.add("matmul", "down", {{"x", x}, {"y", b.constant("w_t", reshaped)}});
    mil::Value* old = b.add("read_state", "old", {{"input", kv}});
    mil::Value* changed = b.add("slice_update", "changed",
                                {{"x", old},
                                 {"update", down},
                                 {"begin", std::vector<std::int64_t>{2, 0}},
                                 {"end", std::vector<std::int64_t>{2 + rows, 16}}});
    b.add_op("write_state", "write", {{"input", kv}, {"data", changed}}, {});
    mil::Value* now = b.add("read_state", "now", {{"input", kv}});
    mil::Value* y = b.add("matmul", "y", {{"x", now}, {"y", b.constant("w", weight)}});
    b.set_outputs({y});
  }
  model.default_function = "decode";
  model.is_multifunction = true;
  model.program.build_info = {{"tool", "test"}};
  return model;
}

// One function `main`: y = softmax(x) + w, with `w` in a weight file if it has ten elements.
inline Model small_model(mil::Opset opset = mil::Opset::kIos15, std::int64_t columns = 12) {
  Model model;
  mil::Builder b(model.program.add_function("main", opset));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF32, {1, columns}));
  std::vector<float> values(static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 0.5f;
  mil::Value* w = b.constant("w", Tensor::from_floats(DType::kF32, {columns}, values));
  mil::Value* p = b.add("softmax", "p", {{"x", x}, {"axis", -1}});
  b.set_outputs({b.add("add", "y", {{"x", p}, {"y", w}})});
  return model;
}

}  // namespace anemone::package
