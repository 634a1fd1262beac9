#include "anemone/generate/ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "anemone/base/half.h"
#include "anemone/mil/op.h"

namespace anemone::generate {
namespace {

constexpr int kFirstExponent = -32;

// Exponent and the three bits after it name the bucket.
int bucket_of(float magnitude) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(magnitude);
  const int eighths = static_cast<int>(bits >> 20) - (127 + kFirstExponent) * 8;
  return std::clamp(eighths, 0, ValueRange::kBuckets - 1);
}

float upper_edge(int bucket) {
  const int octave = bucket / 8 + kFirstExponent;
  return std::ldexp(1.0f + static_cast<float>(bucket % 8 + 1) / 8.0f, octave);
}

// What only moves a cache about: as large as the context, and no new numbers in it.
bool is_cache(const mil::Value& value) {
  const mil::Op* op = value.producer;
  if (op == nullptr) return value.type.is_state();
  const std::string_view type = op->type();
  if (type == "read_state" || type == "slice_update") return true;
  return type == "slice_by_index" && is_cache(*op->find_input("x"));
}

// Moves elements or picks some: the range is its input's.
bool only_moves(std::string_view type) {
  constexpr std::string_view kMovers[] = {
      "reshape",  "transpose", "expand_dims", "squeeze", "slice_by_index", "slice_by_size",
      "identity", "split",     "concat",      "tile",    "stack",          "gather"};
  return std::find(std::begin(kMovers), std::end(kMovers), type) != std::end(kMovers);
}

}  // namespace

float ValueRange::percentile(double share) const {
  const std::uint64_t finite = count - nans - infinities;
  if (finite == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(finite)));
  std::uint64_t seen = 0;
  for (int i = 0; i < kBuckets; ++i) {
    seen += buckets[static_cast<std::size_t>(i)];
    if (seen >= wanted) return std::min(upper_edge(i), max_magnitude);
  }
  return max_magnitude;
}

double ValueRange::headroom() const {
  if (infinities > 0) return 0;
  if (max_magnitude == 0) return INFINITY;
  return static_cast<double>(kMaxF16) / max_magnitude;
}

OpenPredictor RangeRecorder::open(const engine::Options& options) {
  return [this, options](const std::filesystem::path& package) {
    opening_ = package.filename().string();
    return open_observed_predictor(package, options, *this);
  };
}

bool RangeRecorder::wants(const mil::Function&, const mil::Value& value) {
  const std::string_view type = value.producer->type();
  if (only_moves(type) || is_cache(value)) return false;
  if (!of_all_) {
    const bool is_residual =
        type == "add" && value.type.shape.size() >= 3 &&
        (value.name.ends_with("_after_attention") || value.name.ends_with("_out"));
    const bool is_added = value.name.ends_with("_o_proj") || value.name.ends_with("_down_proj") ||
                          value.name.ends_with("_gated");
    if (!is_residual && !is_added) return false;
  }
  const std::string key = opening_ + "/" + value.name;
  const auto [found, is_new] = by_name_.emplace(key, ranges_.size());
  if (is_new) {
    ValueRange& range = ranges_.emplace_back();
    range.package = opening_;
    range.value = value.name;
    range.op = std::string(type);
  }
  by_value_[&value] = found->second;
  return true;
}

void RangeRecorder::saw(std::string_view, const mil::Value& value,
                        std::span<const float> elements) {
  ValueRange seen;
  for (const float element : elements) {
    const float magnitude = std::abs(element);
    if (std::isnan(element)) {
      ++seen.nans;
    } else if (std::isinf(element)) {
      ++seen.infinities;
    } else {
      seen.max_magnitude = std::max(seen.max_magnitude, magnitude);
      ++seen.buckets[static_cast<std::size_t>(bucket_of(magnitude))];
    }
  }
  const std::lock_guard lock(mutex_);
  ValueRange& range = ranges_[by_value_.at(&value)];
  range.count += elements.size();
  range.nans += seen.nans;
  range.infinities += seen.infinities;
  range.max_magnitude = std::max(range.max_magnitude, seen.max_magnitude);
  for (std::size_t i = 0; i < seen.buckets.size(); ++i) range.buckets[i] += seen.buckets[i];
}

std::vector<ValueRange> RangeRecorder::ranges() const {
  const std::lock_guard lock(mutex_);
  return ranges_;
}

}  // namespace anemone::generate
