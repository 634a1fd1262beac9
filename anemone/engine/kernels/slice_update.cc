#include "anemone/engine/kernels/rows.h"
#include "anemone/engine/run_time_slice.h"
#include "anemone/engine/transfer.h"

namespace anemone::engine {
namespace {

// Writes `update` into its place. In place, be that a state's memory or x's, it touches nothing
// else; otherwise x is copied first.
class SliceUpdate : public Kernel {
 public:
  SliceUpdate(RunTimeSlice slice, Transfer update, int from, int to)
      : slice_(std::move(slice)), update_(std::move(update)), from_(from), to_(to) {}
  void copy_first(Transfer copy, int x) {
    copy_ = std::move(copy);
    x_ = x;
  }

  void run(const Run& run) const override {
    // Found before anything is written, since it may throw.
    const std::int64_t offset = slice_.offset_bytes(run);
    auto* y = run.out<std::byte>(to_);
    if (x_ >= 0 && run.in<std::byte>(x_) != y) {
      const auto* x = run.in<std::byte>(x_);
      run.share(copy_.pieces(),
                std::max<std::int64_t>(
                    1, kGrainElements / std::max<std::int64_t>(1, copy_.piece_count())),
                [&](std::int64_t begin, std::int64_t end) { copy_.run(x, y, begin, end); });
    }
    update_.run(run.in<std::byte>(from_), y + offset);
  }

  std::string note() const override { return x_ < 0 ? "in place" : ""; }

 private:
  RunTimeSlice slice_;
  Transfer update_;
  int from_, to_;
  Transfer copy_;
  int x_ = -1;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const View* place = l.in_place();
  const mil::Type& type = l.output_type();
  const DType stored = place != nullptr       ? place->stored
                       : is_float(type.dtype) ? DType::kF32
                                              : type.dtype;
  if (!RunTimeSlice::can(l) || !Transfer::can(l.view("update").stored, stored) ||
      (place == nullptr && !Transfer::can(l.view("x").stored, stored))) {
    return nullptr;
  }
  View update = l.view("update");
  if (l.has("squeeze_mask")) {
    const auto squeezed = l.call().integers("squeeze_mask");
    for (std::size_t i = 0; i < squeezed.size(); ++i) {
      if (squeezed[i] != 0) update = expanded(update, i);
    }
  }
  const int from = l.read(update);
  const View x = place != nullptr ? *place : l.view("x");
  const int copied = place != nullptr ? -1 : l.read(x);
  const int to = place != nullptr ? l.read(*place) : l.write_over({copied});
  const View y = l.operands()[static_cast<std::size_t>(to)];
  auto slice = RunTimeSlice::make(l, y, update.shape);
  Transfer transfer(update, slice->part());
  auto kernel = std::make_unique<SliceUpdate>(std::move(*slice), std::move(transfer), from, to);
  if (copied >= 0) kernel->copy_first(Transfer(x, y), copied);
  return kernel;
}

constexpr std::string_view kOps[] = {"slice_update"};

}  // namespace

ANEMONE_DEFINE_KERNEL(slice_update) = {.name = "slice_update", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
