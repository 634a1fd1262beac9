#include "anemone/engine/kernels/rows.h"
#include "anemone/engine/transfer.h"

namespace anemone::engine {
namespace {

// Each value into its part of the output.
class Concat : public Kernel {
 public:
  void add(Transfer transfer, std::int64_t offset_bytes) {
    parts_.push_back({std::move(transfer), offset_bytes});
  }

  void run(const Run& run) const override {
    auto* y = run.out<std::byte>(static_cast<int>(parts_.size()));
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Transfer& transfer = parts_[i].transfer;
      const auto* x = run.in<std::byte>(static_cast<int>(i));
      const std::int64_t grain = std::max<std::int64_t>(
          1, 2 * kGrainElements / std::max<std::int64_t>(1, transfer.piece_count()));
      run.share(transfer.pieces(), grain, [&](std::int64_t begin, std::int64_t end) {
        transfer.run(x, y + parts_[i].offset_bytes, begin, end);
      });
    }
  }

 private:
  struct Part {
    Transfer transfer;
    std::int64_t offset_bytes;
  };
  std::vector<Part> parts_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const mil::Type& type = l.output_type();
  const bool is_stack = l.op().type() == "stack";
  if (!is_stack && (l.call().boolean("interleave") || l.value("values").type.rank() == 0)) {
    return nullptr;
  }
  const DType stored = is_float(type.dtype) ? DType::kF32 : type.dtype;
  const std::size_t count = l.count("values");
  for (std::size_t i = 0; i < count; ++i) {
    if (!Transfer::can(l.view("values", i).stored, stored)) return nullptr;
  }
  const auto axis = static_cast<std::size_t>(l.call().axis("axis", type.rank()));
  auto kernel = std::make_unique<Concat>();
  std::vector<View> values;
  for (std::size_t i = 0; i < count; ++i) {
    const View value = l.view("values", i);
    l.read(value);
    values.push_back(is_stack ? expanded(value, axis) : value);
  }
  const int output = l.write();
  const View y = l.operands()[static_cast<std::size_t>(output)];
  std::int64_t begin = 0;
  for (const View& value : values) {
    const View part = sliced(y, axis, begin, value.shape[axis]);
    kernel->add(Transfer(value, part), part.offset_bytes());
    begin += value.shape[axis];
  }
  return kernel;
}

constexpr std::string_view kOps[] = {"concat", "stack"};

}  // namespace

ANEMONE_DEFINE_KERNEL(concat) = {.name = "concat", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
