#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include <cmath>

#include "anemone/engine/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/softmax.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/softmax-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

template <bool kRound>
void RowsOf(const float* x, float* y, std::int64_t length, std::int64_t, std::int64_t begin,
            std::int64_t end) {
  for (std::int64_t row = begin; row < end; ++row) {
    SoftmaxRow<kRound>(x + row * length, y + row * length, length);
  }
}

// Softmax down the columns of a [length, inner] matrix, for columns [begin, end).
template <bool kRound>
void ColumnsOf(const float* x, float* y, std::int64_t length, std::int64_t inner,
               std::int64_t begin, std::int64_t end) {
  ForEach(end - begin, [&](auto d, std::int64_t i) HWY_ATTR {
    const float* from = x + begin + i;
    float* to = y + begin + i;
    auto top = hn::LoadU(d, from);
    for (std::int64_t k = 1; k < length; ++k) top = hn::Max(top, hn::LoadU(d, from + k * inner));
    auto sum = hn::Zero(d);
    for (std::int64_t k = 0; k < length; ++k) {
      const auto e = Exp(d, hn::Sub(hn::LoadU(d, from + k * inner), top));
      hn::StoreU(e, d, to + k * inner);
      sum = hn::Add(sum, e);
    }
    const auto factor = hn::Div(hn::Set(d, 1.0f), sum);
    for (std::int64_t k = 0; k < length; ++k) {
      const auto scaled = hn::Mul(hn::LoadU(d, to + k * inner), factor);
      hn::StoreU(Rounded<kRound>(d, scaled), d, to + k * inner);
    }
  });
}

#define ANEMONE_SOFTMAX(name, stem, round)                                                         \
  void name(const float* x, float* y, std::int64_t length, std::int64_t inner, std::int64_t begin, \
            std::int64_t end) {                                                                    \
    stem<round>(x, y, length, inner, begin, end);                                                  \
  }
ANEMONE_SOFTMAX(RowsExact, RowsOf, false)
ANEMONE_SOFTMAX(RowsRounded, RowsOf, true)
ANEMONE_SOFTMAX(ColumnsExact, ColumnsOf, false)
ANEMONE_SOFTMAX(ColumnsRounded, ColumnsOf, true)
#undef ANEMONE_SOFTMAX

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

using Function = void (*)(const float*, float*, std::int64_t, std::int64_t, std::int64_t,
                          std::int64_t);

class Softmax : public Kernel {
 public:
  Softmax(const Around& around, bool rounds) : around_(around) {
    if (around.inner == 1) {
      function_ = rounds ? &HWY_DYNAMIC_DISPATCH(RowsRounded) : &HWY_DYNAMIC_DISPATCH(RowsExact);
    } else {
      function_ =
          rounds ? &HWY_DYNAMIC_DISPATCH(ColumnsRounded) : &HWY_DYNAMIC_DISPATCH(ColumnsExact);
    }
  }

  void run(const Run& run) const override {
    const float* x = run.in<float>(0);
    float* y = run.out<float>(1);
    if (around_.middle == 0) return;
    share_around(run, around_, [&](std::int64_t outer, std::int64_t begin, std::int64_t end) {
      const std::int64_t at = outer * around_.middle * around_.inner;
      function_(x + at, y + at, around_.middle, around_.inner, begin, end);
    });
  }

 private:
  Around around_;
  Function function_ = nullptr;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const Shape& shape = l.output_type().shape;
  const auto axis =
      static_cast<std::size_t>(l.call().axis("axis", static_cast<std::int64_t>(shape.size())));
  const int x = l.read_dense("x");
  l.write_over({x});
  return std::make_unique<Softmax>(Around(shape, axis, axis + 1), l.rounds());
}

constexpr std::string_view kOps[] = {"softmax"};

}  // namespace

ANEMONE_DEFINE_KERNEL(softmax) = {.name = "softmax", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
