#include <cstring>

#include "anemone/base/error.h"
#include "anemone/engine/kernels/rows.h"
#include "anemone/engine/transfer.h"

namespace anemone::engine {
namespace {

// Rows of x along one axis, at indices that a call brings.
class Gather : public Kernel {
 public:
  Gather(const Around& around, std::int64_t count, bool validates, DType stored, DType to,
         std::string where)
      : around_(around),
        count_(count),
        validates_(validates),
        x_row_bytes_(around.inner * width_bits(stored) / 8),
        y_row_bytes_(around.inner * width_bits(to) / 8),
        row_(dense_view(-1, stored, {around.inner}), dense_view(-1, to, {around.inner})),
        where_(std::move(where)) {}

  void run(const Run& run) const override {
    const auto* x = run.in<std::byte>(0);
    const auto* indices = run.in<std::int32_t>(1);
    auto* y = run.out<std::byte>(2);
    for (std::int64_t i = 0; i < count_; ++i) check(indices[i]);
    const std::int64_t grain =
        std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, around_.inner));
    run.share(around_.outer * count_, grain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        const std::int64_t from = row / count_ * around_.middle + place(indices[row % count_]);
        row_.run(x + from * x_row_bytes_, y + row * y_row_bytes_);
      }
    });
  }

 private:
  void check(std::int64_t index) const {
    if (!validates_ || (index >= 0 && index < around_.middle)) return;
    throw Error(Code::kBadInput, where_ + ": parameter 'indices' holds " + std::to_string(index) +
                                     "; allowed: 0 to " + std::to_string(around_.middle - 1));
  }
  // What the catalogue says of indices outside: negative ones count from the end, the rest mean
  // the nearest inside.
  std::int64_t place(std::int64_t index) const {
    if (index < 0) index += around_.middle;
    return std::clamp<std::int64_t>(index, 0, around_.middle - 1);
  }

  Around around_;
  std::int64_t count_;
  bool validates_;
  std::int64_t x_row_bytes_;
  std::int64_t y_row_bytes_;
  Transfer row_;
  std::string where_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const mil::Type& type = l.output_type();
  View x = l.view("x");
  const DType to = is_float(type.dtype) ? DType::kF32 : type.dtype;
  const bool batched =
      l.call().def().find_input("batch_dims") != nullptr && l.call().integer("batch_dims") != 0;
  if (batched || l.view("indices").stored != DType::kI32 || !Transfer::can(x.stored, to)) {
    return nullptr;
  }
  const auto axis =
      static_cast<std::size_t>(l.call().axis("axis", static_cast<std::int64_t>(x.shape.size())));
  const Around around(x.shape, axis, axis + 1);
  if (around.middle == 0) return nullptr;
  // A table of weights is read where it lies.
  if (!x.is_dense()) x = l.dense("x");
  const bool validates =
      l.call().opset() >= mil::Opset::kIos17 && l.call().boolean("validate_indices");
  l.read(x);
  l.read_dense("indices");
  l.write();
  return std::make_unique<Gather>(around, element_count(l.value("indices").type.shape), validates,
                                  x.stored, to, l.call().where());
}

constexpr std::string_view kOps[] = {"gather"};

}  // namespace

ANEMONE_DEFINE_KERNEL(gather) = {.name = "gather", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
