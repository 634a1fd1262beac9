#include "anemone/engine/kernels/rows.h"
#include "anemone/engine/run_time_slice.h"
#include "anemone/engine/transfer.h"

// Slices whose place a call decides; those that are known before are views.
namespace anemone::engine {
namespace {

class Slice : public Kernel {
 public:
  Slice(RunTimeSlice slice, Transfer transfer, int x, int y)
      : slice_(std::move(slice)), transfer_(std::move(transfer)), x_(x), y_(y) {}

  void run(const Run& run) const override {
    transfer_.run(run.in<std::byte>(x_) + slice_.offset_bytes(run), run.out<std::byte>(y_));
  }

 private:
  RunTimeSlice slice_;
  Transfer transfer_;
  int x_, y_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const mil::Type& type = l.output_type();
  const DType stored = is_float(type.dtype) ? DType::kF32 : type.dtype;
  const View x = l.view("x");
  if (!RunTimeSlice::can(l) || !Transfer::can(x.stored, stored)) return nullptr;
  // Squeezed axes come back as axes of one element.
  View whole = dense_view(-1, stored, type.shape);
  if (l.has("squeeze_mask")) {
    const auto squeezed = l.call().integers("squeeze_mask");
    for (std::size_t i = 0; i < squeezed.size(); ++i) {
      if (squeezed[i] != 0) whole = expanded(whole, i);
    }
  }
  auto slice = RunTimeSlice::make(l, x, whole.shape);
  const int from = l.read(x);
  const int to = l.write();
  Transfer transfer(slice->part(), whole);
  return std::make_unique<Slice>(std::move(*slice), std::move(transfer), from, to);
}

constexpr std::string_view kOps[] = {"slice_by_index", "slice_by_size"};

}  // namespace

ANEMONE_DEFINE_KERNEL(slice) = {.name = "slice", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
