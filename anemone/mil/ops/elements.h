#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/mil/op.h"

namespace anemone::mil::op {

// Calls visit(index) for every index of `shape`, in row-major order.
template <typename Visit>
void for_each_index(const Shape& shape, Visit visit) {
  if (element_count(shape) == 0) return;
  Shape index(shape.size(), 0);
  while (true) {
    visit(static_cast<const Shape&>(index));
    std::size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

inline std::int64_t dot(std::span<const std::int64_t> index,
                        std::span<const std::int64_t> strides) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < index.size(); ++i) sum += index[i] * strides[i];
  return sum;
}

// Strides that walk a tensor of shape `from` along an index of `to`, which `from` broadcasts to.
inline Shape stretched_strides(const Shape& from, const Shape& to) {
  const Shape own = row_major_strides(from);
  Shape strides(to.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] != 1) strides[to.size() - from.size() + i] = own[i];
  }
  return strides;
}

// A tensor in the making, for ops that move elements without looking into them. Any dtype.
class Elements {
 public:
  // Zeros, false, empty strings.
  Elements(DType dtype, Shape shape) : dtype_(dtype), shape_(std::move(shape)) {
    const auto count = static_cast<std::size_t>(element_count(shape_));
    if (dtype_ == DType::kString) {
      strings_.resize(count);
    } else {
      bytes_.resize(size_bytes(dtype_, count));
    }
  }
  // What `start` holds.
  explicit Elements(const Tensor& start)
      : dtype_(start.dtype()), shape_(start.shape()), strings_(start.strings()) {
    const Tensor here = start.resident();
    bytes_.assign(here.data().begin(), here.data().end());
  }

  // Sets element `to` to element `at` of `from`, which must be resident and of this dtype.
  void copy(std::int64_t to, const Tensor& from, std::int64_t at) {
    ANEMONE_CHECK(from.dtype() == dtype_) << name(from.dtype()) << " into " << name(dtype_);
    if (dtype_ == DType::kString) {
      strings_[static_cast<std::size_t>(to)] = from.strings()[static_cast<std::size_t>(at)];
      return;
    }
    const int bits = dtype_ == DType::kBool ? 8 : width_bits(dtype_);
    if (bits % 8 == 0) {
      const auto width = static_cast<std::size_t>(bits / 8);
      std::memcpy(bytes_.data() + static_cast<std::size_t>(to) * width,
                  from.data().data() + static_cast<std::size_t>(at) * width, width);
      return;
    }
    for (int b = 0; b < bits; ++b) {
      const std::int64_t source = at * bits + b;
      const std::int64_t target = to * bits + b;
      const auto mask = static_cast<std::byte>(1 << (target % 8));
      std::byte& byte = bytes_[static_cast<std::size_t>(target / 8)];
      byte &= ~mask;
      if ((std::to_integer<int>(from.data()[static_cast<std::size_t>(source / 8)]) >> (source % 8) &
           1) != 0) {
        byte |= mask;
      }
    }
  }

  Tensor finish() {
    if (dtype_ == DType::kString) return Tensor::from_strings(shape_, std::move(strings_));
    return Tensor(dtype_, shape_, own_bytes(std::move(bytes_)));
  }

 private:
  DType dtype_;
  Shape shape_;
  std::vector<std::byte> bytes_;
  std::vector<std::string> strings_;
};

// The tensor of `shape` whose element at `index` is x's element number source(index).
template <typename Source>
Tensor rearranged(const Tensor& x, const Shape& shape, Source source) {
  const Tensor here = x.resident();
  Elements y(x.dtype(), shape);
  std::int64_t to = 0;
  for_each_index(shape, [&](const Shape& index) { y.copy(to++, here, source(index)); });
  return y.finish();
}

// The call with the types that its tensors really have, for eval: no extent is unknown there.
inline Call resolved(const Call& call) {
  Call copy = call;
  copy.resolve();
  return copy;
}

// The one output type that `infer` gives for what is bound by value.
inline Type resolved_type(const Call& call) { return call.def().infer(resolved(call)).front(); }

// The wider of two dtypes: where arithmetic keeps activations in fp32 beside fp16 weights, fp32.
inline DType promoted(DType a, DType b) {
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  return width_bits(a) >= width_bits(b) ? a : b;
}

// a * b, for extents and what a parameter makes of them; refuses what no memory holds.
inline std::int64_t times(const Call& call, std::int64_t a, std::int64_t b) {
  constexpr std::int64_t kMost = std::int64_t{1} << 48;
  if (a < 0 || b < 0 || (a > 0 && b > kMost / a)) {
    call.fail("an extent of " + std::to_string(a) + " times " + std::to_string(b) +
              " is more than any memory holds");
  }
  return a * b;
}

// True if the extents may be equal: they are, or one is unknown.
inline bool may_equal(std::int64_t a, std::int64_t b) {
  return a == b || a == kUnknown || b == kUnknown;
}
inline bool may_equal(const Shape& a, const Shape& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](std::int64_t x, std::int64_t y) { return may_equal(x, y); });
}

// Fails unless the parameter has this shape, as far as it is known.
inline void require_shape(const Call& call, std::string_view parameter, const Shape& wanted) {
  if (!may_equal(call.shape(parameter), wanted)) {
    call.fail("parameter '" + std::string(parameter) + "' has shape " +
              anemone::to_string(call.shape(parameter)) + "; expected " +
              anemone::to_string(wanted));
  }
}

// An axis list, made non-negative, checked against `rank` and against repeats.
inline std::vector<std::int64_t> checked_axes(const Call& call, std::string_view parameter,
                                              std::vector<std::int64_t> axes, std::int64_t rank) {
  std::vector<bool> seen(static_cast<std::size_t>(rank));
  for (std::int64_t& axis : axes) {
    const std::int64_t given = axis;
    if (axis < -rank || axis >= rank) {
      call.fail("parameter '" + std::string(parameter) + "' holds " + std::to_string(given) +
                "; allowed: " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
    }
    if (axis < 0) axis += rank;
    if (seen[static_cast<std::size_t>(axis)]) {
      call.fail("parameter '" + std::string(parameter) + "' names axis " + std::to_string(axis) +
                " twice");
    }
    seen[static_cast<std::size_t>(axis)] = true;
  }
  return axes;
}

// A text parameter that must be one of a few words.
inline std::string one_of(const Call& call, std::string_view parameter,
                          std::span<const std::string_view> allowed) {
  std::string given = call.text(parameter);
  std::string words;
  for (const std::string_view word : allowed) {
    if (word == given) return given;
    words += (words.empty() ? "" : ", ") + std::string(word);
  }
  call.fail("parameter '" + std::string(parameter) + "' is '" + given + "'; allowed: " + words);
}

}  // namespace anemone::mil::op
