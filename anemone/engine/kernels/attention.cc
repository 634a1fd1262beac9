#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include <cmath>

#include "anemone/engine/fuse.h"
#include "anemone/engine/kernels/rows.h"
#include "anemone/engine/product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/attention.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/softmax-inl.h"

// Shared by all targets.
#ifndef ANEMONE_ENGINE_ATTENTION_ONCE
#define ANEMONE_ENGINE_ATTENTION_ONCE
namespace anemone::engine {
namespace {
// What scores are multiplied or divided by.
struct Scale {
  float number = 1;
  bool divides = false;
};
}  // namespace
}  // namespace anemone::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

// scores = softmax(scores * scale + mask), in place (or scores / scale); mask may be null.
template <bool kRound>
HWY_INLINE void Weigh(float* scores, const float* mask, const Scale& scale, std::int64_t n) {
  if (scale.number != 1.0f) {
    ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
      const auto score = hn::LoadU(d, scores + i);
      const auto number = hn::Set(d, scale.number);
      const auto scaled = scale.divides ? hn::Div(score, number) : hn::Mul(score, number);
      hn::StoreU(Rounded<kRound>(d, scaled), d, scores + i);
    });
  }
  if (mask != nullptr) {
    ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
      const auto masked = hn::Add(hn::LoadU(d, scores + i), hn::LoadU(d, mask + i));
      hn::StoreU(Rounded<kRound>(d, masked), d, scores + i);
    });
  }
  SoftmaxRow<kRound>(scores, scores, n);
}
void WeighExact(float* scores, const float* mask, const Scale& scale, std::int64_t n) {
  Weigh<false>(scores, mask, scale, n);
}
void WeighRounded(float* scores, const float* mask, const Scale& scale, std::int64_t n) {
  Weigh<true>(scores, mask, scale, n);
}

// Whether any of n numbers passes `hidden` (or is no number), and then the last place that does.
HWY_INLINE std::int64_t LastVisible(const float* row, std::int64_t n, float hidden) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const auto bound = hn::Set(d, hidden);
  while (n >= lanes && hn::AllTrue(d, hn::Le(hn::LoadU(d, row + n - lanes), bound))) n -= lanes;
  while (n > 0 && row[n - 1] <= hidden) --n;
  return n - 1;
}

// The first and the last key that some row sees; `first` is past `last` if a row sees none.
void Visible(const float* mask, std::int64_t row_stride, std::int64_t rows, std::int64_t keys,
             float hidden, std::int64_t* first, std::int64_t* last) {
  *first = keys;
  *last = -1;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* row = mask + r * row_stride;
    const std::int64_t top = LastVisible(row, keys, hidden);
    if (top < 0) {
      *first = keys;
      return;
    }
    std::int64_t bottom = 0;
    while (row[bottom] <= hidden) ++bottom;
    *first = HWY_MIN(*first, bottom);
    *last = HWY_MAX(*last, top);
    if (row_stride == 0) return;
  }
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(Visible);
HWY_EXPORT(WeighExact);
HWY_EXPORT(WeighRounded);

namespace {

// A key whose mask is this or less has weight 0 exactly, so that it need not be looked at, as long
// as scores stay within 4,900 of each other: e^-104 is 0 in float.
constexpr float kHidden = -1e4f;
// Keys are left out in steps that change no order of summation: what products want at the end, and
// a multiple of their pieces at the beginning.
constexpr std::int64_t kEndStep = 32;
constexpr std::int64_t kBeginStep = 96;
constexpr std::int64_t kBlockRows = 64;  // rows of one unit of work

struct Range {
  std::int64_t begin, end;
};

// Where one product of the batch lies, in bytes.
struct Place {
  std::int64_t query, keys, values, mask, out;
};

struct Operands {
  int query, keys, values, mask, scratch, out;
};

class Attention : public Kernel {
 public:
  Attention(const ProductPlan& scores, const ProductPlan& mix, const Scale& scale, bool rounds)
      : scores_(scores),
        mix_(mix),
        scale_(scale),
        weigh_(rounds ? &HWY_DYNAMIC_DISPATCH(WeighRounded) : &HWY_DYNAMIC_DISPATCH(WeighExact)),
        visible_(&HWY_DYNAMIC_DISPATCH(Visible)) {
    const std::int64_t rows = scores.product().n;
    // Products by "dot" treat their columns by fours, so that cutting rows would change bits.
    block_rows_ = scores.method() == "tile" ? std::min(rows, kBlockRows) : rows;
    blocks_ = (rows + block_rows_ - 1) / block_rows_;
    const std::int64_t keys = scores.product().m;
    const auto widest = scores.narrowed(keys, block_rows_, scores.product().k);
    scores_bytes_ = static_cast<std::size_t>(block_rows_ * keys) * sizeof(float);
    scores_bytes_ = (scores_bytes_ + 63) / 64 * 64;
    scores_scratch_ = widest.scratch_bytes();
    mix_scratch_ = mix.scratch_bytes();
  }

  std::size_t thread_bytes() const { return scores_bytes_ + scores_scratch_ + mix_scratch_; }

  void place(std::vector<Place> places, std::int64_t mask_row, const Operands& at) {
    places_ = std::move(places);
    mask_row_ = mask_row;
    at_ = at;
  }

  void run(const Run& run) const override {
    const auto units = static_cast<std::int64_t>(places_.size()) * blocks_;
    const Product& p = scores_.product();
    const std::int64_t cost = p.m * block_rows_ * (p.k + mix_.product().n);
    const std::int64_t grain = std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, cost));
    run.share_by_thread(units, grain, [&](std::int64_t begin, std::int64_t end, int thread) {
      auto* scratch =
          run.out<std::byte>(at_.scratch) + static_cast<std::size_t>(thread) * thread_bytes();
      for (std::int64_t unit = begin; unit < end; ++unit) {
        block(run, places_[static_cast<std::size_t>(unit / blocks_)], unit % blocks_ * block_rows_,
              scratch);
      }
    });
  }

  std::string note() const override {
    const Product& p = scores_.product();
    return std::string(scores_.method()) + ", " + std::string(mix_.method()) + ", " +
           std::to_string(places_.size()) + " times " + std::to_string(p.n) + " rows by " +
           std::to_string(p.m) + " keys of " + std::to_string(p.k);
  }

 private:
  // The keys that some row sees, in steps that do no harm; all of them if a row sees none.
  Range visible(const float* mask, std::int64_t rows, std::int64_t keys) const {
    std::int64_t first = 0;
    std::int64_t last = 0;
    visible_(mask, mask_row_, rows, keys, kHidden, &first, &last);
    if (first > last) return {0, keys};
    return {first / kBeginStep * kBeginStep,
            std::min(keys, (last + kEndStep) / kEndStep * kEndStep)};
  }

  void block(const Run& run, const Place& place, std::int64_t row, std::byte* scratch) const {
    const Product& p = scores_.product();
    const std::int64_t rows = std::min(block_rows_, p.n - row);
    const std::int64_t keys = p.m;
    const float* mask = nullptr;
    Range range{0, keys};
    if (at_.mask >= 0) {
      mask = reinterpret_cast<const float*>(run.in<std::byte>(at_.mask) + place.mask) +
             row * mask_row_;
      range = visible(mask, rows, keys);
    }
    auto* scores = reinterpret_cast<float*>(scratch);
    std::byte* packed = scratch + scores_bytes_;

    // scores[row][key], each row `keys` long
    const ProductPlan first = scores_.narrowed(keys, rows, p.k);
    const auto* query = run.in<std::byte>(at_.query) + place.query +
                        row * p.x_n * static_cast<std::int64_t>(sizeof(float));
    first.pack(query, packed, 0, first.pack_pieces());
    const std::int64_t piece_rows = *first.piece_rows();
    first.run(run.in<std::byte>(at_.keys) + place.keys, query, packed, nullptr, scores,
              range.begin / piece_rows, (range.end + piece_rows - 1) / piece_rows);
    const std::int64_t seen = range.end - range.begin;
    for (std::int64_t r = 0; r < rows; ++r) {
      weigh_(scores + r * keys + range.begin,
             mask == nullptr ? nullptr : mask + r * mask_row_ + range.begin, scale_, seen);
    }

    const Product& q = mix_.product();
    const ProductPlan second = mix_.narrowed(rows, q.n, seen);
    packed += scores_scratch_;
    const std::int64_t value_bytes = width_bits(q.x_stored) / 8;
    const auto* values =
        run.in<std::byte>(at_.values) + place.values + range.begin * q.x_k * value_bytes;
    second.pack(values, packed, 0, second.pack_pieces());
    auto* out = reinterpret_cast<float*>(run.out<std::byte>(at_.out) + place.out) + row * q.y_m;
    second.run(scores + range.begin, values, packed, nullptr, out, 0, second.pieces());
  }

  ProductPlan scores_, mix_;
  Scale scale_;
  void (*weigh_)(float*, const float*, const Scale&, std::int64_t);
  void (*visible_)(const float*, std::int64_t, std::int64_t, std::int64_t, float, std::int64_t*,
                   std::int64_t*);
  std::int64_t block_rows_ = 1, blocks_ = 1;
  std::size_t scores_bytes_ = 0, scores_scratch_ = 0, mix_scratch_ = 0;
  std::vector<Place> places_;
  std::int64_t mask_row_ = 0;
  Operands at_{};
};

// The matrices of a view with batch axes in front.
struct Matrix {
  std::int64_t rows, columns, row, column;
};
Matrix matrix_of(const View& view) {
  const std::size_t rank = view.shape.size();
  return {view.shape[rank - 2], view.shape[rank - 1], view.strides[rank - 2],
          view.strides[rank - 1]};
}
Shape batch_of(const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); }

std::unique_ptr<Kernel> plan(Lowering& l) {
  AttentionMatch match;
  match.query = &l.value("query");
  match.keys = &l.value("key");
  match.values = &l.value("value");
  if (l.has("attn_mask")) {
    match.mask = &l.value("attn_mask");
    if (!is_float(match.mask->type.dtype)) return nullptr;
  }
  const auto depth = static_cast<float>(match.query->type.shape.back());
  return plan_attention(l, match, 1 / std::sqrt(depth), {.between = false, .at_end = l.rounds()});
}

constexpr std::string_view kOps[] = {"scaled_dot_product_attention"};

}  // namespace

std::unique_ptr<Kernel> plan_attention(Lowering& l, const AttentionMatch& match, float scale,
                                       const AttentionRounding& rounding) {
  const Shape& shape = l.output_type().shape;
  const std::size_t rank = shape.size();
  if (rank < 2 || element_count(shape) == 0) return nullptr;
  for (const mil::Value* value : {match.query, match.keys, match.values}) {
    if (!is_float(value->type.dtype) || value->type.shape.size() != rank ||
        batch_of(value->type.shape) != batch_of(shape)) {
      return nullptr;
    }
  }
  View keys = l.batches(*match.keys);
  View values = l.batches(*match.values);
  const Shape scores_shape = [&] {
    Shape extents = match.query->type.shape;
    extents.back() = match.keys->type.shape[rank - 2];
    return extents;
  }();
  // The same choices as the ops by themselves would make, or none.
  const std::int64_t rows = shape[rank - 2];
  if (matrix_of(keys).rows < rows || shape[rank - 1] < 2 || matrix_of(keys).columns < 2) {
    return nullptr;
  }
  if (match.mask != nullptr) {
    const Shape& mask = match.mask->type.shape;
    if (!is_float(match.mask->type.dtype) || mask.empty() || mask.size() > rank ||
        mask.back() != scores_shape.back()) {
      return nullptr;
    }
  }
  const View query = l.dense(*match.query);
  if (matrix_of(keys).column != 1) keys = l.dense(*match.keys);
  if (matrix_of(values).column != 1) values = l.dense(*match.values);
  View mask;
  Shape mask_strides(rank, 0);
  if (match.mask != nullptr) {
    mask = l.dense(*match.mask);
    mask_strides = stretched(mask, scores_shape);
  }

  Product p;
  p.m = matrix_of(keys).rows;
  p.n = rows;
  p.k = matrix_of(keys).columns;
  p.w_stored = keys.stored;
  p.w_row = matrix_of(keys).row;
  p.x_k = 1;
  p.x_n = matrix_of(query).row;
  p.y_m = 1;
  p.y_n = p.m;
  p.rounds = rounding.between;
  Product q;
  q.m = rows;
  q.n = shape[rank - 1];
  q.k = p.m;
  q.w_stored = DType::kF32;
  q.w_row = p.m;
  q.x_stored = values.stored;
  q.x_k = matrix_of(values).row;
  q.x_n = 1;
  q.y_m = q.n;
  q.y_n = 1;
  q.rounds = rounding.at_end;
  auto kernel = std::make_unique<Attention>(ProductPlan(p), ProductPlan(q),
                                            Scale{scale, match.divides}, rounding.between);

  std::vector<Place> places;
  const Shape batch = batch_of(shape);
  const auto bytes = [](const View& view) { return width_bits(view.stored) / 8; };
  const Shape mask_batch(mask_strides.begin(), mask_strides.end() - 2);
  for (std::int64_t i = 0; i < element_count(batch); ++i) {
    const auto at = [&](const Shape& extents, const Shape& strides) {
      std::int64_t rest = i, elements = 0;
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        elements += rest % extents[axis] * strides[axis];
        rest /= extents[axis];
      }
      return elements;
    };
    // Keys and values may have axes of their own in front.
    const auto in = [&](const View& view) { return at(batch_of(view.shape), view.strides); };
    Place place{0, 0, 0, 0, i * rows * q.n * static_cast<std::int64_t>(sizeof(float))};
    place.query = in(query)*bytes(query);
    place.keys = in(keys)*bytes(keys);
    place.values = in(values)*bytes(values);
    place.mask = at(batch, mask_batch) * static_cast<std::int64_t>(sizeof(float));
    places.push_back(place);
  }
  Operands at{};
  at.query = l.read(query);
  at.keys = l.read(keys);
  at.values = l.read(values);
  at.mask = match.mask == nullptr ? -1 : l.read(mask);
  at.scratch = l.scratch(kernel->thread_bytes() * static_cast<std::size_t>(l.threads()));
  at.out = l.write();
  kernel->place(std::move(places), mask_strides[rank - 2], at);
  return kernel;
}

ANEMONE_DEFINE_KERNEL(attention) = {.name = "attention", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
