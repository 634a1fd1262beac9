#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/row_functions.h"
#include "anemone/engine/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/reduce.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

struct Sum {
  static constexpr float kStart = 0;
  template <class V>
  static V join(V all, V x) {
    return hn::Add(all, x);
  }
  template <class D, class V>
  static float across(D d, V all) {
    return hn::GetLane(hn::SumOfLanes(d, all));
  }
};
struct SumSquare : Sum {
  template <class V>
  static V join(V all, V x) {
    return hn::MulAdd(x, x, all);
  }
};
struct Root : SumSquare {};  // of the sum of squares
struct Largest {
  static constexpr float kStart = -HUGE_VALF;
  template <class V>
  static V join(V all, V x) {
    return OrNaN(all, OrNaN(x, hn::Max(all, x)));
  }
  template <class D, class V>
  static float across(D d, V all) {
    return hn::AllFalse(d, hn::IsNaN(all)) ? hn::GetLane(hn::MaxOfLanes(d, all)) : NAN;
  }
};
struct Smallest {
  static constexpr float kStart = HUGE_VALF;
  template <class V>
  static V join(V all, V x) {
    return OrNaN(all, OrNaN(x, hn::Min(all, x)));
  }
  template <class D, class V>
  static float across(D d, V all) {
    return hn::AllFalse(d, hn::IsNaN(all)) ? hn::GetLane(hn::MinOfLanes(d, all)) : NAN;
  }
};

// Chains are joined as numbers, whatever is done to each element.
template <class Op, class V>
HWY_INLINE V Join(V a, V b) {
  if constexpr (std::is_base_of_v<Sum, Op>) {
    return hn::Add(a, b);
  } else {
    return Op::join(a, b);
  }
}

template <class Op, class D, class V>
HWY_INLINE V Finish(D d, V all, float factor, bool rounds) {
  V y = hn::Mul(all, hn::Set(d, factor));
  if constexpr (std::is_same_v<Op, Root>) y = hn::Sqrt(y);
  return rounds ? RoundHalf(d, y) : y;
}

template <class Op>
void ReduceRows(const ReduceArguments& a, std::int64_t begin, std::int64_t end, bool rounds) {
  const DF d;
  const hn::CappedTag<float, 1> d1;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t row = begin; row < end; ++row) {
    const float* x = a.x + row * a.length;
    const VF start = hn::Set(d, Op::kStart);
    VF all[4] = {start, start, start, start};
    std::int64_t i = 0;
    for (; i + 4 * lanes <= a.length; i += 4 * lanes) {
      for (int s = 0; s < 4; ++s) all[s] = Op::join(all[s], hn::LoadU(d, x + i + s * lanes));
    }
    for (; i + lanes <= a.length; i += lanes) all[0] = Op::join(all[0], hn::LoadU(d, x + i));
    float y = Op::across(d, Join<Op>(Join<Op>(all[0], all[1]), Join<Op>(all[2], all[3])));
    auto rest = hn::Set(d1, y);
    for (; i < a.length; ++i) rest = Op::join(rest, hn::LoadU(d1, x + i));
    a.y[row] = hn::GetLane(Finish<Op>(d1, rest, a.factor, rounds));
  }
}

template <class Op>
void ReduceColumns(const ReduceArguments& a, std::int64_t begin, std::int64_t end, bool rounds) {
  ForEach(end - begin, [&](auto d, std::int64_t i) HWY_ATTR {
    const float* x = a.x + begin + i;
    const auto start = hn::Set(d, Op::kStart);
    auto all0 = start, all1 = start, all2 = start, all3 = start;
    std::int64_t k = 0;
    for (; k + 4 <= a.length; k += 4) {
      all0 = Op::join(all0, hn::LoadU(d, x + k * a.inner));
      all1 = Op::join(all1, hn::LoadU(d, x + (k + 1) * a.inner));
      all2 = Op::join(all2, hn::LoadU(d, x + (k + 2) * a.inner));
      all3 = Op::join(all3, hn::LoadU(d, x + (k + 3) * a.inner));
    }
    for (; k < a.length; ++k) all0 = Op::join(all0, hn::LoadU(d, x + k * a.inner));
    const auto all = Join<Op>(Join<Op>(all0, all1), Join<Op>(all2, all3));
    hn::StoreU(Finish<Op>(d, all, a.factor, rounds), d, a.y + begin + i);
  });
}

#define ANEMONE_REDUCE(op)                                                                        \
  void op##Rows(const ReduceArguments& a, std::int64_t begin, std::int64_t end, bool rounds) {    \
    ReduceRows<op>(a, begin, end, rounds);                                                        \
  }                                                                                               \
  void op##Columns(const ReduceArguments& a, std::int64_t begin, std::int64_t end, bool rounds) { \
    ReduceColumns<op>(a, begin, end, rounds);                                                     \
  }
ANEMONE_REDUCE(Sum)
ANEMONE_REDUCE(SumSquare)
ANEMONE_REDUCE(Root)
ANEMONE_REDUCE(Largest)
ANEMONE_REDUCE(Smallest)
#undef ANEMONE_REDUCE

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(SumRows);
HWY_EXPORT(SumColumns);
HWY_EXPORT(SumSquareRows);
HWY_EXPORT(SumSquareColumns);
HWY_EXPORT(RootRows);
HWY_EXPORT(RootColumns);
HWY_EXPORT(LargestRows);
HWY_EXPORT(LargestColumns);
HWY_EXPORT(SmallestRows);
HWY_EXPORT(SmallestColumns);

ReduceFunction choose_reduce(std::string_view op, bool by_rows) {
#define ANEMONE_REDUCE(stem) \
  (by_rows ? &HWY_DYNAMIC_DISPATCH(stem##Rows) : &HWY_DYNAMIC_DISPATCH(stem##Columns))
  if (op == "reduce_sum" || op == "reduce_mean") return ANEMONE_REDUCE(Sum);
  if (op == "reduce_sum_square") return ANEMONE_REDUCE(SumSquare);
  if (op == "reduce_l2_norm") return ANEMONE_REDUCE(Root);
  if (op == "reduce_max") return ANEMONE_REDUCE(Largest);
  if (op == "reduce_min") return ANEMONE_REDUCE(Smallest);
#undef ANEMONE_REDUCE
  return nullptr;
}

namespace {

class Reduce : public Kernel {
 public:
  Reduce(ReduceFunction function, const Around& around, float factor, bool rounds)
      : function_(function), around_(around), factor_(factor), rounds_(rounds) {}

  void run(const Run& run) const override {
    const ReduceArguments a{run.in<float>(0), run.out<float>(1), around_.middle, around_.inner,
                            factor_};
    share_around(run, around_, [&](std::int64_t outer, std::int64_t begin, std::int64_t end) {
      ReduceArguments part = a;
      part.x += outer * around_.middle * around_.inner;
      part.y += outer * around_.inner;
      function_(part, begin, end, rounds_);
    });
  }

 private:
  ReduceFunction function_;
  Around around_;
  float factor_;
  bool rounds_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const mil::Type& x = l.value("x").type;
  if (!is_float(x.dtype)) return nullptr;
  const auto around = around_axes(x.shape, l, "axes");
  if (!around || around->middle == 0) return nullptr;
  const float factor = reduce_factor(l.op().type(), around->middle);
  const ReduceFunction function = choose_reduce(l.op().type(), around->inner == 1);
  l.read_dense("x");
  l.write();
  return std::make_unique<Reduce>(function, *around, factor, l.rounds());
}

constexpr std::string_view kOps[] = {"reduce_l2_norm", "reduce_max", "reduce_mean",
                                     "reduce_min",     "reduce_sum", "reduce_sum_square"};

}  // namespace

ANEMONE_DEFINE_KERNEL(reduce) = {.name = "reduce", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
