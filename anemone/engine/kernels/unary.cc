#include <algorithm>

#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/row_functions.h"
#include "anemone/engine/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/unary.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

struct Identity {
  template <class D, class V>
  static V of(D, V x, float, float) {
    return x;
  }
};
struct Abs {
  template <class D, class V>
  static V of(D, V x, float, float) {
    return hn::Abs(x);
  }
};
struct Relu {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    return OrNaN(x, hn::Max(x, hn::Zero(d)));
  }
};
// Between a and b.
struct Clip {
  template <class D, class V>
  static V of(D d, V x, float a, float b) {
    return OrNaN(x, hn::Min(hn::Max(x, hn::Set(d, a)), hn::Set(d, b)));
  }
};
// a x below zero.
struct LeakyRelu {
  template <class D, class V>
  static V of(D d, V x, float a, float) {
    return hn::IfThenElse(hn::Ge(x, hn::Zero(d)), x, hn::Mul(hn::Set(d, a), x));
  }
};
struct ClampedRelu {
  template <class D, class V>
  static V of(D d, V x, float a, float b) {
    return OrNaN(x, hn::Min(LeakyRelu::of(d, x, a, 0), hn::Set(d, b)));
  }
};
struct ThresholdedRelu {
  template <class D, class V>
  static V of(D d, V x, float a, float) {
    return hn::IfThenElseZero(hn::Ge(x, hn::Set(d, a)), x);
  }
};
struct Linear {
  template <class D, class V>
  static V of(D d, V x, float a, float b) {
    return hn::MulAdd(hn::Set(d, a), x, hn::Set(d, b));
  }
};
struct SigmoidHard {
  template <class D, class V>
  static V of(D d, V x, float a, float b) {
    return Clip::of(d, Linear::of(d, x, a, b), 0, 1);
  }
};
struct Softsign {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    return hn::Div(x, hn::Add(hn::Set(d, 1.0f), hn::Abs(x)));
  }
};
struct Ceil {
  template <class D, class V>
  static V of(D, V x, float, float) {
    return hn::Ceil(x);
  }
};
struct Floor {
  template <class D, class V>
  static V of(D, V x, float, float) {
    return hn::Floor(x);
  }
};
// Ties to even.
struct Round {
  template <class D, class V>
  static V of(D, V x, float, float) {
    return hn::Round(x);
  }
};
struct Square {
  template <class D, class V>
  static V of(D, V x, float, float) {
    return hn::Mul(x, x);
  }
};
struct Sqrt {
  template <class D, class V>
  static V of(D, V x, float, float) {
    return hn::Sqrt(x);
  }
};
struct Rsqrt {
  template <class D, class V>
  static V of(D d, V x, float epsilon, float) {
    return hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Add(x, hn::Set(d, epsilon))));
  }
};
// x to the power of 0.5 and of -0.5, which differ from the roots where x is -infinity.
struct Root {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    return hn::IfThenElse(hn::Eq(x, hn::Set(d, -HUGE_VALF)), hn::Neg(x),
                          hn::Sqrt(hn::Add(x, hn::Zero(d))));
  }
};
struct InverseRoot {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    const auto y = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::Add(x, hn::Zero(d))));
    return hn::IfThenElse(hn::Eq(x, hn::Set(d, -HUGE_VALF)), hn::Zero(d), y);
  }
};
struct Inverse {
  template <class D, class V>
  static V of(D d, V x, float epsilon, float) {
    return hn::Div(hn::Set(d, 1.0f), hn::Add(x, hn::Set(d, epsilon)));
  }
};
struct Exponential {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    return Exp(d, x);
  }
};
struct Sigmoid {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    const auto one = hn::Set(d, 1.0f);
    return hn::Div(one, hn::Add(one, Exp(d, hn::Neg(x))));
  }
};
// x / (1 + e^(-a x)): silu with a = 1, gelu's sigmoid form with a = 1.702.
struct Silu {
  template <class D, class V>
  static V of(D d, V x, float a, float) {
    const auto e = Exp(d, hn::Mul(hn::Set(d, -a), x));
    return hn::Div(x, hn::Add(hn::Set(d, 1.0f), e));
  }
};
// Cephes' tanhf: a polynomial near 0, where 1 - 2 / (e^2x + 1) would cancel.
// Source: netlib.org/cephes, single/tanhf.c (coefficients).
struct Tanh {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    const auto z = hn::Mul(x, x);
    auto p = hn::Set(d, -5.70498872745e-3f);
    p = hn::MulAdd(p, z, hn::Set(d, 2.06390887954e-2f));
    p = hn::MulAdd(p, z, hn::Set(d, -5.37397155531e-2f));
    p = hn::MulAdd(p, z, hn::Set(d, 1.33314422036e-1f));
    p = hn::MulAdd(p, z, hn::Set(d, -3.33332819422e-1f));
    p = hn::MulAdd(hn::Mul(p, z), x, x);
    const auto magnitude = hn::Abs(x);
    const auto one = hn::Set(d, 1.0f);
    const auto e = Exp(d, hn::Add(magnitude, magnitude));
    const auto far = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(e, one)));
    return hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0.625f)), p, hn::CopySign(far, x));
  }
};
// The value at x of the polynomial with these coefficients, the constant one last.
template <class D, class V, std::size_t kCount>
HWY_INLINE V Polynomial(D d, V x, const float (&coefficients)[kCount]) {
  auto y = hn::Set(d, coefficients[0]);
  for (std::size_t i = 1; i < kCount; ++i) {
    y = hn::MulAdd(y, x, hn::Set(d, coefficients[i]));
  }
  return y;
}
// erf(x) / x - 1 by the square of x, for |x| to 1; fitted to within 1e-7 of erf.
template <class D, class V>
HWY_INLINE V ErfNear(D d, V square) {
  constexpr float kNear[] = {7.8824971120e-05f,  -8.0188549935e-04f, 5.1893119428e-03f,
                             -2.6854328796e-02f, 1.1283597463e-01f,  -3.7612626904e-01f,
                             1.2837916588e-01f};
  return Polynomial(d, square, kNear);
}
// erfc(x), for x from 0.9 on: e^(-x^2) times a polynomial of 1 / (1 + x / 2), fitted to within 2e-7
// of erfc. `square` is that of x, `rest` what it lacks.
template <class D, class V>
HWY_INLINE V ErfcFar(D d, V x, V square, V rest) {
  constexpr float kFar[] = {0.0883929923f, -0.2119869726f, 0.065892604f, 0.0713013232f,
                            0.1750895205f, 0.2477244587f,  0.281956302f, 0.2821021412f};
  const auto one = hn::Set(d, 1.0f);
  const auto z = hn::Div(one, hn::MulAdd(hn::Set(d, 0.5f), x, one));
  const auto scaled = hn::Mul(Polynomial(d, z, kFar), z);
  return hn::Mul(hn::Mul(Exp(d, hn::Neg(square)), hn::Sub(one, rest)), scaled);
}
constexpr float kFarAway = 14;  // where erfc is 0 in fp32
struct Erf {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    const auto magnitude = hn::Min(hn::Abs(x), hn::Set(d, kFarAway));
    const auto square = hn::Mul(magnitude, magnitude);
    const auto near = hn::MulAdd(ErfNear(d, square), x, x);
    const auto far = hn::Sub(hn::Set(d, 1.0f), ErfcFar(d, magnitude, square, hn::Zero(d)));
    const auto y =
        hn::IfThenElse(hn::Lt(magnitude, hn::Set(d, 0.9375f)), near, hn::CopySign(far, x));
    return hn::IfThenElse(hn::IsNaN(x), x, y);
  }
};
// x / 2 (1 + erf(x / sqrt(2))), by erfc where that would cancel.
struct GeluExact {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    const auto half = hn::Set(d, 0.5f);
    const auto magnitude = hn::Min(hn::Abs(x), hn::Set(d, 1.4142135623730951f * kFarAway));
    const auto root = hn::Mul(magnitude, hn::Set(d, 0.70710678118654752f));
    const auto whole = hn::Mul(magnitude, magnitude);
    const auto square = hn::Mul(whole, half);
    // A last place of a large square would be many of its exponential.
    const auto rest = hn::Mul(hn::MulSub(magnitude, magnitude, whole), half);
    const auto near = hn::MulAdd(ErfNear(d, square), root, root);
    const auto tail = hn::Mul(half, ErfcFar(d, root, square, rest));
    const auto far = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0f), tail));
    const auto middle = hn::MulAdd(half, hn::CopySign(near, x), half);
    return hn::Mul(x, hn::IfThenElse(hn::Lt(root, hn::Set(d, 0.9375f)), middle, far));
  }
};
struct GeluTanh {
  template <class D, class V>
  static V of(D d, V x, float, float) {
    const auto cube = hn::Mul(hn::Mul(x, x), x);
    const auto inner = hn::Mul(hn::MulAdd(cube, hn::Set(d, 0.044715f), x),
                               hn::Set(d, 0.797884561f));  // sqrt(2 / pi)
    const auto t = hn::Add(hn::Set(d, 1.0f), Tanh::of(d, inner, 0, 0));
    return hn::Mul(hn::Mul(hn::Set(d, 0.5f), x), t);
  }
};

// y may be x.
template <class Op, bool kRound>
void Row(const float* x, float* y, std::int64_t n, float a, float b) {
  ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
    hn::StoreU(Rounded<kRound>(d, Op::of(d, hn::LoadU(d, x + i), a, b)), d, y + i);
  });
}

#define ANEMONE_UNARY(op)                                                        \
  void op##Exact(const float* x, float* y, std::int64_t n, float a, float b) {   \
    Row<op, false>(x, y, n, a, b);                                               \
  }                                                                              \
  void op##Rounded(const float* x, float* y, std::int64_t n, float a, float b) { \
    Row<op, true>(x, y, n, a, b);                                                \
  }
ANEMONE_UNARY(Abs)
ANEMONE_UNARY(Identity)
ANEMONE_UNARY(Relu)
ANEMONE_UNARY(Clip)
ANEMONE_UNARY(LeakyRelu)
ANEMONE_UNARY(ClampedRelu)
ANEMONE_UNARY(ThresholdedRelu)
ANEMONE_UNARY(Linear)
ANEMONE_UNARY(SigmoidHard)
ANEMONE_UNARY(Softsign)
ANEMONE_UNARY(Ceil)
ANEMONE_UNARY(Floor)
ANEMONE_UNARY(Round)
ANEMONE_UNARY(Square)
ANEMONE_UNARY(Sqrt)
ANEMONE_UNARY(Rsqrt)
ANEMONE_UNARY(Root)
ANEMONE_UNARY(InverseRoot)
ANEMONE_UNARY(Inverse)
ANEMONE_UNARY(Exponential)
ANEMONE_UNARY(Sigmoid)
ANEMONE_UNARY(Silu)
ANEMONE_UNARY(Tanh)
ANEMONE_UNARY(GeluTanh)
ANEMONE_UNARY(GeluExact)
ANEMONE_UNARY(Erf)
#undef ANEMONE_UNARY

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

// Each stem twice, exact and rounded.
// clang-format off
#define ANEMONE_UNARIES(X)                                                                    \
  X(Abs) X(Identity) X(Relu) X(Clip) X(LeakyRelu) X(ClampedRelu) X(ThresholdedRelu) X(Linear) \
  X(SigmoidHard) X(Softsign) X(Ceil) X(Floor) X(Round) X(Square) X(Sqrt) X(Rsqrt) X(Root)     \
  X(InverseRoot) X(Inverse) X(Exponential) X(Sigmoid) X(Silu) X(Tanh) X(GeluTanh)             \
  X(GeluExact) X(Erf)
// clang-format on
#define ANEMONE_EXPORT(op) \
  HWY_EXPORT(op##Exact);   \
  HWY_EXPORT(op##Rounded);
ANEMONE_UNARIES(ANEMONE_EXPORT)
#undef ANEMONE_EXPORT

namespace {

float epsilon_of(const Lowering& l, double otherwise) {
  if (l.has("epsilon")) return static_cast<float>(l.call().number("epsilon"));
  // Left out, it is the default as x's dtype holds it.
  const auto value = static_cast<float>(otherwise);
  return l.rounds() ? round_to_f16(value) : value;
}

}  // namespace

UnaryChoice choose_unary(const Lowering& l) {
  const std::string_view op = l.op().type();
  const bool rounds = l.rounds();
  const auto number = [&](const char* parameter) {
    return static_cast<float>(l.call().number(parameter));
  };
#define ANEMONE_ROW(stem) \
  (rounds ? &HWY_DYNAMIC_DISPATCH(stem##Rounded) : &HWY_DYNAMIC_DISPATCH(stem##Exact))
  if (op == "abs") return {ANEMONE_ROW(Abs)};
  if (op == "relu") return {ANEMONE_ROW(Relu)};
  if (op == "relu6") return {ANEMONE_ROW(Clip), 0, 6};
  if (op == "clip") {
    return {ANEMONE_ROW(Clip), number("alpha"), number("beta")};
  }
  if (op == "leaky_relu") return {ANEMONE_ROW(LeakyRelu), number("alpha")};
  if (op == "clamped_relu") return {ANEMONE_ROW(ClampedRelu), number("alpha"), number("beta")};
  if (op == "thresholded_relu") return {ANEMONE_ROW(ThresholdedRelu), number("alpha")};
  if (op == "linear_activation") return {ANEMONE_ROW(Linear), number("alpha"), number("beta")};
  if (op == "sigmoid_hard") return {ANEMONE_ROW(SigmoidHard), number("alpha"), number("beta")};
  if (op == "softsign") return {ANEMONE_ROW(Softsign)};
  if (op == "ceil") return {ANEMONE_ROW(Ceil)};
  if (op == "floor") return {ANEMONE_ROW(Floor)};
  if (op == "round") return {ANEMONE_ROW(Round)};
  if (op == "square") return {ANEMONE_ROW(Square)};
  if (op == "pow") {
    const Tensor* power = l.constant("y");
    const bool is_known = power != nullptr && power->count() == 1 &&
                          is_float(l.output_type().dtype) &&
                          l.value("x").type.shape == l.output_type().shape;
    if (!is_known) return {};
    if (power->number(0) == 2) return {ANEMONE_ROW(Square)};
    if (power->number(0) == 0.5) return {ANEMONE_ROW(Root)};
    if (power->number(0) == -0.5) return {ANEMONE_ROW(InverseRoot)};
    return {};
  }
  if (op == "sqrt") return {ANEMONE_ROW(Sqrt)};
  if (op == "rsqrt") return {ANEMONE_ROW(Rsqrt), epsilon_of(l, 1e-12)};
  if (op == "inverse") return {ANEMONE_ROW(Inverse), epsilon_of(l, 1e-4)};
  if (op == "exp") return {ANEMONE_ROW(Exponential)};
  if (op == "sigmoid") return {ANEMONE_ROW(Sigmoid)};
  if (op == "silu") return {ANEMONE_ROW(Silu), 1};
  if (op == "tanh") return {ANEMONE_ROW(Tanh)};
  if (op == "gelu") {
    const std::string mode = l.call().text("mode");
    if (mode == "TANH_APPROXIMATION") return {ANEMONE_ROW(GeluTanh)};
    if (mode == "SIGMOID_APPROXIMATION") return {ANEMONE_ROW(Silu), 1.702f};
    return {ANEMONE_ROW(GeluExact)};
  }
  if (op == "erf") return {ANEMONE_ROW(Erf)};
#undef ANEMONE_ROW
  return {};
}

UnaryFunction leaky_relu_row(bool rounds) {
  return rounds ? &HWY_DYNAMIC_DISPATCH(LeakyReluRounded) : &HWY_DYNAMIC_DISPATCH(LeakyReluExact);
}

UnaryFunction rounding_row() { return &HWY_DYNAMIC_DISPATCH(IdentityRounded); }

namespace {

class Unary : public Kernel {
 public:
  Unary(const UnaryChoice& choice, const View& x, const View& y)
      : choice_(choice), rows_(y.shape, {&x, &y}) {}

  void run(const Run& run) const override {
    const float* x = run.in<float>(0);
    float* y = run.out<float>(1);
    rows_.share(run, [&](const auto& at, std::int64_t n) {
      choice_.row(x + at[0], y + at[1], n, choice_.a, choice_.b);
    });
  }

 private:
  UnaryChoice choice_;
  Rows<2> rows_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  if (!is_float(l.value("x").type.dtype)) return nullptr;
  const UnaryChoice choice = choose_unary(l);
  if (choice.row == nullptr) return nullptr;
  // A row that stands still is no row of numbers here.
  const View seen = l.runs("x");
  const View x = Rows<1>(seen.shape, {&seen}).stride(0) == 1 ? seen : l.dense("x");
  const int from = l.read(x);
  const int y = l.write_over({from});
  return std::make_unique<Unary>(choice, x, l.operands()[static_cast<std::size_t>(y)]);
}

constexpr std::string_view kOps[] = {
    "abs",          "ceil",    "clamped_relu",    "clip", "erf",      "exp",   "floor",
    "gelu",         "inverse", "leaky_relu",      "pow",  "relu",     "relu6", "linear_activation",
    "round",        "rsqrt",   "sigmoid",         "silu", "softsign", "sqrt",  "square",
    "sigmoid_hard", "tanh",    "thresholded_relu"};

}  // namespace

bool has_unary_row(std::string_view op) {
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

ANEMONE_DEFINE_KERNEL(unary) = {.name = "unary", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
