#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/rows.h"
#include "anemone/mil/ops/sampling.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/resample.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/simd-inl.h"

// Shared by all targets.
#ifndef ANEMONE_ENGINE_RESAMPLE_ONCE
#define ANEMONE_ENGINE_RESAMPLE_ONCE
namespace anemone::engine {
namespace {
// Where the samples along an axis lie: between `low` and `high`, `part` of the way.
struct Grid {
  std::vector<std::int32_t> low, high;
  std::vector<float> part;
};
}  // namespace
}  // namespace anemone::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// One row: `above` and `below` mixed into `mixed` (columns of x), then sampled along it.
template <bool kRound>
void RowOf(const float* HWY_RESTRICT above, const float* HWY_RESTRICT below, float part,
           std::int64_t columns, const Grid& across, float* HWY_RESTRICT mixed,
           float* HWY_RESTRICT y) {
  const float* from = above;
  if (part != 0) {
    ForEach(columns, [&](auto d, std::int64_t i) HWY_ATTR {
      const auto a = hn::LoadU(d, above + i);
      const auto b = hn::LoadU(d, below + i);
      hn::StoreU(hn::MulAdd(hn::Sub(b, a), hn::Set(d, part), a), d, mixed + i);
    });
    from = mixed;
  }
  const std::int32_t* low = across.low.data();
  const std::int32_t* high = across.high.data();
  const float* parts = across.part.data();
  ForEach(static_cast<std::int64_t>(across.low.size()), [&](auto d, std::int64_t i) HWY_ATTR {
    const hn::RebindToSigned<decltype(d)> di;
    const auto a = hn::GatherIndex(d, from, hn::LoadU(di, low + i));
    const auto b = hn::GatherIndex(d, from, hn::LoadU(di, high + i));
    const auto p = hn::LoadU(d, parts + i);
    // An element itself is taken as it is, whatever its neighbour holds.
    const auto between = hn::MulAdd(hn::Sub(b, a), p, a);
    const auto sample = hn::IfThenElse(hn::Eq(p, hn::Zero(d)), a, between);
    hn::StoreU(Rounded<kRound>(d, sample), d, y + i);
  });
}
void RowExact(const float* above, const float* below, float part, std::int64_t columns,
              const Grid& across, float* mixed, float* y) {
  RowOf<false>(above, below, part, columns, across, mixed, y);
}
void RowRounded(const float* above, const float* below, float part, std::int64_t columns,
                const Grid& across, float* mixed, float* y) {
  RowOf<true>(above, below, part, columns, across, mixed, y);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(RowExact);
HWY_EXPORT(RowRounded);

namespace {

class Resample : public Kernel {
 public:
  Resample(Grid down, Grid across, std::int64_t planes, std::int64_t rows, std::int64_t columns,
           bool rounds)
      : down_(std::move(down)),
        across_(std::move(across)),
        planes_(planes),
        rows_(rows),
        columns_(columns),
        row_(rounds ? &HWY_DYNAMIC_DISPATCH(RowRounded) : &HWY_DYNAMIC_DISPATCH(RowExact)) {}

  std::size_t thread_bytes() const {
    return static_cast<std::size_t>((columns_ + 15) / 16 * 16) * sizeof(float);
  }

  void run(const Run& run) const override {
    const float* x = run.in<float>(0);
    auto* scratch = run.out<std::byte>(1);
    float* y = run.out<float>(2);
    const auto height = static_cast<std::int64_t>(down_.low.size());
    const auto width = static_cast<std::int64_t>(across_.low.size());
    run.share_by_thread(
        planes_ * height, std::max<std::int64_t>(1, kGrainElements / width),
        [&](std::int64_t begin, std::int64_t end, int thread) {
          auto* mixed =
              reinterpret_cast<float*>(scratch + static_cast<std::size_t>(thread) * thread_bytes());
          for (std::int64_t i = begin; i < end; ++i) {
            const auto row = static_cast<std::size_t>(i % height);
            const float* plane = x + i / height * rows_ * columns_;
            row_(plane + down_.low[row] * columns_, plane + down_.high[row] * columns_,
                 down_.part[row], columns_, across_, mixed, y + i * width);
          }
        });
  }

 private:
  Grid down_, across_;
  std::int64_t planes_, rows_, columns_;
  void (*row_)(const float*, const float*, float, std::int64_t, const Grid&, float*, float*);
};

Grid linear_grid(std::string_view mode, std::int64_t in, std::int64_t out) {
  Grid grid;
  for (const double point : mil::op::grid(mode, in, out)) {
    const auto low = static_cast<std::int32_t>(point);
    grid.low.push_back(low);
    grid.high.push_back(std::min(low + 1, static_cast<std::int32_t>(in) - 1));
    grid.part.push_back(static_cast<float>(point - low));
  }
  return grid;
}

Grid nearest_grid(std::int64_t in, std::int64_t out) {
  Grid grid;
  for (std::int64_t i = 0; i < out; ++i) {
    grid.low.push_back(static_cast<std::int32_t>(i * in / out));
    grid.high.push_back(grid.low.back());
    grid.part.push_back(0);
  }
  return grid;
}

// Empty for the nearest element.
std::string mode_of(const Lowering& l) {
  const mil::Call& call = l.call();
  if (l.op().type() == "resize_bilinear") return call.text("sampling_mode");
  if (l.op().type() != "upsample_bilinear") return {};
  const bool align = call.boolean("align_corners");
  const bool half = call.has("half_pixel_centers") ? call.boolean("half_pixel_centers") : !align;
  return align ? "STRICT_ALIGN_CORNERS" : half ? "UNALIGN_CORNERS" : "DEFAULT";
}

std::unique_ptr<Kernel> plan(Lowering& l) {
  const Shape& in = l.value("x").type.shape;
  const Shape& out = l.output_type().shape;
  const std::size_t rank = in.size();
  // Indices of a row are 32 bits wide.
  if (!is_float(l.output_type().dtype) || element_count(out) == 0 ||
      element_count(in) >= std::int64_t{1} << 31) {
    return nullptr;
  }
  const std::string mode = mode_of(l);
  const auto grid = [&](std::size_t axis) {
    return mode.empty() ? nearest_grid(in[axis], out[axis])
                        : linear_grid(mode, in[axis], out[axis]);
  };
  auto kernel = std::make_unique<Resample>(grid(rank - 2), grid(rank - 1),
                                           element_count(in) / (in[rank - 2] * in[rank - 1]),
                                           in[rank - 2], in[rank - 1], l.rounds());
  l.read_dense("x");
  l.scratch(kernel->thread_bytes() * static_cast<std::size_t>(l.threads()));
  l.write();
  return kernel;
}

constexpr std::string_view kOps[] = {"resize_bilinear", "resize_nearest_neighbor",
                                     "upsample_bilinear", "upsample_nearest_neighbor"};

}  // namespace

ANEMONE_DEFINE_KERNEL(resample) = {.name = "resample", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
