#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "anemone/generate/predictor.h"

namespace anemone::generate {

// What one value of a program held over all calls of all functions that compute it.
struct ValueRange {
  std::string package;
  std::string value;
  std::string op;  // the op's type
  std::uint64_t count = 0;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
  float max_magnitude = 0;  // of the finite ones

  // A magnitude that at least `share` (0 to 1) of the finite elements do not exceed; within 9 %,
  // the width of a bucket, and never above max_magnitude.
  float percentile(double share) const;
  // How many times larger the largest could be before fp16 makes it infinite; below 1 it already
  // is.
  double headroom() const;

  // Elements by magnitude, an eighth of an octave each, from 2^-32 up; zeros in the first.
  static constexpr int kBuckets = 8 * 80;
  std::array<std::uint64_t, kBuckets> buckets{};
};

// Gathers ranges from packages that run under it: use open() as a Runner's Options::open.
class RangeRecorder : public Observer {
 public:
  // `of_all`: every computed value; otherwise only those that carry a decoder's residual stream and
  // what is added to it, which is what a scale is chosen from.
  explicit RangeRecorder(bool of_all) : of_all_(of_all) {}

  OpenPredictor open(const engine::Options& options);

  bool wants(const mil::Function& function, const mil::Value& value) override;
  void saw(std::string_view function, const mil::Value& value,
           std::span<const float> elements) override;

  // In running order: packages as they were opened, values as they are computed.
  std::vector<ValueRange> ranges() const;

 private:
  bool of_all_;
  std::string opening_;  // the package being opened
  mutable std::mutex mutex_;
  std::vector<ValueRange> ranges_;
  std::unordered_map<std::string, std::size_t> by_name_;  // "package/value"
  std::unordered_map<const mil::Value*, std::size_t> by_value_;
};

}  // namespace anemone::generate
