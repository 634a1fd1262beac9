#include "anemone/engine/kernels/row_functions.h"
#include "anemone/engine/kernels/rows.h"

namespace anemone::engine {
namespace {

// y = x, or alpha[c] x where x is below zero, c being the channel of a row.
class Prelu : public Kernel {
 public:
  Prelu(std::vector<double> alpha, std::int64_t rows, std::int64_t length, bool rounds)
      : alpha_(alpha.begin(), alpha.end()),
        rows_(rows),
        length_(length),
        row_(leaky_relu_row(rounds)) {}

  void run(const Run& run) const override {
    const float* x = run.in<float>(0);
    float* y = run.out<float>(1);
    const auto channels = static_cast<std::int64_t>(alpha_.size());
    run.share(rows_, std::max<std::int64_t>(1, kGrainElements / length_),
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t i = begin; i < end; ++i) {
                  row_(x + i * length_, y + i * length_, length_,
                       alpha_[static_cast<std::size_t>(i % channels)], 0);
                }
              });
  }

 private:
  std::vector<float> alpha_;
  std::int64_t rows_, length_;
  UnaryFunction row_;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const Shape& shape = l.output_type().shape;
  const Tensor* alpha = l.constant("alpha");
  if (element_count(shape) == 0 || alpha == nullptr) return nullptr;
  const std::int64_t rows = shape[0] * shape[1];
  l.write_over({l.read_dense("x")});
  return std::make_unique<Prelu>(alpha->to_doubles(), rows, element_count(shape) / rows,
                                 l.rounds());
}

constexpr std::string_view kOps[] = {"prelu"};

}  // namespace

ANEMONE_DEFINE_KERNEL(prelu) = {.name = "prelu", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
