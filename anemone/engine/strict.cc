#include "anemone/engine/strict.h"

#include <cmath>
#include <limits>

#include "anemone/base/half.h"
#include "anemone/engine/kernels/rows.h"

namespace anemone::engine {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kLeastNormal = 6.103515625e-5f;  // 2^-14
constexpr float kProductLimit = 32752;
constexpr float kMoveLimit = 4094;

float beyond(float value, float limit) {
  return std::abs(value) > limit ? std::copysign(kInfinity, value) : value;
}

// One number after another into a sum.
struct Adder {
  bool rounds = false;
  bool overflows = false;

  float kept(float value) const {
    if (rounds) return round_to_f16(value);
    return overflows && std::abs(value) >= kOverflowF16 ? std::copysign(kInfinity, value) : value;
  }
};

// y[m, n] = sum over k of w[m, k] * x[k, n], with any strides.
struct Multiplication {
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t w_m = 0, w_k = 0, x_k = 0, x_n = 0, y_m = 0, y_n = 0;
};
struct Place {
  std::int64_t w = 0, x = 0, y = 0;  // in elements
};

class StrictProduct : public Kernel {
 public:
  void run(const Run& run) const override {
    const float* w = run.in<float>(w_);
    const float* x = run.in<float>(x_);
    const float* bias = bias_ < 0 ? nullptr : run.in<float>(bias_);
    float* y = run.out<float>(y_);
    for (const Place& place : places_) {
      run.share(of_.m, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t m = begin; m < end; ++m) {
          for (std::int64_t n = 0; n < of_.n; ++n) {
            float sum = 0;
            for (std::int64_t k = 0; k < of_.k; ++k) {
              float value = x[place.x + k * of_.x_k + n * of_.x_n];
              if (clips_) value = std::clamp(value, -kMoveLimit, kMoveLimit);
              // The product of two fp16 numbers is exact in float.
              sum = adder_.kept(sum + value * w[place.w + m * of_.w_m + k * of_.w_k]);
            }
            if (bias != nullptr) sum = adder_.kept(sum + bias[m]);
            y[place.y + m * of_.y_m + n * of_.y_n] = round_to_f16(sum);
          }
        }
      });
    }
  }
  std::string note() const override { return "sums one by one"; }

  Multiplication of_;
  std::vector<Place> places_;
  Adder adder_;
  bool clips_ = false;
  int w_ = -1, x_ = -1, bias_ = -1, y_ = -1;
};

bool are_all(const Lowering& l, std::string_view parameter, std::int64_t wanted) {
  const auto values = l.call().find_integers(parameter);
  return !values || std::all_of(values->begin(), values->end(),
                                [&](std::int64_t value) { return value == wanted; });
}

bool has_int8_weight(const mil::Op& op, std::string_view parameter) {
  const mil::Value* weight = op.find_input(parameter);
  if (weight == nullptr || weight->producer == nullptr) return false;
  const mil::Op& maker = *weight->producer;
  if (!maker.type().starts_with("constexpr_")) return false;
  for (const std::string_view data : {"quantized_data", "data"}) {
    const mil::Value* stored = maker.find_input(data);
    if (stored == nullptr) continue;
    return stored->type.dtype == DType::kI8 || stored->type.dtype == DType::kU8;
  }
  return false;
}

std::unique_ptr<Kernel> plan_product(Lowering& l, Adder adder, const Strictness& strictness) {
  const std::string_view type = l.op().type();
  const Shape& out = l.output_type().shape;
  if (element_count(out) == 0) return nullptr;
  auto kernel = std::make_unique<StrictProduct>();
  Multiplication& of = kernel->of_;
  kernel->adder_ = adder;
  kernel->clips_ = strictness.has(Hazard::kInt8Range) &&
                   has_int8_weight(l.op(), type == "matmul" ? "y" : "weight");
  if (type == "matmul") {
    const View x = l.dense("x"), y = l.dense("y");
    if (x.shape.size() < 2 || y.shape.size() < 2) return nullptr;
    const bool turn_x = l.call().boolean("transpose_x"), turn_y = l.call().boolean("transpose_y");
    const auto extent = [](const View& v, std::size_t from_end) {
      return v.shape[v.shape.size() - from_end];
    };
    of.n = turn_x ? extent(x, 1) : extent(x, 2);  // rows of the result
    of.k = turn_x ? extent(x, 2) : extent(x, 1);
    of.m = turn_y ? extent(y, 2) : extent(y, 1);  // its columns
    of.x_k = turn_x ? extent(x, 1) : 1;
    of.x_n = turn_x ? 1 : extent(x, 1);
    of.w_k = turn_y ? 1 : extent(y, 1);
    of.w_m = turn_y ? extent(y, 1) : 1;
    of.y_m = 1;
    of.y_n = of.m;
    // Each matrix of the result, and which of each operand it comes from.
    const std::size_t batch_rank = out.size() - 2;
    const std::int64_t batches =
        element_count(std::span<const std::int64_t>(out).first(batch_rank));
    const auto source = [&](const View& v, std::int64_t index) {
      std::int64_t at = 0, step = of.k * (&v == &x ? of.n : of.m);
      for (std::size_t i = 0; i < batch_rank; ++i) {
        const std::size_t axis = out.size() - 3 - i;
        const std::int64_t here = index % out[axis];
        index /= out[axis];
        if (i + 3 > v.shape.size()) continue;
        const std::int64_t own = v.shape[v.shape.size() - 3 - i];
        if (own != 1) at += here * step;
        step *= own;
      }
      return at;
    };
    for (std::int64_t b = 0; b < batches; ++b) {
      kernel->places_.push_back({source(y, b), source(x, b), b * of.m * of.n});
    }
    kernel->w_ = l.read(y);
    kernel->x_ = l.read(x);
  } else {
    const Shape& weight = l.value("weight").type.shape;
    const View x = l.dense("x");
    of.m = weight[0];
    of.k = weight[1];
    of.w_m = of.k;
    of.w_k = 1;
    if (type == "linear") {
      of.n = element_count(out) / of.m;
      of.x_k = 1;
      of.x_n = of.k;
      of.y_m = 1;
      of.y_n = of.m;
      kernel->places_.push_back({});
    } else {
      of.n = element_count(std::span<const std::int64_t>(out).subspan(2));
      of.x_k = of.n;
      of.x_n = 1;
      of.y_m = of.n;
      of.y_n = 1;
      for (std::int64_t b = 0; b < out[0]; ++b) {
        kernel->places_.push_back({0, b * of.k * of.n, b * of.m * of.n});
      }
    }
    kernel->w_ = l.read_dense("weight");
    kernel->x_ = l.read(x);
    if (l.has("bias")) kernel->bias_ = l.read_dense("bias");
  }
  kernel->y_ = l.write();
  return kernel;
}

bool is_plain_conv(const Lowering& l) {
  const Shape& weight = l.value("weight").type.shape;
  const bool is_pointwise = std::all_of(weight.begin() + 2, weight.end(),
                                        [](std::int64_t extent) { return extent == 1; });
  const bool is_padded = l.call().text("pad_type") == "custom" && !are_all(l, "pad", 0);
  return is_pointwise && !is_padded && are_all(l, "strides", 1) && l.call().integer("groups") == 1;
}

// layer_norm, softmax and sums over a run of axes: `length` numbers, `stride` apart.
class StrictRun : public Kernel {
 public:
  enum class Kind : std::uint8_t { kNorm, kSoftmax, kSum, kMean, kSquares };

  void run(const Run& run) const override {
    const float* x = run.in<float>(x_);
    const float* gamma = gamma_ < 0 ? nullptr : run.in<float>(gamma_);
    const float* beta = beta_ < 0 ? nullptr : run.in<float>(beta_);
    float* y = run.out<float>(y_);
    run.share(around_.outer * around_.inner, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t outer = i / around_.inner, inner = i % around_.inner;
        const float* from = x + outer * around_.middle * around_.inner + inner;
        if (kind_ == Kind::kNorm) {
          norm(from, y + (from - x), gamma, beta);
        } else if (kind_ == Kind::kSoftmax) {
          softmax(from, y + (from - x));
        } else {
          y[i] = round_to_f16(sum(from));
        }
      }
    });
  }
  std::string note() const override { return "sums one by one"; }

  Kind kind_ = Kind::kSum;
  Around around_{{}, 0, 0};
  Adder adder_;    // of sums
  Adder squares_;  // of what is squared
  float epsilon_ = 0;
  bool fails_at_infinity_ = false;
  int x_ = -1, gamma_ = -1, beta_ = -1, y_ = -1;

 private:
  float at(const float* x, std::int64_t i) const { return x[i * around_.inner]; }
  float middle() const { return static_cast<float>(around_.middle); }

  float sum(const float* x) const {
    float total = 0;
    for (std::int64_t i = 0; i < around_.middle; ++i) {
      const float value = at(x, i);
      total = adder_.kept(total + (kind_ == Kind::kSquares ? squares_.kept(value * value) : value));
    }
    return kind_ == Kind::kMean ? total / middle() : total;
  }

  void norm(const float* x, float* y, const float* gamma, const float* beta) const {
    float total = 0;
    for (std::int64_t i = 0; i < around_.middle; ++i) total = adder_.kept(total + at(x, i));
    const float mean = adder_.kept(total / middle());
    float squares = 0;
    for (std::int64_t i = 0; i < around_.middle; ++i) {
      const float apart = adder_.kept(at(x, i) - mean);
      squares = adder_.kept(squares + squares_.kept(apart * apart));
    }
    const float variance = adder_.kept(squares / middle());
    const float factor = adder_.kept(1 / std::sqrt(adder_.kept(variance + epsilon_)));
    for (std::int64_t i = 0; i < around_.middle; ++i) {
      float value = adder_.kept((at(x, i) - mean) * factor);
      if (gamma != nullptr) value = adder_.kept(value * gamma[i]);
      if (beta != nullptr) value += beta[i];
      y[i * around_.inner] = round_to_f16(value);
    }
  }

  void softmax(const float* x, float* y) const {
    float top = -kInfinity, total = 0;
    bool fails = false;
    for (std::int64_t i = 0; i < around_.middle; ++i) {
      top = std::max(top, at(x, i));
      fails = fails || (fails_at_infinity_ && at(x, i) == -kInfinity);
    }
    for (std::int64_t i = 0; i < around_.middle; ++i) {
      const float e = adder_.kept(std::exp(adder_.kept(at(x, i) - top)));
      y[i * around_.inner] = e;
      total = adder_.kept(total + e);
    }
    for (std::int64_t i = 0; i < around_.middle; ++i) {
      float& to = y[i * around_.inner];
      to = fails ? std::numeric_limits<float>::quiet_NaN() : round_to_f16(to / total);
    }
  }
};

std::unique_ptr<Kernel> plan_run(Lowering& l, const Strictness& strictness) {
  const std::string_view type = l.op().type();
  using Kind = StrictRun::Kind;
  auto kernel = std::make_unique<StrictRun>();
  const bool overflows = strictness.has(Hazard::kInnerOverflow);
  kernel->adder_ = {.rounds = strictness.rounds_sums};
  kernel->squares_ = {.rounds = strictness.rounds_sums, .overflows = overflows};
  const Shape& shape = l.value("x").type.shape;
  std::optional<Around> around;
  if (type == "softmax") {
    kernel->kind_ = Kind::kSoftmax;
    kernel->fails_at_infinity_ = strictness.has(Hazard::kMaskedInfinity);
    const auto axis =
        static_cast<std::size_t>(l.call().axis("axis", static_cast<std::int64_t>(shape.size())));
    around = Around(shape, axis, axis + 1);
  } else {
    around = around_axes(shape, l, "axes");
  }
  if (!around || around->middle == 0) return nullptr;
  kernel->around_ = *around;
  if (type == "layer_norm") {
    kernel->kind_ = Kind::kNorm;
    kernel->epsilon_ =
        l.has("epsilon") ? static_cast<float>(l.call().number("epsilon")) : round_to_f16(1e-5f);
    // The operand that every kernel's first is, then those that may be absent.
    kernel->x_ = l.read_dense("x");
    if (l.has("gamma")) kernel->gamma_ = l.read_dense("gamma");
    if (l.has("beta")) kernel->beta_ = l.read_dense("beta");
  } else {
    if (type != "softmax") {
      kernel->adder_.overflows = overflows;
      kernel->kind_ = type == "reduce_mean"         ? Kind::kMean
                      : type == "reduce_sum_square" ? Kind::kSquares
                                                    : Kind::kSum;
    }
    kernel->x_ = l.read_dense("x");
  }
  kernel->y_ = l.write();
  return kernel;
}

class Hazards : public Kernel {
 public:
  Hazards(std::int64_t count, float limit, bool flushes)
      : count_(count), limit_(limit), flushes_(flushes) {}
  void run(const Run& run) const override {
    float* y = run.out<float>(0);
    run.share(count_, kGrainElements, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (std::abs(y[i]) > limit_) y[i] = beyond(y[i], limit_);
        if (flushes_ && std::abs(y[i]) < kLeastNormal) y[i] = std::copysign(0.0f, y[i]);
      }
    });
  }

 private:
  std::int64_t count_;
  float limit_;
  bool flushes_;
};

bool is_product(std::string_view type) {
  return type == "conv" || type == "linear" || type == "matmul" || type == "einsum";
}

bool is_slice(std::string_view type) {
  return type == "slice_by_index" || type == "slice_by_size" || type == "split";
}

}  // namespace

std::unique_ptr<Kernel> plan_strict(Lowering& l, const Strictness& strictness) {
  const std::string_view type = l.op().type();
  if (!l.rounds() || !is_float(l.output_type().dtype)) return nullptr;
  const bool sums = strictness.rounds_sums;
  const bool overflows = strictness.has(Hazard::kInnerOverflow);
  if (type == "conv" || type == "linear" || type == "matmul") {
    const bool is_int8 = strictness.has(Hazard::kInt8Range) &&
                         has_int8_weight(l.op(), type == "matmul" ? "y" : "weight");
    if ((!sums && !is_int8) || (type == "conv" && !is_plain_conv(l))) return nullptr;
    return plan_product(l, {.rounds = sums}, strictness);
  }
  if (type == "softmax") {
    return sums || strictness.has(Hazard::kMaskedInfinity) ? plan_run(l, strictness) : nullptr;
  }
  const bool is_run = type == "layer_norm" || type == "reduce_sum" || type == "reduce_mean" ||
                      type == "reduce_sum_square";
  return is_run && (sums || overflows) ? plan_run(l, strictness) : nullptr;
}

std::unique_ptr<Kernel> make_hazards(const mil::Op& op, const View& output,
                                     const Strictness& strictness) {
  float limit = kInfinity;
  if (strictness.has(Hazard::kProductRange) && is_product(op.type())) {
    limit = std::nextafter(kProductLimit, 0.0f);  // from the limit on
  } else if (strictness.has(Hazard::kSliceRange) && is_slice(op.type())) {
    limit = kMoveLimit;
  }
  const bool flushes = strictness.has(Hazard::kSubnormals);
  if (limit == kInfinity && !flushes) return nullptr;
  return std::make_unique<Hazards>(output.count(), limit, flushes);
}

bool is_hazardous_move(const mil::Op& op, const mil::Call& call, const Strictness& strictness) {
  if (!strictness.has(Hazard::kSliceRange) || !is_slice(op.type())) return false;
  if (op.outputs.empty() || !is_float(op.output()->type.dtype)) return false;
  const auto rank = static_cast<std::int64_t>(op.output()->type.shape.size());
  if (op.type() == "split") return call.axis("axis", rank) == rank - 1;
  const auto begin = call.find_integers("begin");
  return begin && !begin->empty() && begin->back() != 0;
}

std::shared_ptr<const Tensor> without_subnormals(const Tensor& constant) {
  std::vector<float> values = constant.to_floats();
  bool found = false;
  for (float& value : values) {
    if (value == 0 || std::abs(value) >= kLeastNormal) continue;
    value = std::copysign(0.0f, value);
    found = true;
  }
  if (!found) return nullptr;
  return std::make_shared<const Tensor>(
      Tensor::from_floats(constant.dtype(), constant.shape(), values));
}

}  // namespace anemone::engine
