#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/layer_norm.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/simd-inl.h"

// Shared by all targets.
#ifndef ANEMONE_ENGINE_LAYER_NORM_ONCE
#define ANEMONE_ENGINE_LAYER_NORM_ONCE
namespace anemone::engine {
// y = (x - mean) / sqrt(variance + epsilon) * gamma + beta; gamma and beta may be null; y may be x.
struct NormArguments {
  const float* x;
  float* y;
  const float* gamma;
  const float* beta;
  float epsilon;
  std::int64_t length;  // of what is normalized
  std::int64_t inner;   // from one element of it to the next
};
}  // namespace anemone::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// The sum of f(x) over n contiguous numbers, by four chains of lanes.
template <class F>
HWY_INLINE float SumRow(const float* HWY_RESTRICT x, std::int64_t n, const F& f) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  VF sums[4] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  std::int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    for (int s = 0; s < 4; ++s) {
      sums[s] = hn::Add(sums[s], f(d, hn::LoadU(d, x + i + s * lanes)));
    }
  }
  for (; i + lanes <= n; i += lanes) sums[0] = hn::Add(sums[0], f(d, hn::LoadU(d, x + i)));
  const VF all = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  float sum = hn::GetLane(hn::SumOfLanes(d, all));
  const hn::CappedTag<float, 1> d1;
  for (; i < n; ++i) sum += hn::GetLane(f(d1, hn::LoadU(d1, x + i)));
  return sum;
}

template <bool kRound>
void NormRows(const NormArguments& a, std::int64_t begin, std::int64_t end) {
  const auto count = static_cast<float>(a.length);
  for (std::int64_t row = begin; row < end; ++row) {
    const float* x = a.x + row * a.length;
    float* y = a.y + row * a.length;
    const float mean = SumRow(x, a.length, [](auto, auto v) HWY_ATTR { return v; }) / count;
    const float variance = SumRow(x, a.length,
                                  [&](auto d, auto v) HWY_ATTR {
                                    const auto apart = hn::Sub(v, hn::Set(d, mean));
                                    return hn::Mul(apart, apart);
                                  }) /
                           count;
    const float factor = 1.0f / std::sqrt(variance + a.epsilon);
    ForEach(a.length, [&](auto d, std::int64_t i) HWY_ATTR {
      auto v = hn::Mul(hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean)), hn::Set(d, factor));
      if (a.gamma != nullptr) v = hn::Mul(v, hn::LoadU(d, a.gamma + i));
      if (a.beta != nullptr) v = hn::Add(v, hn::LoadU(d, a.beta + i));
      hn::StoreU(Rounded<kRound>(d, v), d, y + i);
    });
  }
}

// Down the columns [begin, end) of a [length, inner] matrix: each lane is a column of its own.
template <bool kRound>
void NormColumns(const NormArguments& a, std::int64_t begin, std::int64_t end) {
  ForEach(end - begin, [&](auto d, std::int64_t i) HWY_ATTR {
    const float* x = a.x + begin + i;
    float* y = a.y + begin + i;
    const auto count = hn::Set(d, static_cast<float>(a.length));
    // Four chains, for the same reason as in SumRow.
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    std::int64_t k = 0;
    for (; k + 4 <= a.length; k += 4) {
      sum0 = hn::Add(sum0, hn::LoadU(d, x + k * a.inner));
      sum1 = hn::Add(sum1, hn::LoadU(d, x + (k + 1) * a.inner));
      sum2 = hn::Add(sum2, hn::LoadU(d, x + (k + 2) * a.inner));
      sum3 = hn::Add(sum3, hn::LoadU(d, x + (k + 3) * a.inner));
    }
    for (; k < a.length; ++k) sum0 = hn::Add(sum0, hn::LoadU(d, x + k * a.inner));
    const auto mean = hn::Div(hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)), count);
    sum0 = sum1 = sum2 = sum3 = hn::Zero(d);
    const auto apart = [&](std::int64_t at)
                           HWY_ATTR { return hn::Sub(hn::LoadU(d, x + at * a.inner), mean); };
    for (k = 0; k + 4 <= a.length; k += 4) {
      const auto v0 = apart(k), v1 = apart(k + 1), v2 = apart(k + 2), v3 = apart(k + 3);
      sum0 = hn::MulAdd(v0, v0, sum0);
      sum1 = hn::MulAdd(v1, v1, sum1);
      sum2 = hn::MulAdd(v2, v2, sum2);
      sum3 = hn::MulAdd(v3, v3, sum3);
    }
    for (; k < a.length; ++k) sum0 = hn::MulAdd(apart(k), apart(k), sum0);
    const auto variance = hn::Div(hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3)), count);
    const auto factor =
        hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Add(variance, hn::Set(d, a.epsilon))));
    for (k = 0; k < a.length; ++k) {
      auto v = hn::Mul(apart(k), factor);
      if (a.gamma != nullptr) v = hn::Mul(v, hn::Set(d, a.gamma[k]));
      if (a.beta != nullptr) v = hn::Add(v, hn::Set(d, a.beta[k]));
      hn::StoreU(Rounded<kRound>(d, v), d, y + k * a.inner);
    }
  });
}

#define ANEMONE_NORM(name, stem, round)                                     \
  void name(const NormArguments& a, std::int64_t begin, std::int64_t end) { \
    stem<round>(a, begin, end);                                             \
  }
ANEMONE_NORM(RowsExact, NormRows, false)
ANEMONE_NORM(RowsRounded, NormRows, true)
ANEMONE_NORM(ColumnsExact, NormColumns, false)
ANEMONE_NORM(ColumnsRounded, NormColumns, true)
#undef ANEMONE_NORM

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(RowsExact);
HWY_EXPORT(RowsRounded);
HWY_EXPORT(ColumnsExact);
HWY_EXPORT(ColumnsRounded);

namespace {

class LayerNorm : public Kernel {
 public:
  LayerNorm(const Around& around, float epsilon, int gamma, int beta, int y, bool rounds)
      : around_(around), epsilon_(epsilon), gamma_(gamma), beta_(beta), y_(y) {
    if (around.inner == 1) {
      function_ = rounds ? &HWY_DYNAMIC_DISPATCH(RowsRounded) : &HWY_DYNAMIC_DISPATCH(RowsExact);
    } else {
      function_ =
          rounds ? &HWY_DYNAMIC_DISPATCH(ColumnsRounded) : &HWY_DYNAMIC_DISPATCH(ColumnsExact);
    }
  }

  void run(const Run& run) const override {
    const NormArguments a{run.in<float>(0),
                          run.out<float>(y_),
                          gamma_ < 0 ? nullptr : run.in<float>(gamma_),
                          beta_ < 0 ? nullptr : run.in<float>(beta_),
                          epsilon_,
                          around_.middle,
                          around_.inner};
    if (around_.middle == 0) return;
    share_around(run, around_, [&](std::int64_t outer, std::int64_t begin, std::int64_t end) {
      NormArguments part = a;
      part.x += outer * around_.middle * around_.inner;
      part.y += outer * around_.middle * around_.inner;
      function_(part, begin, end);
    });
  }

 private:
  Around around_;
  float epsilon_;
  int gamma_, beta_, y_;
  void (*function_)(const NormArguments&, std::int64_t, std::int64_t) = nullptr;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const Shape& shape = l.output_type().shape;
  const auto around = around_axes(shape, l, "axes");
  if (!around) return nullptr;
  const auto default_epsilon = static_cast<float>(1e-5);
  const float epsilon = l.has("epsilon") ? static_cast<float>(l.call().number("epsilon"))
                        : l.rounds()     ? round_to_f16(default_epsilon)
                                         : default_epsilon;
  const int x = l.read_dense("x");
  const int gamma = l.has("gamma") ? l.read_dense("gamma") : -1;
  const int beta = l.has("beta") ? l.read_dense("beta") : -1;
  const int y = l.write_over({x});
  return std::make_unique<LayerNorm>(*around, epsilon, gamma, beta, y, l.rounds());
}

constexpr std::string_view kOps[] = {"layer_norm"};

}  // namespace

ANEMONE_DEFINE_KERNEL(layer_norm) = {.name = "layer_norm", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
