#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/windows.h"
#include "anemone/mil/ops/pooling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/pool.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/windows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

template <class Of>
HWY_INLINE const float* Pooled(const WindowPlan& p, const float* x, std::int64_t row,
                               std::int64_t rows, float* scratch) {
  float* results = scratch + p.phases_floats();
  FillPhases(p, x, row, rows, Of::kOutside, scratch);
  OverTaps<Of>(p, scratch, scratch, rows * p.pitch, results);
  return results;
}

// Rows [row, row + rows) of one channel. `down` and `across`: elements that count along each axis,
// for averages.
void MaxBand(const WindowPlan& p, const float* x, const float*, const float*, std::int64_t row,
             std::int64_t rows, float* scratch, float* y) {
  const float* from = Pooled<Greatest>(p, x, row, rows, scratch);
  const std::int64_t width = p.shape.out[2];
  for (std::int64_t r = 0; r < rows; ++r) CopyRun(from + r * p.pitch, 1, width, y + r * width);
}

template <bool kRound>
void AverageRows(const WindowPlan& p, const float* x, const float* down, const float* across,
                 std::int64_t row, std::int64_t rows, float* scratch, float* y) {
  const float* from = Pooled<PlainSum>(p, x, row, rows, scratch);
  const std::int64_t width = p.shape.out[2];
  for (std::int64_t r = 0; r < rows; ++r) {
    ForEach(width, [&](auto d, std::int64_t i) HWY_ATTR {
      const auto count = hn::Mul(hn::Set(d, down[row + r]), hn::LoadU(d, across + i));
      const auto mean =
          hn::Div(hn::LoadU(d, from + r * p.pitch + i), hn::Max(count, hn::Set(d, 1.0f)));
      hn::StoreU(Rounded<kRound>(d, mean), d, y + r * width + i);
    });
  }
}
void AverageBand(const WindowPlan& p, const float* x, const float* down, const float* across,
                 std::int64_t row, std::int64_t rows, float* scratch, float* y) {
  p.shape.rounds ? AverageRows<true>(p, x, down, across, row, rows, scratch, y)
                 : AverageRows<false>(p, x, down, across, row, rows, scratch, y);
}

template <bool kRound>
void LengthRows(const WindowPlan& p, const float* x, std::int64_t row, std::int64_t rows,
                float* scratch, float* y) {
  const float* from = Pooled<SquareSum>(p, x, row, rows, scratch);
  const std::int64_t width = p.shape.out[2];
  for (std::int64_t r = 0; r < rows; ++r) {
    ForEach(width, [&](auto d, std::int64_t i) HWY_ATTR {
      const auto root = hn::Sqrt(hn::LoadU(d, from + r * p.pitch + i));
      hn::StoreU(Rounded<kRound>(d, root), d, y + r * width + i);
    });
  }
}
void LengthBand(const WindowPlan& p, const float* x, const float*, const float*, std::int64_t row,
                std::int64_t rows, float* scratch, float* y) {
  p.shape.rounds ? LengthRows<true>(p, x, row, rows, scratch, y)
                 : LengthRows<false>(p, x, row, rows, scratch, y);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(MaxBand);
HWY_EXPORT(AverageBand);
HWY_EXPORT(LengthBand);

namespace {

using BandFunction = void (*)(const WindowPlan&, const float*, const float*, const float*,
                              std::int64_t, std::int64_t, float*, float*);

BandFunction band_function(std::string_view op) {
  if (op == "max_pool") return &HWY_DYNAMIC_DISPATCH(MaxBand);
  if (op == "avg_pool") return &HWY_DYNAMIC_DISPATCH(AverageBand);
  return &HWY_DYNAMIC_DISPATCH(LengthBand);
}

class Pool : public Kernel {
 public:
  Pool(const ConvShape& shape, BandFunction band, std::vector<float> down,
       std::vector<float> across)
      : plan_(shape), band_(band), down_(std::move(down)), across_(std::move(across)) {}

  std::size_t thread_bytes() const {
    return static_cast<std::size_t>(plan_.scratch_floats()) * sizeof(float);
  }

  void run(const Run& run) const override {
    const ConvShape& s = plan_.shape;
    const float* x = run.in<float>(0);
    float* scratch = run.out<float>(1);
    float* y = run.out<float>(2);
    const std::int64_t bands = plan_.bands();
    const std::int64_t cost = plan_.rows * plan_.pitch * (s.taps() + 4);
    run.share_by_thread(s.batch * s.groups * bands, std::max<std::int64_t>(1, 65536 / cost),
                        [&](std::int64_t begin, std::int64_t end, int thread) {
                          float* mine = scratch + thread * plan_.scratch_floats();
                          for (std::int64_t i = begin; i < end; ++i) {
                            const std::int64_t row = i % bands * plan_.rows;
                            const std::int64_t channel = i / bands % s.groups;
                            const std::int64_t batch = i / bands / s.groups;
                            band_(
                                plan_, x + batch * s.x_batch + channel * s.x_channel, down_.data(),
                                across_.data(), row, std::min(plan_.rows, s.out[1] - row), mine,
                                y + (batch * s.groups + channel) * s.out_plane() + row * s.out[2]);
                          }
                        });
  }

  std::string note() const override { return plan_.shape.note(); }

 private:
  WindowPlan plan_;
  BandFunction band_;
  std::vector<float> down_, across_;
};

// How many elements of the window at each place count: all that lie in x or, with `padding`, in x
// and the padding around it.
std::vector<float> counts(const ConvShape& s, int axis, std::int64_t after, bool padding) {
  std::vector<float> counts;
  for (std::int64_t at = 0; at < s.out[axis]; ++at) {
    int count = 0;
    for (std::int64_t tap = 0; tap < s.kernel[axis]; ++tap) {
      const std::int64_t p = at * s.stride[axis] + tap - s.before[axis];
      if (padding ? p < s.in[axis] + after : p >= 0 && p < s.in[axis]) ++count;
    }
    counts.push_back(static_cast<float>(count));
  }
  return counts;
}

std::unique_ptr<Kernel> plan(Lowering& l) {
  const Shape& x_shape = l.value("x").type.shape;
  const Shape& out = l.output_type().shape;
  const std::size_t rank = x_shape.size() - 2;
  if (element_count(out) == 0 || rank > 2) return nullptr;
  const mil::op::Windows w = mil::op::pool_windows(l.call());
  ConvShape s;
  s.batch = x_shape[0];
  s.groups = x_shape[1];
  std::int64_t after[3] = {0, 0, 0};
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = 3 - rank + i;
    s.in[at] = x_shape[i + 2];
    s.out[at] = out[i + 2];
    s.kernel[at] = w.sizes[i];
    s.stride[at] = w.strides[i];
    s.before[at] = w.before[i];
    after[at] = w.after[i];
  }
  s.rounds = l.rounds();
  const bool exclude =
      l.op().type() == "avg_pool" && l.call().boolean("exclude_padding_from_average");
  View x = l.view("x");
  if (x.stored != DType::kF32) x = l.dense("x");
  for (int turns = place_x(s, x); turns > 0; --turns) {
    after[2] = after[1];
    after[1] = after[0];
  }
  auto kernel =
      std::make_unique<Pool>(s, band_function(l.op().type()), counts(s, 1, after[1], !exclude),
                             counts(s, 2, after[2], !exclude));
  l.read(x);
  l.scratch(kernel->thread_bytes() * static_cast<std::size_t>(l.threads()));
  l.write();
  return kernel;
}

constexpr std::string_view kOps[] = {"avg_pool", "l2_pool", "max_pool"};

}  // namespace

ANEMONE_DEFINE_KERNEL(pool) = {.name = "pool", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
