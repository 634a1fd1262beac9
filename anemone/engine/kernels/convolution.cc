#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/kernels/sliding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/kernels/convolution.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/sliding-inl.h"
#include "anemone/engine/kernels/tile-inl.h"
#include "anemone/engine/kernels/windows-inl.h"

// Shared by all targets.
#ifndef ANEMONE_ENGINE_CONVOLUTION_ONCE
#define ANEMONE_ENGINE_CONVOLUTION_ONCE
namespace anemone::engine {
namespace {

constexpr std::int64_t kConvColumns = 128;  // of one piece: places of the output
constexpr std::int64_t kConvRows = 144;     // of one piece: output channels
constexpr std::int64_t kBlockRows = 24;     // rows of weights that are widened at a time
constexpr std::int64_t kMostDepth = 256;    // kDepth of any target

// Work of one piece: one group, columns [column, column + columns) of batch and places taken
// together, channels [row, row + rows) of the group.
struct ConvPiece {
  std::int64_t group, row, rows, column, columns;
};

struct ConvMemory {
  const void* x;
  const void* w;
  const float* bias;
  float* y;
  float* scratch;  // kScratchFloats
  Finish finish = {};
};
constexpr std::int64_t kScratchFloats =
    kMostDepth * kConvColumns + kBlockRows * kMostDepth + kConvRows * kConvColumns;

// A run of columns that are neighbours in the output.
struct Run3 {
  std::int64_t to, count;  // within the panel
  std::int64_t batch, at[3];
};

}  // namespace
}  // namespace anemone::engine
#endif

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

static_assert(kConvColumns == kTileColumns && kConvRows % kMicroRows == 0 && kDepth <= kMostDepth &&
              kBlockRows % kMicroRows == 0 && kConvRows % kBlockRows == 0);

// Where along an axis the tap looks for output `at`; absent is -1.
HWY_INLINE std::int64_t SourceOf(const ConvShape& s, int axis, std::int64_t at, std::int64_t tap) {
  std::int64_t p;
  if (s.transposed) {
    p = at + s.before[axis] - tap * s.dilation[axis];
    if (p < 0 || p % s.stride[axis] != 0) return -1;
    p /= s.stride[axis];
  } else {
    p = at * s.stride[axis] + tap * s.dilation[axis] - s.before[axis];
  }
  return p < 0 || p >= s.in[axis] ? -1 : p;
}

// What one tap sees of one channel along a run of columns.
template <class X>
HWY_INLINE void PackRun(const ConvShape& s, const X* x, const Run3& run, const std::int64_t* tap,
                        float* HWY_RESTRICT to) {
  to += run.to;
  const std::int64_t d = SourceOf(s, 0, run.at[0], tap[0]);
  const std::int64_t h = SourceOf(s, 1, run.at[1], tap[1]);
  if (d < 0 || h < 0) return Fill(to, run.count, 0);
  const X* row = x + run.batch * s.x_batch + d * s.x_axis[0] + h * s.x_axis[1];
  const std::int64_t step = s.x_axis[2];
  if (s.transposed && s.stride[2] > 1) {
    for (std::int64_t i = 0; i < run.count; ++i) {
      const std::int64_t p = SourceOf(s, 2, run.at[2] + i, tap[2]);
      to[i] = p < 0 ? 0.0f : Widen(row[p * step]);
    }
    return;
  }
  const std::int64_t stride = s.transposed ? 1 : s.stride[2];
  const std::int64_t first = s.transposed
                                 ? run.at[2] + s.before[2] - tap[2] * s.dilation[2]
                                 : run.at[2] * stride + tap[2] * s.dilation[2] - s.before[2];
  CopyPadded(row, step, s.in[2], first, stride, run.count, 0.0f, to);
}

// The runs of columns of one panel; gives how many.
int RunsOf(const ConvShape& s, std::int64_t column, std::int64_t columns, Run3* runs) {
  const std::int64_t plane = s.out_plane();
  int count = 0;
  for (std::int64_t done = 0; done < columns;) {
    const std::int64_t at = column + done;
    const std::int64_t place = at % plane;
    Run3& run = runs[count++];
    run.batch = at / plane;
    run.at[2] = place % s.out[2];
    run.at[1] = place / s.out[2] % s.out[1];
    run.at[0] = place / s.out[2] / s.out[1];
    run.to = done;
    run.count = HWY_MIN(columns - done, s.out[2] - run.at[2]);
    done += run.count;
  }
  return count;
}

// A panel of single elements that are neighbours in x as they are in the output.
template <class X>
HWY_INLINE void CopyPanel(const X* HWY_RESTRICT x, std::int64_t x_k, std::int64_t real,
                          std::int64_t width, std::int64_t depth, float* HWY_RESTRICT panel) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t i = 0; i < depth; ++i, x += x_k, panel += width) {
    std::int64_t c = 0;
    for (; c + lanes <= real; c += lanes) hn::StoreU(LoadStored(d, x + c), d, panel + c);
    if (c == real) continue;
    for (; c < real; ++c) panel[c] = Widen(x[c]);
    for (; c < width; ++c) panel[c] = 0.0f;
  }
}

// Elements [k, k + depth) of the columns of a panel, [depth][width].
template <class X>
void PackPanel(const ConvShape& s, const X* x, const Run3* runs, int count, std::int64_t real,
               std::int64_t width, std::int64_t k, std::int64_t depth, float* HWY_RESTRICT panel) {
  const std::int64_t taps = s.taps();
  const bool is_copy = count == 1 && taps == 1 && s.stride[2] == 1 && s.x_axis[2] == 1 &&
                       s.before[0] == 0 && s.before[1] == 0 && s.before[2] == 0 &&
                       s.in[2] == s.out[2] && s.in[1] == 1 && s.in[0] == 1;
  if (is_copy) {
    return CopyPanel(x + runs->batch * s.x_batch + runs->at[2] + k * s.x_channel, s.x_channel, real,
                     width, depth, panel);
  }
  std::int64_t channel = k / taps;
  std::int64_t rest = k % taps;
  std::int64_t tap[3] = {rest / s.kernel[2] / s.kernel[1], rest / s.kernel[2] % s.kernel[1],
                         rest % s.kernel[2]};
  for (std::int64_t i = 0; i < depth; ++i, panel += width) {
    for (int r = 0; r < count; ++r) PackRun(s, x + channel * s.x_channel, runs[r], tap, panel);
    for (std::int64_t c = real; c < width; ++c) panel[c] = 0.0f;
    if (++tap[2] < s.kernel[2]) continue;
    tap[2] = 0;
    if (++tap[1] < s.kernel[1]) continue;
    tap[1] = 0;
    if (++tap[0] < s.kernel[0]) continue;
    tap[0] = 0;
    ++channel;
  }
}

// Where rows from `row` of the piece on lie from the piece's column `done` on, as far as the plane
// goes.
HWY_INLINE Landing LandingOf(const ConvShape& s, const ConvMemory& at, const ConvPiece& piece,
                             std::int64_t row, std::int64_t done) {
  const std::int64_t plane = s.out_plane();
  const std::int64_t column = piece.column + done;
  const std::int64_t place = column % plane;
  const std::int64_t channel = piece.group * s.m + piece.row + row;
  return {.y = at.y,
          .at = (column / plane * s.groups * s.m + channel) * plane + place,
          .row_step = plane,
          .rows = piece.rows - row,
          .columns = HWY_MIN(piece.columns - done, plane - place),
          .bias = at.bias == nullptr ? nullptr : at.bias + channel,
          .channel = channel,
          .channel_step = 1};
}

// Sums that lie in memory, where they go.
void PutSums(const ConvShape& s, const ConvMemory& at, const ConvPiece& piece, std::int64_t column,
             std::int64_t columns, const float* sums) {
  const DF d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t r = 0; r < piece.rows; ++r) {
    const float* from = sums + r * kTileColumns;
    for (std::int64_t c = column; c < column + columns;) {
      Landing landing = LandingOf(s, at, piece, r, c);
      landing.rows = 1;
      landing.columns = HWY_MIN(HWY_MIN(landing.columns, column + columns - c), lanes);
      VF sum[1][1] = {{LoadPart(PartOf(landing.columns), from + c)}};
      Land<1, 1>(at.finish, landing, sum);
      c += landing.columns;
    }
  }
}

template <class W, class X>
void Piece(const ConvShape& s, const ConvMemory& at, const ConvPiece& piece) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(DF()));
  const std::int64_t depth = s.depth();
  const auto* x = static_cast<const X*>(at.x) + piece.group * s.c * s.x_channel;
  const auto* w = static_cast<const W*>(at.w) + (piece.group * s.m + piece.row) * depth;
  float* panels = at.scratch;
  float* wide = panels + kDepth * kTileColumns;
  float* sums = wide + kBlockRows * kDepth;
  Run3 runs[kConvColumns];
  for (std::int64_t k = 0; k < depth; k += kDepth) {
    const std::int64_t part = HWY_MIN(kDepth, depth - k);
    for (std::int64_t c = 0; c < piece.columns; c += kPanel) {
      const std::int64_t width = PanelWidth(piece.columns, c);
      const std::int64_t real = HWY_MIN(width, piece.columns - c);
      const int count = RunsOf(s, piece.column + c, real, runs);
      PackPanel(s, x, runs, count, real, width, k, part, panels + c * kDepth);
    }
    const bool is_last = k + kDepth >= depth;
    for (std::int64_t r = 0; r < piece.rows; r += kBlockRows) {
      const std::int64_t rows = HWY_MIN(kBlockRows, piece.rows - r);
      WidenRows(w + r * depth + k, depth, rows, part, wide);
      for (std::int64_t c = 0; c < piece.columns; c += kPanel) {
        const std::int64_t width = PanelWidth(piece.columns, c);
        for (std::int64_t i = 0; i < rows; i += kMicroRows) {
          const Landing landing = LandingOf(s, at, piece, r + i, c);
          // A panel that goes on in another plane goes by way of memory.
          const bool lands = is_last && landing.columns >= HWY_MIN(width, piece.columns - c);
          AnyMicro(width / lanes, wide + i * kDepth, PanelSource{panels + c * kDepth}, part,
                   {.sums = sums + (r + i) * kTileColumns + c,
                    .goes_on = k > 0,
                    .finish = lands ? &at.finish : nullptr,
                    .landing = &landing});
        }
      }
    }
  }
  for (std::int64_t c = 0; c < piece.columns; c += kPanel) {
    const std::int64_t real = HWY_MIN(PanelWidth(piece.columns, c), piece.columns - c);
    if (LandingOf(s, at, piece, 0, c).columns < real) PutSums(s, at, piece, c, real, sums);
  }
}

void PieceHalfFloat(const ConvShape& s, const ConvMemory& at, const ConvPiece& piece) {
  Piece<std::uint16_t, float>(s, at, piece);
}
void PieceHalfHalf(const ConvShape& s, const ConvMemory& at, const ConvPiece& piece) {
  Piece<std::uint16_t, std::uint16_t>(s, at, piece);
}
void PieceFloatFloat(const ConvShape& s, const ConvMemory& at, const ConvPiece& piece) {
  Piece<float, float>(s, at, piece);
}
void PieceFloatHalf(const ConvShape& s, const ConvMemory& at, const ConvPiece& piece) {
  Piece<float, std::uint16_t>(s, at, piece);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(PieceHalfFloat);
HWY_EXPORT(PieceHalfHalf);
HWY_EXPORT(PieceFloatFloat);
HWY_EXPORT(PieceFloatHalf);
HWY_EXPORT(FillPlanesHalf);
HWY_EXPORT(FillPlanesFloat);
HWY_EXPORT(SlideHalf);
HWY_EXPORT(SlideFloat);
HWY_EXPORT(SlidingLanes);

namespace {

using PieceFunction = void (*)(const ConvShape&, const ConvMemory&, const ConvPiece&);

PieceFunction piece_function(DType w, DType x) {
  if (w == DType::kF16) {
    return x == DType::kF16 ? &HWY_DYNAMIC_DISPATCH(PieceHalfHalf)
                            : &HWY_DYNAMIC_DISPATCH(PieceHalfFloat);
  }
  return x == DType::kF16 ? &HWY_DYNAMIC_DISPATCH(PieceFloatHalf)
                          : &HWY_DYNAMIC_DISPATCH(PieceFloatFloat);
}

std::int64_t over(std::int64_t count, std::int64_t size) { return (count + size - 1) / size; }

std::string note_of(const ConvShape& s) {
  std::string text = s.note() + " tile";
  if (s.groups > 1) text += " " + std::to_string(s.groups) + " times";
  return text + " " + std::to_string(s.m) + "x" + std::to_string(s.depth()) + " by " +
         std::to_string(s.depth()) + "x" + std::to_string(s.batch * s.out_plane());
}

// How many channels a piece takes, if there are `others` pieces of the same channels.
std::int64_t rows_of_piece(std::int64_t channels, std::int64_t others, int threads) {
  const std::int64_t wanted = 4 * threads;
  const std::int64_t parts = std::max<std::int64_t>(
      over(channels, kConvRows), std::min(over(channels, kBlockRows), over(wanted, others)));
  return over(over(channels, parts), kBlockRows) * kBlockRows;
}

// How sums are cut into pieces: some rows, output channels of one group, of some columns, which are
// places of the output or vectors of them.
class Cut {
 public:
  // Channels are shared out only where there are too few places: each piece packs for itself.
  Cut(const ConvShape& s, std::int64_t columns, std::int64_t width, int threads)
      : channels_(s.m),
        groups_(s.groups),
        columns_(columns),
        width_(width),
        column_pieces_(over(columns, width)),
        rows_(rows_of_piece(s.m, s.groups * column_pieces_, threads)),
        row_pieces_(over(s.m, rows_)) {}

  // Calls work(piece, thread) for all. `cost` is that of one row and column, in products.
  template <typename Work>
  void share(const Run& run, std::int64_t cost, const Work& work) const {
    cost *= rows_ * std::min(columns_, width_);
    run.share_by_thread(groups_ * column_pieces_ * row_pieces_,
                        std::max<std::int64_t>(1, 65536 / std::max<std::int64_t>(1, cost)),
                        [&](std::int64_t begin, std::int64_t end, int thread) {
                          for (std::int64_t i = begin; i < end; ++i) work(piece(i), thread);
                        });
  }

 private:
  ConvPiece piece(std::int64_t i) const {
    const std::int64_t row = i % row_pieces_ * rows_;
    const std::int64_t column = i / row_pieces_ % column_pieces_ * width_;
    return {.group = i / row_pieces_ / column_pieces_,
            .row = row,
            .rows = std::min(rows_, channels_ - row),
            .column = column,
            .columns = std::min(width_, columns_ - column)};
  }

  std::int64_t channels_, groups_, columns_, width_, column_pieces_, rows_, row_pieces_;
};

// Any convolution as a product of weights with what each window sees, which is put in a row piece
// by piece and never as a whole.
class Convolution : public Kernel {
 public:
  Convolution(const ConvShape& shape, DType w, DType x, bool has_bias, int threads)
      : shape_(shape),
        function_(piece_function(w, x)),
        has_bias_(has_bias),
        cut_(shape, shape.batch * shape.out_plane(), kConvColumns, threads) {}

  static std::size_t scratch_bytes() {
    return static_cast<std::size_t>(kScratchFloats) * sizeof(float);
  }

  bool finish_with(std::span<const FinishStep> steps) override { return finish_.take(steps); }

  void run(const Run& run) const override { pieces(run, nullptr); }

  bool run_then(const Run& run, const Then& then) const override {
    pieces(run, &then);
    return true;
  }

  std::string note() const override { return note_of(shape_); }

 private:
  void pieces(const Run& run, const Then* then) const {
    const ConvMemory at{run.in<std::byte>(0),
                        run.in<std::byte>(1),
                        has_bias_ ? run.in<float>(2) : nullptr,
                        run.out<float>(has_bias_ ? 4 : 3),
                        run.out<float>(has_bias_ ? 3 : 2),
                        finish_.at(run, shape_.rounds)};
    cut_.share(run, shape_.depth(), [&](const ConvPiece& piece, int thread) {
      ConvMemory mine = at;
      mine.scratch = at.scratch + thread * kScratchFloats;
      function_(shape_, mine, piece);
      if (then != nullptr) tell(piece, thread, *then);
    });
  }

  // Every run of elements that a piece has given.
  void tell(const ConvPiece& piece, int thread, const Then& then) const {
    const std::int64_t plane = shape_.out_plane();
    for (std::int64_t done = 0; done < piece.columns;) {
      const std::int64_t column = piece.column + done;
      const std::int64_t place = column % plane;
      const std::int64_t count = std::min(piece.columns - done, plane - place);
      const std::int64_t channel =
          column / plane * shape_.groups * shape_.m + piece.group * shape_.m + piece.row;
      for (std::int64_t r = 0; r < piece.rows; ++r) {
        then((channel + r) * plane + place, count, thread);
      }
      done += count;
    }
  }

  ConvShape shape_;
  PieceFunction function_;
  FinishSteps finish_;
  bool has_bias_;
  Cut cut_;
};

// A convolution as sums over shifted planes (sliding.h).
class Sliding : public Kernel {
 public:
  Sliding(SlidingPlan plan, DType w, DType x, bool has_bias, int threads)
      : plan_(std::move(plan)),
        fill_(x == DType::kF16 ? &HWY_DYNAMIC_DISPATCH(FillPlanesHalf)
                               : &HWY_DYNAMIC_DISPATCH(FillPlanesFloat)),
        slide_(w == DType::kF16 ? &HWY_DYNAMIC_DISPATCH(SlideHalf)
                                : &HWY_DYNAMIC_DISPATCH(SlideFloat)),
        has_bias_(has_bias),
        cut_(plan_.shape, plan_.shape.batch * plan_.vectors, kConvColumns / plan_.lanes, threads) {}

  static constexpr std::int64_t kThreadFloats = kBlockRows * kMostDepth + kConvRows * kConvColumns;

  bool finish_with(std::span<const FinishStep> steps) override { return finish_.take(steps); }
  void run(const Run& run) const override { pieces(run, nullptr); }
  bool run_then(const Run& run, const Then& then) const override {
    pieces(run, &then);
    return true;
  }
  std::string note() const override { return note_of(plan_.shape); }

 private:
  // Operands: x, weight, perhaps bias, phases, scratch, y.
  void pieces(const Run& run, const Then* then) const {
    const int next = has_bias_ ? 3 : 2;
    auto* phases = run.out<float>(next);
    auto* scratch = run.out<float>(next + 1);
    const auto* x = run.in<std::byte>(0);
    run.share(plan_.planes(), std::max<std::int64_t>(1, kGrainFloats / plan_.plane),
              [&](std::int64_t begin, std::int64_t end) { fill_(plan_, x, begin, end, phases); });
    const SlidingMemory at{phases,
                           run.in<std::byte>(1),
                           has_bias_ ? run.in<float>(2) : nullptr,
                           run.out<float>(next + 2),
                           scratch,
                           finish_.at(run, plan_.shape.rounds)};
    cut_.share(run, plan_.shape.depth() * plan_.lanes, [&](const ConvPiece& of, int thread) {
      SlidingMemory mine = at;
      mine.scratch = scratch + thread * kThreadFloats;
      SlidingPiece piece{};
      piece.group = of.group;
      piece.row = of.row;
      piece.rows = of.rows;
      piece.vector = of.column;
      piece.vectors = of.columns;
      slide_(plan_, mine, piece);
      if (then != nullptr) tell(piece, thread, *then);
    });
  }

  // What a piece has given: of each image, one run of each channel's elements.
  void tell(const SlidingPiece& piece, int thread, const Then& then) const {
    const ConvShape& s = plan_.shape;
    for (std::int64_t v = piece.vector; v < piece.vector + piece.vectors;) {
      const std::int64_t image = v / plan_.vectors;
      const std::int64_t end = std::min(piece.vector + piece.vectors, (image + 1) * plan_.vectors);
      const std::int64_t first = plan_.first_of(v - image * plan_.vectors);
      const std::int64_t count = plan_.first_of(end - image * plan_.vectors) - first;
      const std::int64_t channel = (image * s.groups + piece.group) * s.m + piece.row;
      for (std::int64_t r = 0; r < piece.rows && count > 0; ++r) {
        then((channel + r) * s.out_plane() + first, count, thread);
      }
      v = end;
    }
  }

  static constexpr std::int64_t kGrainFloats = 16384;  // of phases, worth a piece

  SlidingPlan plan_;
  FinishSteps finish_;
  void (*fill_)(const SlidingPlan&, const void*, std::int64_t, std::int64_t, float*);
  void (*slide_)(const SlidingPlan&, const SlidingMemory&, const SlidingPiece&);
  bool has_bias_;
  Cut cut_;
};

// Null where panels are the better way.
std::unique_ptr<Kernel> plan_sliding(Lowering& l, const ConvShape& s, const View& x,
                                     const View& weight) {
  const std::int64_t lanes = HWY_DYNAMIC_DISPATCH(SlidingLanes)();
  if (lanes == 0 || s.transposed || s.taps() == 1) return nullptr;
  if (s.in[0] != 1 || s.out[0] != 1 || s.kernel[0] != 1 || s.before[0] != 0) return nullptr;
  SlidingPlan plan(s, lanes);
  if (!plan.is_worth_it()) return nullptr;
  const std::int64_t floats = plan.phases_floats();
  auto kernel = std::make_unique<Sliding>(std::move(plan), weight.stored, x.stored, l.has("bias"),
                                          l.threads());
  l.read(x);
  l.read(weight);
  if (l.has("bias")) l.read_dense("bias");
  l.scratch(static_cast<std::size_t>(floats) * sizeof(float));
  l.scratch(static_cast<std::size_t>(Sliding::kThreadFloats * l.threads()) * sizeof(float));
  l.write();
  return kernel;
}

std::unique_ptr<Kernel> plan(Lowering& l) {
  if (element_count(l.output_type().shape) == 0) return nullptr;
  ConvShape shape = conv_shape(l);
  shape.rounds = l.rounds();
  place_x(shape, convolved(l));
  View weight = l.view("weight");
  if (shape.transposed) {
    // [in, out in group, taps] as [groups, out in group, in of group, taps].
    const std::int64_t taps = shape.taps();
    const auto grouped = reshaped(weight, {shape.groups, shape.c, shape.m, taps});
    const std::int64_t perm[] = {0, 2, 1, 3};
    weight = l.rearranged(transposed(
        grouped ? *grouped : *reshaped(l.dense("weight"), {shape.groups, shape.c, shape.m, taps}),
        perm));
  } else if (!weight.is_dense()) {
    weight = l.dense("weight");
  }
  const View x = convolved(l);
  if (auto kernel = plan_sliding(l, shape, x, weight)) return kernel;
  auto kernel =
      std::make_unique<Convolution>(shape, weight.stored, x.stored, l.has("bias"), l.threads());
  l.read(x);
  l.read(weight);
  if (l.has("bias")) l.read_dense("bias");
  l.scratch(Convolution::scratch_bytes() * static_cast<std::size_t>(l.threads()));
  l.write();
  return kernel;
}

constexpr std::string_view kOps[] = {"conv", "conv_transpose"};

}  // namespace

ANEMONE_DEFINE_KERNEL(convolution) = {.name = "convolution", .ops = kOps, .plan = plan};

}  // namespace anemone::engine
#endif  // HWY_ONCE
