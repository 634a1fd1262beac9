#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include <cmath>

#include "anemone/engine/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/batch_norm.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// y = (x - mean) * factor + shift; y may be x.
template <bool kRound>
void Row(const float* x, float mean, float factor, float shift, std::int64_t n, float* y) {
  ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto apart = hn::Sub(hn::LoadU(d, x + i), hn::Set(d, mean));
    const auto scaled = hn::MulAdd(apart, hn::Set(d, factor), hn::Set(d, shift));
    hn::StoreU(Rounded<kRound>(d, scaled), d, y + i);
  });
}
void RowExact(const float* x, float mean, float factor, float shift, std::int64_t n, float* y) {
  Row<false>(x, mean, factor, shift, n, y);
}
void RowRounded(const float* x, float mean, float factor, float shift, std::int64_t n, float* y) {
  Row<true>(x, mean, factor, shift, n, y);
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

struct Channel {
  float mean, factor, shift;
};

class BatchNorm : public Kernel {
 public:
  BatchNorm(std::vector<Channel> channels, std::int64_t rows, std::int64_t length, bool rounds)
      : channels_(std::move(channels)),
        rows_(rows),
        length_(length),
        row_(rounds ? &HWY_DYNAMIC_DISPATCH(RowRounded) : &HWY_DYNAMIC_DISPATCH(RowExact)) {}

  void run(const Run& run) const override {
    const float* x = run.in<float>(0);
    float* y = run.out<float>(1);
    const auto channels = static_cast<std::int64_t>(channels_.size());
    run.share(rows_, std::max<std::int64_t>(1, kGrainElements / length_),
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  const Channel& c = channels_[static_cast<std::size_t>(i % channels)];
                  row_(x + i * length_, c.mean, c.factor, c.shift, length_, y + i * length_);
                }
              });
  }

 private:
  std::vector<Channel> channels_;
  std::int64_t rows_, length_;
  void (*row_)(const float*, float, float, float, std::int64_t, float*);
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const Shape& shape = l.output_type().shape;
  if (element_count(shape) == 0) return nullptr;
  const auto numbers = [&](std::string_view parameter, double otherwise) {
    const Tensor* value = l.constant(parameter);
    return value != nullptr ? value->to_doubles()
                            : std::vector<double>(static_cast<std::size_t>(shape[1]), otherwise);
  };
  const auto mean = numbers("mean", 0), variance = numbers("variance", 1);
  const auto gamma = numbers("gamma", 1), beta = numbers("beta", 0);
  // Left out, it is the default as x's dtype holds it.
  const auto default_epsilon = static_cast<float>(1e-5);
  const double epsilon = l.has("epsilon") ? l.call().number("epsilon")
                         : l.rounds()     ? round_to_f16(default_epsilon)
                                          : default_epsilon;
  std::vector<Channel> channels;
  for (std::size_t c = 0; c < mean.size(); ++c) {
    channels.push_back({static_cast<float>(mean[c]),
                        static_cast<float>(gamma[c] / std::sqrt(variance[c] + epsilon)),
                        static_cast<float>(beta[c])});
  }
  const std::int64_t rows = shape[0] * shape[1];
  const int x = l.read_dense("x");
  l.write_over({x});
  return std::make_unique<BatchNorm>(std::move(channels), rows, element_count(shape) / rows,
                                     l.rounds());
}

constexpr std::string_view kOps[] = {"batch_norm"};

}  // namespace

ANEMONE_DEFINE_KERNEL(batch_norm) = {.name = "batch_norm", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
