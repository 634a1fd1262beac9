#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/row_functions.h"
#include "anemone/engine/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/binary.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

struct Add {
  template <class V>
  static V of(V x, V y) {
    return hn::Add(x, y);
  }
};
struct Sub {
  template <class V>
  static V of(V x, V y) {
    return hn::Sub(x, y);
  }
};
struct Mul {
  template <class V>
  static V of(V x, V y) {
    return hn::Mul(x, y);
  }
};
struct Divide {
  template <class V>
  static V of(V x, V y) {
    return hn::Div(x, y);
  }
};
struct Maximum {
  template <class V>
  static V of(V x, V y) {
    return OrNaN(x, OrNaN(y, hn::Max(x, y)));
  }
};
struct Minimum {
  template <class V>
  static V of(V x, V y) {
    return OrNaN(x, OrNaN(y, hn::Min(x, y)));
  }
};

// z = x op y along a row; an operand with stride 0 is one number. z may be an operand of stride 1.
template <class Op, bool kRound>
void Row(const float* x, std::int64_t x_stride, const float* y, std::int64_t y_stride, float* z,
         std::int64_t n) {
  if (x_stride == 1 && y_stride == 1) {
    ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
      hn::StoreU(Rounded<kRound>(d, Op::of(hn::LoadU(d, x + i), hn::LoadU(d, y + i))), d, z + i);
    });
  } else if (n > 0 && x_stride == 1) {
    const float number = *y;
    ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
      hn::StoreU(Rounded<kRound>(d, Op::of(hn::LoadU(d, x + i), hn::Set(d, number))), d, z + i);
    });
  } else if (n > 0 && y_stride == 1) {
    const float number = *x;
    ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
      hn::StoreU(Rounded<kRound>(d, Op::of(hn::Set(d, number), hn::LoadU(d, y + i))), d, z + i);
    });
  } else if (n > 0) {
    const float a = *x, b = *y;
    ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
      hn::StoreU(Rounded<kRound>(d, Op::of(hn::Set(d, a), hn::Set(d, b))), d, z + i);
    });
  }
}

#define ANEMONE_BINARY(op)                                                                     \
  void op##Exact(const float* x, std::int64_t xs, const float* y, std::int64_t ys, float* z,   \
                 std::int64_t n) {                                                             \
    Row<op, false>(x, xs, y, ys, z, n);                                                        \
  }                                                                                            \
  void op##Rounded(const float* x, std::int64_t xs, const float* y, std::int64_t ys, float* z, \
                   std::int64_t n) {                                                           \
    Row<op, true>(x, xs, y, ys, z, n);                                                         \
  }
ANEMONE_BINARY(Add)
ANEMONE_BINARY(Sub)
ANEMONE_BINARY(Mul)
ANEMONE_BINARY(Divide)
ANEMONE_BINARY(Maximum)
ANEMONE_BINARY(Minimum)
#undef ANEMONE_BINARY

template <class D>
HWY_INLINE hn::Vec<D> LoadOr(D d, const float* p, std::int64_t stride, std::int64_t i) {
  return stride == 0 ? hn::Set(d, *p) : hn::LoadU(d, p + i);
}

template <class Test>
HWY_INLINE void SelectBy(const SelectArguments& s, float* out, std::int64_t n, const Test& test) {
  ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
    const auto mask = test(LoadOr(d, s.x, s.x_stride, i), LoadOr(d, s.y, s.y_stride, i));
    const auto a = LoadOr(d, s.a, s.a_stride, i);
    const auto b = LoadOr(d, s.b, s.b_stride, i);
    hn::StoreU(hn::IfThenElse(mask, a, b), d, out + i);
  });
}
void SelectGreater(const SelectArguments& s, float* out, std::int64_t n) {
  SelectBy(s, out, n, [](auto x, auto y) HWY_ATTR { return hn::Gt(x, y); });
}
void SelectGreaterEqual(const SelectArguments& s, float* out, std::int64_t n) {
  SelectBy(s, out, n, [](auto x, auto y) HWY_ATTR { return hn::Ge(x, y); });
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(AddExact);
HWY_EXPORT(AddRounded);
HWY_EXPORT(SubExact);
HWY_EXPORT(SubRounded);
HWY_EXPORT(MulExact);
HWY_EXPORT(MulRounded);
HWY_EXPORT(DivideExact);
HWY_EXPORT(DivideRounded);
HWY_EXPORT(MaximumExact);
HWY_EXPORT(MaximumRounded);
HWY_EXPORT(MinimumExact);
HWY_EXPORT(MinimumRounded);
HWY_EXPORT(SelectGreater);
HWY_EXPORT(SelectGreaterEqual);

BinaryFunction choose_binary(std::string_view op, bool rounds) {
#define ANEMONE_BINARY(name, stem)                                                             \
  if (op == name) {                                                                            \
    return rounds ? &HWY_DYNAMIC_DISPATCH(stem##Rounded) : &HWY_DYNAMIC_DISPATCH(stem##Exact); \
  }
  ANEMONE_BINARY("add", Add)
  ANEMONE_BINARY("sub", Sub)
  ANEMONE_BINARY("mul", Mul)
  ANEMONE_BINARY("real_div", Divide)
  ANEMONE_BINARY("maximum", Maximum)
  ANEMONE_BINARY("minimum", Minimum)
#undef ANEMONE_BINARY
  return nullptr;
}

SelectFunction choose_select(std::string_view comparison) {
  if (comparison == "greater") return &HWY_DYNAMIC_DISPATCH(SelectGreater);
  if (comparison == "greater_equal") return &HWY_DYNAMIC_DISPATCH(SelectGreaterEqual);
  return nullptr;
}

namespace {

using IntRow = void (*)(const std::int32_t*, std::int64_t, const std::int32_t*, std::int64_t,
                        std::int32_t*, std::int64_t);

// Index arithmetic: short, and wrapping like the two's complement that MIL's int32 is.
template <std::int32_t (*kOf)(std::int32_t, std::int32_t)>
void int_row_of(const std::int32_t* x, std::int64_t xs, const std::int32_t* y, std::int64_t ys,
                std::int32_t* z, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) z[i] = kOf(x[i * xs], y[i * ys]);
}
std::int32_t wrap(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }
std::uint32_t bits_of(std::int32_t value) { return static_cast<std::uint32_t>(value); }
std::int32_t add(std::int32_t x, std::int32_t y) { return wrap(bits_of(x) + bits_of(y)); }
std::int32_t sub(std::int32_t x, std::int32_t y) { return wrap(bits_of(x) - bits_of(y)); }
std::int32_t mul(std::int32_t x, std::int32_t y) { return wrap(bits_of(x) * bits_of(y)); }
std::int32_t larger(std::int32_t x, std::int32_t y) { return std::max(x, y); }
std::int32_t smaller(std::int32_t x, std::int32_t y) { return std::min(x, y); }

IntRow int_row(std::string_view op) {
  if (op == "add") return int_row_of<add>;
  if (op == "sub") return int_row_of<sub>;
  if (op == "mul") return int_row_of<mul>;
  if (op == "maximum") return int_row_of<larger>;
  if (op == "minimum") return int_row_of<smaller>;
  return nullptr;
}

template <typename T, typename RowFunction>
class Binary : public Kernel {
 public:
  Binary(RowFunction row, const Shape& shape, const View& x, const View& y, const View& z)
      : row_(row), rows_(shape, {&x, &y, &z}) {}

  void run(const Run& run) const override {
    const T* x = run.in<T>(0);
    const T* y = run.in<T>(1);
    T* z = run.out<T>(2);
    rows_.share(run, [&](const auto& at, std::int64_t n) {
      row_(x + at[0], rows_.stride(0), y + at[1], rows_.stride(1), z + at[2], n);
    });
  }

 private:
  RowFunction row_;
  Rows<3> rows_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const mil::Type& type = l.output_type();
  const std::string_view op = l.op().type();
  if (is_float(type.dtype)) {
    if (!is_float(l.value("x").type.dtype) || !is_float(l.value("y").type.dtype)) return nullptr;
    const BinaryFunction row = choose_binary(op, l.rounds());
    if (row == nullptr) return nullptr;
    const View x = l.runs("x");
    const View y = l.runs("y");
    const int a = l.read(x);
    const int b = l.read(y);
    const int z = l.write_over({a, b});
    return std::make_unique<Binary<float, BinaryFunction>>(
        row, type.shape, x, y, l.operands()[static_cast<std::size_t>(z)]);
  }
  const IntRow row = int_row(op);
  if (row == nullptr || l.value("x").type.dtype != DType::kI32 ||
      l.value("y").type.dtype != DType::kI32 || type.dtype != DType::kI32) {
    return nullptr;
  }
  const View x = l.view("x");
  const View y = l.view("y");
  const int a = l.read(x);
  const int b = l.read(y);
  const int z = l.write_over({a, b});
  return std::make_unique<Binary<std::int32_t, IntRow>>(row, type.shape, x, y,
                                                        l.operands()[static_cast<std::size_t>(z)]);
}

constexpr std::string_view kOps[] = {"add", "sub", "mul", "real_div", "maximum", "minimum"};

}  // namespace

ANEMONE_DEFINE_KERNEL(binary) = {.name = "binary", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
