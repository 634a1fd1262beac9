#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "anemone/mil/builder.h"

// A decoder as a program, with weights from a generator: for the engine's tests at toy sizes and
// for its benchmark at real ones. The graph is in the manner of models/, of which this layer knows
// nothing.
namespace anemone::engine {

enum class KvForm : std::uint8_t { kSlice, kBlend, kHost };

struct DecoderShape {
  std::int64_t layers = 2;
  std::int64_t hidden = 32;
  std::int64_t heads = 4;
  std::int64_t kv_heads = 2;
  std::int64_t head_dim = 8;
  std::int64_t feed_forward = 48;
  std::int64_t context = 32;
  std::int64_t prefill = 8;
  std::int64_t vocabulary = 0;  // 0: no head
  bool channels_first = true;   // (1, C, 1, S) and conv, or (1, S, C) and linear
  KvForm kv = KvForm::kSlice;
};

// Cheap numbers, evenly spread over [-scale, scale).
class WeightMaker {
 public:
  std::shared_ptr<const Tensor> make(Shape shape, float scale, float centre = 0) {
    const auto count = static_cast<std::size_t>(element_count(shape));
    std::vector<std::byte> bytes(2 * count);
    auto* halves = reinterpret_cast<f16*>(bytes.data());
    for (std::size_t i = 0; i < count; ++i) {
      state_ = state_ * 6364136223846793005u + 1442695040888963407u;
      const auto unit = static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) * 0x1p-31f;
      halves[i] = to_f16(centre + unit * scale);
    }
    return std::make_shared<const Tensor>(DType::kF16, std::move(shape),
                                          own_bytes(std::move(bytes)));
  }

 private:
  std::uint64_t state_ = 1;
};

// Functions `decode` and `prefill` over one state (or the host's cache).
class DecoderMaker {
 public:
  explicit DecoderMaker(const DecoderShape& shape) : s_(shape) {
    for (std::int64_t i = 0; i < s_.layers; ++i) {
      const auto projection = [&](std::int64_t out, std::int64_t in) {
        const Shape extents = s_.channels_first ? Shape{out, in, 1, 1} : Shape{out, in};
        return weights_.make(extents, 1.5f / std::sqrt(static_cast<float>(in)));
      };
      layers_.push_back(
          {projection(s_.heads * s_.head_dim, s_.hidden),
           projection(s_.kv_heads * s_.head_dim, s_.hidden),
           projection(s_.kv_heads * s_.head_dim, s_.hidden),
           projection(s_.hidden, s_.heads * s_.head_dim), projection(s_.feed_forward, s_.hidden),
           projection(s_.feed_forward, s_.hidden), projection(s_.hidden, s_.feed_forward),
           weights_.make({2 * s_.hidden}, 0.2f, 1), weights_.make({2 * s_.hidden}, 0.2f, 1),
           weights_.make({2 * s_.head_dim}, 0.1f, 1 / std::sqrt(static_cast<float>(s_.head_dim))),
           weights_.make({2 * s_.head_dim}, 0.2f, 1)});
    }
    if (s_.vocabulary > 0) {
      const Shape extents = s_.channels_first ? Shape{s_.vocabulary, s_.hidden, 1, 1}
                                              : Shape{s_.vocabulary, s_.hidden};
      head_ = weights_.make(extents, 1.5f / std::sqrt(static_cast<float>(s_.hidden)));
    }
  }

  std::shared_ptr<mil::Program> make() {
    auto program = std::make_shared<mil::Program>();
    add(*program, "decode", 1);
    add(*program, "prefill", s_.prefill);
    return program;
  }

 private:
  using Value = mil::Value;
  using Ints = std::vector<std::int64_t>;
  using Values = std::vector<Value*>;
  struct Layer {
    std::shared_ptr<const Tensor> q, k, v, o, gate, up, down, input_norm, post_norm, q_norm, k_norm;
  };

  void add(mil::Program& program, const char* name, std::int64_t rows) {
    mil::Builder builder(program.add_function(name, mil::Opset::kIos18));
    b_ = &builder;
    rows_ = rows;
    const auto half = [&](const char* input, Shape shape) {
      return b_->input(input, mil::Type::tensor(DType::kF16, std::move(shape)));
    };
    Value* hidden = half("hidden", {1, rows, s_.hidden});
    const bool is_host = s_.kv == KvForm::kHost;
    if (s_.kv == KvForm::kSlice) {
      position_ = b_->input("position", mil::Type::tensor(DType::kI32, {1}));
    }
    cos_ = half("cos", {1, 1, rows, s_.head_dim});
    sin_ = half("sin", {1, 1, rows, s_.head_dim});
    mask_ = half("mask", {1, 1, rows, s_.context + (is_host ? rows : 0)});
    if (s_.kv == KvForm::kBlend) write_ = half("write", {1, 1, s_.context, rows});
    const Shape cache = {2 * s_.layers, s_.kv_heads, s_.context, s_.head_dim};
    kv_ = b_->input("kv", is_host ? mil::Type::tensor(DType::kF16, cache)
                                  : mil::Type::state(DType::kF16, cache));
    if (group() > 1 && rows > 1) {
      mask_ = concat(Values(static_cast<std::size_t>(group()), mask_), 2);
    }
    fresh_.clear();
    Value* x = hidden;
    if (s_.channels_first) {
      x = b_->add("transpose", "turned", {{"x", x}, {"perm", Ints{0, 2, 1}}});
      x = b_->add("expand_dims", "entered", {{"x", x}, {"axes", Ints{2}}});
    }
    for (std::int64_t i = 0; i < s_.layers; ++i) x = layer(x, i);
    if (s_.vocabulary > 0) x = project(x, head_);
    if (s_.channels_first) {
      x = b_->add("squeeze", "flat", {{"x", x}, {"axes", Ints{2}}});
      x = b_->add("transpose", "hidden_out", {{"x", x}, {"perm", Ints{0, 2, 1}}});
    } else {
      x = b_->add("identity", "hidden_out", {{"x", x}});
    }
    Values outputs = {x};
    if (s_.kv != KvForm::kSlice) {
      Value* all = concat(fresh_, 0);
      if (is_host) {
        outputs.push_back(b_->add("identity", "kv_new", {{"x", all}}));
      } else {
        b_->add_op("write_state", "kv_write", {{"input", kv_}, {"data", all}}, {});
      }
    }
    b_->set_outputs(outputs);
  }

  std::int64_t group() const { return s_.heads / s_.kv_heads; }
  Value* concat(Values values, int axis) {
    return b_->add("concat", "joined",
                   {{"values", std::move(values)}, {"axis", axis}, {"interleave", false}});
  }
  Value* slice(Value* x, std::size_t axis, std::int64_t begin, std::int64_t end) {
    Ints begins(x->type.shape.size(), 0);
    Ints ends = x->type.shape;
    begins[axis] = begin;
    ends[axis] = end;
    return b_->add("slice_by_index", "part", {{"x", x}, {"begin", begins}, {"end", ends}});
  }
  Value* minus(Value* x) {
    return b_->add("mul", "minus", {{"x", x}, {"y", Tensor::scalar(DType::kF16, -1)}});
  }

  Value* project(Value* x, const std::shared_ptr<const Tensor>& weight) {
    Value* constant = b_->constant("weight", weight);
    if (!s_.channels_first) return b_->add("linear", "product", {{"x", x}, {"weight", constant}});
    return b_->add("conv", "product",
                   {{"x", x}, {"weight", constant}, {"pad_type", "valid"}, {"groups", 1}});
  }

  Value* norm(Value* x, const std::shared_ptr<const Tensor>& gain, int axis) {
    Value* both = concat({x, minus(x)}, axis);
    Value* normed = b_->add("layer_norm", "normed",
                            {{"x", both},
                             {"axes", Ints{axis}},
                             {"gamma", b_->constant("gain", gain)},
                             {"epsilon", Tensor::scalar(DType::kF16, 1e-6)}});
    const auto at = static_cast<std::size_t>(axis);
    return slice(normed, at, 0, x->type.shape[at]);
  }

  Value* to_heads(Value* x, std::int64_t heads) {
    const Ints apart =
        s_.channels_first ? Ints{1, heads, s_.head_dim, rows_} : Ints{1, rows_, heads, s_.head_dim};
    const Ints perm = s_.channels_first ? Ints{0, 1, 3, 2} : Ints{0, 2, 1, 3};
    Value* split = b_->add("reshape", "apart", {{"x", x}, {"shape", apart}});
    return b_->add("transpose", "heads", {{"x", split}, {"perm", perm}});
  }

  Value* rotate(Value* x) {
    Value* first = slice(x, 3, 0, s_.head_dim / 2);
    Value* second = slice(x, 3, s_.head_dim / 2, s_.head_dim);
    Value* swapped = concat({minus(second), first}, 3);
    Value* straight = b_->add("mul", "straight", {{"x", x}, {"y", cos_}});
    Value* crossed = b_->add("mul", "crossed", {{"x", swapped}, {"y", sin_}});
    return b_->add("add", "rotated", {{"x", straight}, {"y", crossed}});
  }

  // The cache's row with the new rows in it; for the host's cache, the row as it is.
  Value* store(Value* update, std::int64_t row) {
    if (s_.kv == KvForm::kHost) {
      fresh_.push_back(update);
      return slice(kv_, 0, row, row + 1);
    }
    if (s_.kv == KvForm::kBlend) {
      Value* old = b_->add("read_state", "before", {{"input", kv_}});
      Value* taken =
          b_->add("reduce_sum", "taken", {{"x", write_}, {"axes", Ints{3}}, {"keep_dims", true}});
      Value* keep = b_->add("sub", "keep", {{"x", Tensor::scalar(DType::kF16, 1)}, {"y", taken}});
      Value* kept = b_->add("mul", "kept", {{"x", slice(old, 0, row, row + 1)}, {"y", keep}});
      Value* placed = b_->add("matmul", "placed", {{"x", write_}, {"y", update}});
      Value* all = b_->add("add", "blended", {{"x", kept}, {"y", placed}});
      fresh_.push_back(all);
      return all;
    }
    Value* end = b_->add("add", "end", {{"x", position_}, {"y", Ints{rows_}}});
    Value* begins = concat({b_->constant("begin", Tensor::ints(Ints{row, 0})), position_,
                            b_->constant("zero", Tensor::ints(Ints{0}))},
                           0);
    Value* ends = concat({b_->constant("end", Tensor::ints(Ints{row + 1, s_.kv_heads})), end,
                          b_->constant("dim", Tensor::ints(Ints{s_.head_dim}))},
                         0);
    Value* before = b_->add("read_state", "before", {{"input", kv_}});
    Value* updated = b_->add("slice_update", "updated",
                             {{"x", before}, {"update", update}, {"begin", begins}, {"end", ends}});
    b_->add_op("write_state", "write", {{"input", kv_}, {"data", updated}}, {});
    return b_->add("read_state", "after", {{"input", kv_}});
  }

  Value* cached(Value* stored, std::int64_t row) {
    return s_.kv == KvForm::kSlice ? slice(stored, 0, row, row + 1) : stored;
  }
  Value* scores(Value* q, Value* keys) {
    return b_->add("matmul", "scores", {{"x", q}, {"y", keys}, {"transpose_y", true}});
  }
  Value* mix(Value* weights, Value* values) {
    return b_->add("matmul", "mixed", {{"x", weights}, {"y", values}});
  }

  Value* attend(Value* q, Value* k, Value* v, std::int64_t i) {
    Value* keys = store(k, 2 * i);
    Value* values = store(v, 2 * i + 1);
    if (s_.kv == KvForm::kSlice) keys = values;
    keys = cached(keys, 2 * i);
    values = cached(values, 2 * i + 1);
    q = b_->add("reshape", "grouped",
                {{"x", q}, {"shape", Ints{1, s_.kv_heads, group() * rows_, s_.head_dim}}});
    Value* raw = scores(q, keys);
    if (s_.kv == KvForm::kHost) raw = concat({raw, scores(q, k)}, 3);
    Value* masked = b_->add("add", "masked", {{"x", raw}, {"y", mask_}});
    Value* weights = b_->add("softmax", "weights", {{"x", masked}, {"axis", -1}});
    Value* mixed = nullptr;
    if (s_.kv == KvForm::kHost) {
      mixed = b_->add("add", "both",
                      {{"x", mix(slice(weights, 3, 0, s_.context), values)},
                       {"y", mix(slice(weights, 3, s_.context, s_.context + rows_), v)}});
    } else {
      mixed = mix(weights, values);
    }
    mixed = b_->add("reshape", "ungrouped",
                    {{"x", mixed}, {"shape", Ints{1, s_.heads, rows_, s_.head_dim}}});
    const Ints perm = s_.channels_first ? Ints{0, 1, 3, 2} : Ints{0, 2, 1, 3};
    const Ints joined = s_.channels_first ? Ints{1, s_.heads * s_.head_dim, 1, rows_}
                                          : Ints{1, rows_, s_.heads * s_.head_dim};
    Value* turned = b_->add("transpose", "turned", {{"x", mixed}, {"perm", perm}});
    return b_->add("reshape", "attention", {{"x", turned}, {"shape", joined}});
  }

  Value* layer(Value* stream, std::int64_t i) {
    const Layer& w = layers_[static_cast<std::size_t>(i)];
    const int axis = s_.channels_first ? 1 : 2;
    Value* x = norm(stream, w.input_norm, axis);
    Value* q = rotate(norm(to_heads(project(x, w.q), s_.heads), w.q_norm, 3));
    Value* k = rotate(norm(to_heads(project(x, w.k), s_.kv_heads), w.k_norm, 3));
    Value* v = to_heads(project(x, w.v), s_.kv_heads);
    Value* attention = project(attend(q, k, v, i), w.o);
    stream = b_->add("add", "stream", {{"x", stream}, {"y", attention}});
    Value* y = norm(stream, w.post_norm, axis);
    Value* active = b_->add("silu", "active", {{"x", project(y, w.gate)}});
    Value* gated = b_->add("mul", "gated", {{"x", active}, {"y", project(y, w.up)}});
    return b_->add("add", "stream", {{"x", stream}, {"y", project(gated, w.down)}});
  }

  DecoderShape s_;
  WeightMaker weights_;
  std::vector<Layer> layers_;
  std::shared_ptr<const Tensor> head_;
  mil::Builder* b_ = nullptr;
  std::int64_t rows_ = 1;
  Value* position_ = nullptr;
  Value* cos_ = nullptr;
  Value* sin_ = nullptr;
  Value* mask_ = nullptr;
  Value* write_ = nullptr;
  Value* kv_ = nullptr;
  Values fresh_;
};

}  // namespace anemone::engine
