#include "anemone/generate/host_rows.h"

#include "anemone/base/check.h"

namespace anemone::generate {
namespace {

std::span<float> row(std::span<float> matrix, std::int64_t index, std::int64_t columns) {
  return matrix.subspan(static_cast<std::size_t>(index * columns),
                        static_cast<std::size_t>(columns));
}

// The first position that `position` sees.
std::int64_t first_seen(std::int64_t position, std::int64_t window) {
  return window > 0 ? std::max<std::int64_t>(position - window + 1, 0) : 0;
}

}  // namespace

void fill_rotary(std::int64_t position, std::int64_t rows, std::span<const float> inv_freq,
                 float attention_scaling, std::span<float> cos, std::span<float> sin) {
  const std::size_t half = inv_freq.size();
  const auto width = static_cast<std::int64_t>(2 * half);
  ANEMONE_CHECK(cos.size() == static_cast<std::size_t>(rows * width) && sin.size() == cos.size());
  for (std::int64_t s = 0; s < rows; ++s) {
    const auto cos_row = row(cos, s, width);
    const auto sin_row = row(sin, s, width);
    for (std::size_t i = 0; i < half; ++i) {
      const float angle = static_cast<float>(position + s) * inv_freq[i];
      const auto exact = static_cast<double>(angle);
      cos_row[i] = cos_row[i + half] = static_cast<float>(std::cos(exact)) * attention_scaling;
      sin_row[i] = sin_row[i + half] = static_cast<float>(std::sin(exact)) * attention_scaling;
    }
  }
}

void fill_mask(std::int64_t position, std::int64_t rows, std::int64_t context, float hidden,
               std::span<float> mask, std::int64_t window) {
  ANEMONE_CHECK(mask.size() == static_cast<std::size_t>(rows * context));
  for (std::int64_t s = 0; s < rows; ++s) {
    const auto keys = row(mask, s, context);
    const auto end = std::min(position + s + 1, context);
    const auto begin = std::min(first_seen(position + s, window), end);
    std::fill(keys.begin(), keys.end(), hidden);
    std::fill(keys.begin() + begin, keys.begin() + end, 0.0f);
  }
}

void fill_host_mask(std::int64_t position, std::int64_t rows, std::int64_t context, float hidden,
                    std::span<float> mask, std::int64_t window) {
  ANEMONE_CHECK(mask.size() == static_cast<std::size_t>(rows * (context + rows)));
  for (std::int64_t s = 0; s < rows; ++s) {
    const auto keys = row(mask, s, context + rows);
    std::fill(keys.begin(), keys.end(), hidden);
    const auto begin = first_seen(position + s, window);
    const auto old = std::min(position, context);
    std::fill(keys.begin() + std::min(begin, old), keys.begin() + old, 0.0f);
    const auto fresh = keys.begin() + context;
    std::fill(fresh + std::max<std::int64_t>(begin - position, 0), fresh + s + 1, 0.0f);
  }
}

void fill_write(std::int64_t position, std::int64_t rows, std::int64_t context,
                std::span<float> write) {
  ANEMONE_CHECK(write.size() == static_cast<std::size_t>(rows * context));
  std::fill(write.begin(), write.end(), 0.0f);
  for (std::int64_t s = 0; s < rows; ++s) {
    const std::int64_t p = position + s;
    if (p < context) write[static_cast<std::size_t>(p * rows + s)] = 1.0f;
  }
}

}  // namespace anemone::generate
