#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/windows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/depthwise.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/depthwise-inl.h"
#include "anemone/engine/kernels/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// Sums with the bias, rounded, where they lie: whole vectors, past the end of rows as well.
template <bool kRound>
HWY_INLINE void Finish(float* HWY_RESTRICT sums, float bias, std::int64_t n) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < n; i += lanes) {
    const auto sum = hn::Add(hn::LoadU(d, sums + i), hn::Set(d, bias));
    hn::StoreU(Rounded<kRound>(d, sum), d, sums + i);
  }
}

// Rows that are this wide are done several at a time; shorter ones one after another, as they lie.
constexpr std::int64_t kWide = 9;

template <bool kRound, int kRows, int kV>
HWY_INLINE void PutBlock(const WindowPlan& p, const float* phases, const float* weights, float bias,
                         std::int64_t column, float* y) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t width = p.shape.out[2];
  VF sums[kRows][kV];
  AnyBlock<kRows, kV>(p, phases + column, weights, sums);
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kV; ++v) {
      const std::int64_t at = column + v * lanes;
      float* to = y + r * width + at;
      const VF sum = Rounded<kRound>(d, hn::Add(sums[r][v], hn::Set(d, bias)));
      if (at + lanes <= width) {
        hn::StoreU(sum, d, to);
      } else {
        HWY_ALIGN float part[HWY_MAX_BYTES / sizeof(float)];
        hn::Store(sum, d, part);
        for (std::int64_t i = 0; i < width - at; ++i) to[i] = part[i];
      }
    }
  }
}

template <bool kRound, int kRows>
HWY_INLINE void PutRows(const WindowPlan& p, const float* phases, const float* weights, float bias,
                        float* y) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  const std::int64_t width = p.shape.out[2];
  std::int64_t c = 0;
  for (; c + lanes < width; c += 2 * lanes) {
    PutBlock<kRound, kRows, 2>(p, phases, weights, bias, c, y);
  }
  if (c < width) PutBlock<kRound, kRows, 1>(p, phases, weights, bias, c, y);
}

template <bool kRound>
void Wide(const WindowPlan& p, const float* phases, const float* weights, float bias,
          std::int64_t rows, float* y) {
  const std::int64_t width = p.shape.out[2];
  std::int64_t r = 0;
  for (; r + 4 <= rows; r += 4) {
    PutRows<kRound, 4>(p, phases + r * p.pitch, weights, bias, y + r * width);
  }
  for (; r < rows; ++r) {
    PutRows<kRound, 1>(p, phases + r * p.pitch, weights, bias, y + r * width);
  }
}

// Rows [row, row + rows) of one output channel.
void Band(const WindowPlan& p, const float* x, const float* weights, float bias, std::int64_t row,
          std::int64_t rows, float* scratch, float* y) {
  const ConvShape& s = p.shape;
  FillPhases(p, x, row, rows, 0.0f, scratch);
  const std::int64_t width = s.out[2];
  const bool steps_by_one =
      s.stride[1] == 1 && s.stride[2] == 1 && s.dilation[1] == 1 && s.dilation[2] == 1;
  if (steps_by_one && width >= kWide) {
    return s.rounds ? Wide<true>(p, scratch, weights, bias, rows, y)
                    : Wide<false>(p, scratch, weights, bias, rows, y);
  }
  float* results = scratch + p.phases_floats();
  OverTaps<WeightedSum>(p, scratch, weights, rows * p.pitch, results);
  s.rounds ? Finish<true>(results, bias, rows * p.pitch)
           : Finish<false>(results, bias, rows * p.pitch);
  for (std::int64_t r = 0; r < rows; ++r) CopyRun(results + r * p.pitch, 1, width, y + r * width);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(Band);
HWY_EXPORT(DirectFor);

namespace {

// Channels that one input channel may give before a product of all is the better way.
constexpr std::int64_t kMostMultiplier = 4;

// A convolution whose every output channel looks at one input channel.
class Depthwise : public Kernel {
 public:
  Depthwise(const ConvShape& shape, bool has_bias)
      : plan_(shape),
        direct_plan_(shape),
        has_bias_(has_bias),
        band_(&HWY_DYNAMIC_DISPATCH(Band)),
        direct_(HWY_DYNAMIC_DISPATCH(DirectFor)(shape)) {}

  // 0 where planes are read as they lie.
  std::size_t thread_bytes() const {
    return direct_ != nullptr ? 0
                              : static_cast<std::size_t>(plan_.scratch_floats()) * sizeof(float);
  }

  bool finish_with(std::span<const FinishStep> steps) override {
    return direct_ != nullptr && finish_.take(steps);
  }

  void run(const Run& run) const override {
    direct_ != nullptr ? units(run, nullptr) : bands(run, nullptr);
  }

  bool run_then(const Run& run, const Then& then) const override {
    direct_ != nullptr ? units(run, &then) : bands(run, &then);
    return true;
  }

  std::string note() const override { return plan_.shape.note(); }

 private:
  void units(const Run& run, const Then* then) const {
    const ConvShape& s = direct_plan_.shape;
    const DirectMemory at{run.in<float>(0), run.in<float>(1),
                          has_bias_ ? run.in<float>(2) : nullptr, run.out<float>(has_bias_ ? 3 : 2),
                          finish_.at(run, s.rounds)};
    run.share_by_thread(direct_plan_.units(),
                        std::max<std::int64_t>(1, kUnitGrain / direct_plan_.unit_cost()),
                        [&](std::int64_t begin, std::int64_t end, int thread) {
                          for (std::int64_t i = begin; i < end; ++i) {
                            const DirectUnit unit = unit_at(direct_plan_, i);
                            direct_(direct_plan_, at, unit);
                            if (then == nullptr) continue;
                            // Whole planes, or rows of one.
                            (*then)(unit.plane * s.out_plane() + unit.row * s.out[2],
                                    unit.planes * unit.rows * s.out[2], thread);
                          }
                        });
  }

  void bands(const Run& run, const Then* then) const {
    const ConvShape& s = plan_.shape;
    const float* x = run.in<float>(0);
    const float* w = run.in<float>(1);
    const float* bias = has_bias_ ? run.in<float>(2) : nullptr;
    float* scratch = run.out<float>(has_bias_ ? 3 : 2);
    float* y = run.out<float>(has_bias_ ? 4 : 3);
    const std::int64_t channels = s.groups * s.m;
    const std::int64_t bands = plan_.bands();
    const std::int64_t cost = plan_.rows * plan_.pitch * (s.taps() + 4);
    run.share_by_thread(s.batch * channels * bands, std::max<std::int64_t>(1, 65536 / cost),
                        [&](std::int64_t begin, std::int64_t end, int thread) {
                          float* mine = scratch + thread * plan_.scratch_floats();
                          for (std::int64_t i = begin; i < end; ++i) {
                            const std::int64_t row = i % bands * plan_.rows;
                            const std::int64_t channel = i / bands % channels;
                            const std::int64_t batch = i / bands / channels;
                            const std::int64_t rows = std::min(plan_.rows, s.out[1] - row);
                            const std::int64_t at =
                                (batch * channels + channel) * s.out_plane() + row * s.out[2];
                            band_(plan_, x + batch * s.x_batch + channel / s.m * s.x_channel,
                                  w + channel * s.taps(), bias == nullptr ? 0.0f : bias[channel],
                                  row, rows, mine, y + at);
                            if (then != nullptr) (*then)(at, rows * s.out[2], thread);
                          }
                        });
  }

  static constexpr std::int64_t kUnitGrain = 65536;  // multiplications worth a piece

  WindowPlan plan_;
  DirectPlan direct_plan_;
  FinishSteps finish_;
  bool has_bias_;
  void (*band_)(const WindowPlan&, const float*, const float*, float, std::int64_t, std::int64_t,
                float*, float*);
  DirectFunction direct_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  if (element_count(l.output_type().shape) == 0) return nullptr;
  ConvShape shape = conv_shape(l);
  View x = convolved(l);
  place_x(shape, x);
  if (shape.c != 1 || shape.groups == 1 || shape.m > kMostMultiplier || shape.in[0] != 1 ||
      shape.kernel[0] != 1 || shape.out[0] != 1) {
    return nullptr;
  }
  shape.rounds = l.rounds();
  if (x.stored != DType::kF32) {
    x = convolved_dense(l);
    shape = conv_shape(l);
    place_x(shape, x);
    shape.rounds = l.rounds();
  }
  auto kernel = std::make_unique<Depthwise>(shape, l.has("bias"));
  l.read(x);
  l.read_dense("weight");
  if (l.has("bias")) l.read_dense("bias");
  if (kernel->thread_bytes() > 0) {
    l.scratch(kernel->thread_bytes() * static_cast<std::size_t>(l.threads()));
  }
  l.write();
  return kernel;
}

constexpr std::string_view kOps[] = {"conv"};

}  // namespace

ANEMONE_DEFINE_KERNEL(depthwise) = {.name = "depthwise", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
