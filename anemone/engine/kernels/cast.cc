#include <cmath>
#include <cstring>
#include <limits>

#include "anemone/engine/kernels/rows.h"
#include "anemone/engine/transfer.h"

namespace anemone::engine {
namespace {

// Out-of-range numbers saturate and fractions are cut off, as `convert` of tensors does.
std::int32_t to_int(float value) {
  if (std::isnan(value)) return 0;
  if (value >= 2147483648.0f) return std::numeric_limits<std::int32_t>::max();
  if (value < -2147483648.0f) return std::numeric_limits<std::int32_t>::min();
  return static_cast<std::int32_t>(value);
}
float from_int(std::int32_t value) { return static_cast<float>(value); }
float from_int_rounded(std::int32_t value) { return round_to_f16(static_cast<float>(value)); }
float from_bool(std::uint8_t value) { return value != 0 ? 1.0f : 0.0f; }
std::uint8_t to_bool(float value) { return value != 0 ? 1 : 0; }
std::int32_t int_from_bool(std::uint8_t value) { return value != 0 ? 1 : 0; }
std::uint8_t bool_from_int(std::int32_t value) { return value != 0 ? 1 : 0; }

template <typename From, typename To, To (*kOf)(From)>
class Cast : public Kernel {
 public:
  Cast(const View& x, const View& y) : rows_(y.shape, {&x, &y}) {}

  void run(const Run& run) const override {
    // As bytes: y may be x, which holds numbers of another type.
    const auto* x = run.in<std::byte>(0);
    auto* y = run.out<std::byte>(1);
    rows_.share(run, [&](const auto& at, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) {
        From from;
        std::memcpy(&from, x + (at[0] + i * rows_.stride(0)) * std::int64_t{sizeof(From)},
                    sizeof(From));
        const To to = kOf(from);
        std::memcpy(y + (at[1] + i) * std::int64_t{sizeof(To)}, &to, sizeof(To));
      }
    });
  }

 private:
  Rows<2> rows_;
};

// From fp32 to fp16: a rounding.
class Round : public Kernel {
 public:
  Round(const View& x, const View& y) : transfer_(x, y, true) {}
  void run(const Run& run) const override {
    transfer_.run(run.in<std::byte>(0), run.out<std::byte>(1));
  }

 private:
  Transfer transfer_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const DType from = l.value("x").type.dtype;
  const DType to = l.output_type().dtype;
  const auto is_known = [](DType dtype) {
    return is_float(dtype) || dtype == DType::kI32 || dtype == DType::kBool;
  };
  if (!is_known(from) || !is_known(to) || from == to) return nullptr;
  const bool rounds = l.rounds();
  const View x = is_float(from) ? l.runs("x") : l.view("x");
  const int input = l.read(x);
  const int output = l.write_over({input});
  const View y = l.operands()[static_cast<std::size_t>(output)];
  if (is_float(from)) {
    if (is_float(to)) return std::make_unique<Round>(x, y);
    if (to == DType::kI32) return std::make_unique<Cast<float, std::int32_t, to_int>>(x, y);
    return std::make_unique<Cast<float, std::uint8_t, to_bool>>(x, y);
  }
  if (from == DType::kI32) {
    if (to == DType::kBool) {
      return std::make_unique<Cast<std::int32_t, std::uint8_t, bool_from_int>>(x, y);
    }
    if (rounds) return std::make_unique<Cast<std::int32_t, float, from_int_rounded>>(x, y);
    return std::make_unique<Cast<std::int32_t, float, from_int>>(x, y);
  }
  if (is_float(to)) return std::make_unique<Cast<std::uint8_t, float, from_bool>>(x, y);
  return std::make_unique<Cast<std::uint8_t, std::int32_t, int_from_bool>>(x, y);
}

constexpr std::string_view kOps[] = {"cast"};

}  // namespace

ANEMONE_DEFINE_KERNEL(cast) = {.name = "cast", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
