#include "anemone/engine/kernels/rows.h"

namespace anemone::engine {
namespace {

// y = cond ? a : b, broadcast.
template <typename T>
class Select : public Kernel {
 public:
  explicit Select(Rows<4> rows) : rows_(std::move(rows)) {}

  void run(const Run& run) const override {
    const auto* cond = run.in<std::uint8_t>(0);
    const T* a = run.in<T>(1);
    const T* b = run.in<T>(2);
    T* y = run.out<T>(3);
    rows_.share(run, [&](const auto& at, std::int64_t n) {
      const std::uint8_t* c = cond + at[0];
      const T* p = a + at[1];
      const T* q = b + at[2];
      T* out = y + at[3];
      for (std::int64_t i = 0; i < n; ++i) {
        out[i] = c[i * rows_.stride(0)] != 0 ? p[i * rows_.stride(1)] : q[i * rows_.stride(2)];
      }
    });
  }

 private:
  Rows<4> rows_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const mil::Type& type = l.output_type();
  for (const std::string_view parameter : {"a", "b"}) {
    if (is_float(l.value(parameter).type.dtype) != is_float(type.dtype)) return nullptr;
  }
  const View cond = l.view("cond");
  const View a = is_float(type.dtype) ? l.runs("a") : l.view("a");
  const View b = is_float(type.dtype) ? l.runs("b") : l.view("b");
  const int test = l.read(cond);
  const int yes = l.read(a);
  const int no = l.read(b);
  const int output = l.write_over({yes, no, test});
  const View y = l.operands()[static_cast<std::size_t>(output)];
  Rows<4> rows(type.shape, {&cond, &a, &b, &y});
  // Elements move; what they mean does not matter.
  if (width_bits(y.stored) == 32) return std::make_unique<Select<std::uint32_t>>(std::move(rows));
  return std::make_unique<Select<std::uint8_t>>(std::move(rows));
}

constexpr std::string_view kOps[] = {"select"};

}  // namespace

ANEMONE_DEFINE_KERNEL(select) = {.name = "select", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
