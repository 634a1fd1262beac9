#include <cstring>

#include "anemone/engine/kernels/rows.h"

// Elements put around a tensor: row by row, from the row of x that a table names for each axis.
namespace anemone::engine {
namespace {

constexpr std::int64_t kOutside = -1;

class Pad : public Kernel {
 public:
  // `sources`: for each axis and each place of y, the place of x, or kOutside.
  Pad(const View& x, const Shape& y, std::vector<std::vector<std::int64_t>> sources, float outside)
      : strides_(x.strides), shape_(y), sources_(std::move(sources)), outside_(outside) {
    const std::vector<std::int64_t>& last = sources_.back();
    // The run of the last axis that is x itself.
    const std::int64_t extent = x.shape.back();
    while (first_ < y.back() && last[static_cast<std::size_t>(first_)] != 0) ++first_;
    for (std::int64_t at = first_; at < y.back() && at - first_ < extent; ++at) {
      if (last[static_cast<std::size_t>(at)] != at - first_) break;
      ++count_;
    }
    rows_ = element_count(y) / std::max<std::int64_t>(1, y.back());
  }

  void run(const Run& run) const override {
    const float* x = run.in<float>(0);
    float* y = run.out<float>(1);
    const std::int64_t width = shape_.back();
    run.share(rows_, std::max<std::int64_t>(1, kGrainElements / width),
              [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t row = begin; row < end; ++row) {
                  put(source_row(x, row), y + row * width);
                }
              });
  }

 private:
  // Null if the row lies outside.
  const float* source_row(const float* x, std::int64_t row) const {
    for (std::size_t axis = shape_.size() - 1; axis-- > 0;) {
      const std::int64_t at = sources_[axis][static_cast<std::size_t>(row % shape_[axis])];
      row /= shape_[axis];
      if (at == kOutside) return nullptr;
      x += at * strides_[axis];
    }
    return x;
  }

  void put(const float* from, float* to) const {
    const std::int64_t width = shape_.back();
    if (from == nullptr) {
      std::fill_n(to, width, outside_);
      return;
    }
    const std::int64_t step = strides_.back();
    const auto pick = [&](std::int64_t at) {
      const std::int64_t source = sources_.back()[static_cast<std::size_t>(at)];
      to[at] = source == kOutside ? outside_ : from[source * step];
    };
    for (std::int64_t at = 0; at < first_; ++at) pick(at);
    if (step == 1) {
      std::memcpy(to + first_, from, static_cast<std::size_t>(count_) * sizeof(float));
    } else {
      for (std::int64_t i = 0; i < count_; ++i) to[first_ + i] = from[i * step];
    }
    for (std::int64_t at = first_ + count_; at < width; ++at) pick(at);
  }

  Shape strides_, shape_;
  std::vector<std::vector<std::int64_t>> sources_;
  float outside_;
  std::int64_t first_ = 0, count_ = 0, rows_ = 0;
};

std::unique_ptr<Kernel> plan(Lowering& l) {
  const Shape& x_shape = l.value("x").type.shape;
  const Shape& y_shape = l.output_type().shape;
  const Tensor* amounts = l.constant("pad");
  if (amounts == nullptr || element_count(y_shape) == 0) return nullptr;
  const std::vector<std::int64_t> given = amounts->to_ints();
  const std::string mode = l.call().text("mode");
  std::vector<std::vector<std::int64_t>> sources;
  for (std::size_t axis = 0; axis < x_shape.size(); ++axis) {
    // `pad` covers the last axes.
    const std::size_t skipped = x_shape.size() - given.size() / 2;
    const std::int64_t before = axis < skipped ? 0 : given[2 * (axis - skipped)];
    const std::int64_t last = x_shape[axis] - 1;
    std::vector<std::int64_t>& table = sources.emplace_back();
    for (std::int64_t at = 0; at < y_shape[axis]; ++at) {
      std::int64_t p = at - before;
      if (p < 0 || p > last) {
        p = mode == "reflect"     ? (p < 0 ? -p : 2 * last - p)
            : mode == "replicate" ? (p < 0 ? 0 : last)
                                  : kOutside;
      }
      table.push_back(p);
    }
  }
  View x = l.view("x");
  if (x.stored != DType::kF32) x = l.dense("x");
  auto kernel = std::make_unique<Pad>(x, y_shape, std::move(sources),
                                      static_cast<float>(l.call().number("constant_val")));
  l.read(x);
  l.write();
  return kernel;
}

constexpr std::string_view kOps[] = {"pad"};

}  // namespace

ANEMONE_DEFINE_KERNEL(pad) = {.name = "pad", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
