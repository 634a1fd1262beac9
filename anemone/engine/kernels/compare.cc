#include "anemone/engine/kernels/rows.h"

namespace anemone::engine {
namespace {

template <typename T>
using Test = bool (*)(T, T);

template <typename T>
struct Tests {
  static bool equal(T x, T y) { return x == y; }
  static bool not_equal(T x, T y) { return x != y; }
  static bool less(T x, T y) { return x < y; }
  static bool less_equal(T x, T y) { return x <= y; }
  static bool greater(T x, T y) { return x > y; }
  static bool greater_equal(T x, T y) { return x >= y; }
};

// z = test(x, y), broadcast.
template <typename T, Test<T> kTest>
class Compare : public Kernel {
 public:
  explicit Compare(Rows<3> rows) : rows_(std::move(rows)) {}

  void run(const Run& run) const override {
    const T* x = run.in<T>(0);
    const T* y = run.in<T>(1);
    auto* z = run.out<std::uint8_t>(2);
    rows_.share(run, [&](const auto& at, std::int64_t n) {
      const T* a = x + at[0];
      const T* b = y + at[1];
      std::uint8_t* out = z + at[2];
      for (std::int64_t i = 0; i < n; ++i) {
        out[i] = kTest(a[i * rows_.stride(0)], b[i * rows_.stride(1)]) ? 1 : 0;
      }
    });
  }

 private:
  Rows<3> rows_;
};

template <typename T>
std::unique_ptr<Kernel> make(std::string_view op, Rows<3> rows) {
  using Of = Tests<T>;
  if (op == "equal") return std::make_unique<Compare<T, Of::equal>>(std::move(rows));
  if (op == "not_equal") return std::make_unique<Compare<T, Of::not_equal>>(std::move(rows));
  if (op == "less") return std::make_unique<Compare<T, Of::less>>(std::move(rows));
  if (op == "less_equal") return std::make_unique<Compare<T, Of::less_equal>>(std::move(rows));
  if (op == "greater") return std::make_unique<Compare<T, Of::greater>>(std::move(rows));
  return std::make_unique<Compare<T, Of::greater_equal>>(std::move(rows));
}

std::unique_ptr<Kernel> plan(Lowering& l) {
  const bool floats = is_float(l.value("x").type.dtype) && is_float(l.value("y").type.dtype);
  const bool ints =
      l.value("x").type.dtype == DType::kI32 && l.value("y").type.dtype == DType::kI32;
  if (!floats && !ints) return nullptr;
  const View x = floats ? l.runs("x") : l.view("x");
  const View y = floats ? l.runs("y") : l.view("y");
  l.read(x);
  l.read(y);
  const int output = l.write();
  const View z = l.operands()[static_cast<std::size_t>(output)];
  Rows<3> rows(l.output_type().shape, {&x, &y, &z});
  return floats ? make<float>(l.op().type(), std::move(rows))
                : make<std::int32_t>(l.op().type(), std::move(rows));
}

constexpr std::string_view kOps[] = {"equal", "greater",    "greater_equal",
                                     "less",  "less_equal", "not_equal"};

}  // namespace

ANEMONE_DEFINE_KERNEL(compare) = {.name = "compare", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
