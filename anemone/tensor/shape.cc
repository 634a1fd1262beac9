#include "anemone/tensor/shape.h"

#include <algorithm>

#include "anemone/base/check.h"

namespace anemone {
namespace {
constexpr std::int64_t kMaxElements = std::int64_t{1} << 48;
}

std::optional<std::int64_t> checked_element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (extent == 0) {
      empty = true;
    } else {
      if (count > kMaxElements / extent) return std::nullopt;
      count *= extent;
    }
  }
  return empty ? 0 : count;
}

std::int64_t element_count(std::span<const std::int64_t> shape) {
  const auto count = checked_element_count(shape);
  ANEMONE_CHECK(count.has_value()) << to_string(shape);
  return *count;
}

bool is_known(std::span<const std::int64_t> shape) {
  return std::all_of(shape.begin(), shape.end(), [](std::int64_t extent) { return extent >= 0; });
}

Shape row_major_strides(std::span<const std::int64_t> shape) {
  Shape strides(shape.size());
  std::int64_t step = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = step;
    step *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

std::optional<Shape> broadcast(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
  const std::size_t rank = std::max(a.size(), b.size());
  Shape result(rank);
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    const std::int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    if (x == y || y == 1) {
      result[i] = x;
    } else if (x == 1) {
      result[i] = y;
    } else if (x == kUnknown || y == kUnknown) {
      result[i] = std::max(x, y);
    } else {
      return std::nullopt;
    }
  }
  return result;
}

std::string to_string(std::span<const std::int64_t> shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] < 0 ? "?" : std::to_string(shape[i]);
  }
  return text + "]";
}

}  // namespace anemone
