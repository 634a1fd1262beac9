#include "anemone/engine/target.h"
// First of all, since it says which targets there are.
#include "anemone/engine/transfer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "anemone/engine/transfer.cc"
#include "hwy/foreach_target.h"
// After foreach_target.h, which sets what it sees.
#include "anemone/engine/kernels/simd-inl.h"

#if HWY_ONCE
#include "anemone/base/check.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace anemone::engine {
namespace HWY_NAMESPACE {
namespace {

using Inner = Transfer::Inner;

// One element on its way.
struct Keep {
  template <typename T>
  static T of(T value) {
    return value;
  }
};
struct ToFloat {
  static float of(std::uint16_t bits) { return to_float(f16{bits}); }
};
struct ToHalf {
  static std::uint16_t of(float value) { return to_f16(value).bits; }
};
struct Round {
  static float of(float value) { return round_to_f16(value); }
};

// A row without gaps on either side, where vectors pay. Rounded numbers may go where they were.
template <class Change, typename From, typename To>
HWY_INLINE void DenseRow(const From* from, To* to, std::int64_t n) {
  if constexpr (std::is_same_v<Change, Keep>) {
    __builtin_memcpy(to, from, static_cast<std::size_t>(n) * sizeof(To));
  } else {
    ForEach(n, [&](auto d, std::int64_t i) HWY_ATTR {
      const auto v = LoadStored(d, from + i);
      if constexpr (std::is_same_v<Change, Round>) {
        hn::StoreU(RoundHalf(d, v), d, to + i);
      } else {
        StoreStored(d, v, to + i);
      }
    });
  }
}

template <class Change, typename From, typename To>
void Rows(const void* from_bytes, void* to_bytes, const Inner& inner) {
  const From* from = static_cast<const From*>(from_bytes);
  To* to = static_cast<To*>(to_bytes);
  if (inner.from_column == 1 && inner.to_column == 1) {
    for (std::int64_t r = 0; r < inner.rows; ++r) {
      DenseRow<Change>(from + r * inner.from_row, to + r * inner.to_row, inner.columns);
    }
    return;
  }
  if (inner.from_column == 0) {
    for (std::int64_t r = 0; r < inner.rows; ++r) {
      const To value = Change::of(from[r * inner.from_row]);
      To* row = to + r * inner.to_row;
      for (std::int64_t c = 0; c < inner.columns; ++c) row[c * inner.to_column] = value;
    }
    return;
  }
  // Square blocks keep both sides of a transposition within a few cache lines.
  constexpr std::int64_t kBlock = 16;
  for (std::int64_t r0 = 0; r0 < inner.rows; r0 += kBlock) {
    const std::int64_t rows = HWY_MIN(kBlock, inner.rows - r0);
    for (std::int64_t c0 = 0; c0 < inner.columns; c0 += kBlock) {
      const std::int64_t columns = HWY_MIN(kBlock, inner.columns - c0);
      const From* in = from + r0 * inner.from_row + c0 * inner.from_column;
      To* out = to + r0 * inner.to_row + c0 * inner.to_column;
      if constexpr (sizeof(From) == sizeof(float)) {
        // What was read along a row goes down a column: turned first, then changed row by row.
        if (inner.from_row == 1 && inner.to_column == 1) {
          HWY_ALIGN float turned[kBlock * kBlock];
          const auto* numbers = reinterpret_cast<const float*>(in);
          Transpose(numbers, inner.from_column, turned, kBlock, columns, rows);
          for (std::int64_t r = 0; r < rows; ++r) {
            DenseRow<Change>(reinterpret_cast<const From*>(turned + r * kBlock),
                             out + r * inner.to_row, columns);
          }
          continue;
        }
      }
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          out[r * inner.to_row + c * inner.to_column] =
              Change::of(in[r * inner.from_row + c * inner.from_column]);
        }
      }
    }
  }
}

void Copy1(const void* from, void* to, const Inner& inner) {
  Rows<Keep, std::uint8_t, std::uint8_t>(from, to, inner);
}
void Copy2(const void* from, void* to, const Inner& inner) {
  Rows<Keep, std::uint16_t, std::uint16_t>(from, to, inner);
}
void Copy4(const void* from, void* to, const Inner& inner) {
  Rows<Keep, float, float>(from, to, inner);
}
void HalfToFloat(const void* from, void* to, const Inner& inner) {
  Rows<ToFloat, std::uint16_t, float>(from, to, inner);
}
void FloatToHalf(const void* from, void* to, const Inner& inner) {
  Rows<ToHalf, float, std::uint16_t>(from, to, inner);
}
void RoundFloat(const void* from, void* to, const Inner& inner) {
  Rows<Round, float, float>(from, to, inner);
}

// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace anemone::engine
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace anemone::engine {

HWY_EXPORT(Copy1);
HWY_EXPORT(Copy2);
HWY_EXPORT(Copy4);
HWY_EXPORT(HalfToFloat);
HWY_EXPORT(FloatToHalf);
HWY_EXPORT(RoundFloat);

namespace {

constexpr std::int64_t kColumnsPerPiece = 8192;

Transfer::Function function_for(DType from, DType to, bool rounds) {
  if (from == DType::kF32 && to == DType::kF32 && rounds) {
    return &HWY_DYNAMIC_DISPATCH(RoundFloat);
  }
  if (from == DType::kF16 && to == DType::kF32) return &HWY_DYNAMIC_DISPATCH(HalfToFloat);
  if (from == DType::kF32 && to == DType::kF16) return &HWY_DYNAMIC_DISPATCH(FloatToHalf);
  ANEMONE_CHECK(from == to) << name(from) << " to " << name(to);
  switch (width_bits(from)) {
    case 8:
      return &HWY_DYNAMIC_DISPATCH(Copy1);
    case 16:
      return &HWY_DYNAMIC_DISPATCH(Copy2);
    default:
      ANEMONE_CHECK(width_bits(from) == 32) << name(from);
      return &HWY_DYNAMIC_DISPATCH(Copy4);
  }
}

}  // namespace

bool Transfer::can(DType from, DType to) {
  if (from == to) {
    const int bits = width_bits(from);
    return bits == 8 || bits == 16 || bits == 32;
  }
  return (from == DType::kF16 && to == DType::kF32) || (from == DType::kF32 && to == DType::kF16);
}

Transfer::Transfer(const View& from, const View& to, bool rounds)
    : function_(function_for(from.stored, to.stored, rounds)) {
  const View* both[] = {&from, &to};
  Walk walk = merged_walk(to.shape, both);
  std::size_t axes = walk.extents.size();
  // The inner loop runs along the axis that lies closest together on the side written to; the one
  // around it along the axis that lies closest together on the other side.
  const auto move_last = [&](std::size_t axis, std::size_t last) {
    for (std::size_t i = axis; i < last; ++i) {
      std::swap(walk.extents[i], walk.extents[i + 1]);
      for (Shape& strides : walk.strides) std::swap(strides[i], strides[i + 1]);
    }
  };
  const auto find_unit = [&](const Shape& strides, std::size_t end) {
    for (std::size_t i = end; i-- > 0;) {
      if (strides[i] == 1) return i;
    }
    return end - 1;
  };
  move_last(find_unit(walk.strides[1], axes), axes - 1);
  --axes;
  inner_.columns = walk.extents[axes];
  inner_.from_column = walk.strides[0][axes];
  inner_.to_column = walk.strides[1][axes];
  if (axes > 0) {
    move_last(find_unit(walk.strides[0], axes), axes - 1);
    --axes;
    inner_.rows = walk.extents[axes];
    inner_.from_row = walk.strides[0][axes];
    inner_.to_row = walk.strides[1][axes];
  }
  const std::int64_t from_bytes = width_bits(from.stored) / 8;
  const std::int64_t to_bytes = width_bits(to.stored) / 8;
  for (std::size_t i = 0; i < axes; ++i) {
    extents_.push_back(walk.extents[i]);
    from_strides_.push_back(walk.strides[0][i] * from_bytes);
    to_strides_.push_back(walk.strides[1][i] * to_bytes);
    outer_ *= walk.extents[i];
  }
  from_bytes_ = from_bytes;
  to_bytes_ = to_bytes;
  cut_ = axes > 0 ? Cut::kOuter : inner_.rows > 1 ? Cut::kRows : Cut::kColumns;
}

std::int64_t Transfer::pieces() const {
  switch (cut_) {
    case Cut::kOuter:
      return outer_;
    case Cut::kRows:
      return inner_.rows;
    case Cut::kColumns:
      return (inner_.columns + kColumnsPerPiece - 1) / kColumnsPerPiece;
  }
  return 0;
}

std::int64_t Transfer::piece_count() const {
  return cut_ == Cut::kOuter  ? inner_.rows * inner_.columns
         : cut_ == Cut::kRows ? inner_.columns
                              : std::min(inner_.columns, kColumnsPerPiece);
}

void Transfer::run(const void* from, void* to, std::int64_t begin,
                   std::int64_t end) const noexcept {
  if (begin >= end || inner_.rows * inner_.columns == 0) return;
  const auto* in = static_cast<const std::byte*>(from);
  auto* out = static_cast<std::byte*>(to);
  if (cut_ != Cut::kOuter) {
    Inner part = inner_;
    std::int64_t from_step = inner_.from_row;
    std::int64_t to_step = inner_.to_row;
    if (cut_ == Cut::kRows) {
      part.rows = end - begin;
    } else {
      begin *= kColumnsPerPiece;
      part.columns = std::min(end * kColumnsPerPiece, inner_.columns) - begin;
      from_step = inner_.from_column;
      to_step = inner_.to_column;
    }
    return function_(in + begin * from_step * from_bytes_, out + begin * to_step * to_bytes_, part);
  }
  for (std::int64_t piece = begin; piece < end; ++piece) {
    std::int64_t rest = piece;
    std::int64_t from_at = 0;
    std::int64_t to_at = 0;
    for (std::size_t i = extents_.size(); i-- > 0;) {
      const std::int64_t index = rest % extents_[i];
      rest /= extents_[i];
      from_at += index * from_strides_[i];
      to_at += index * to_strides_[i];
    }
    function_(in + from_at, out + to_at, inner_);
  }
}

}  // namespace anemone::engine
#endif  // HWY_ONCE
