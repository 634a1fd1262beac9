#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/base/thread_pool.h"
#include "anemone/checkpoint/checkpoint.h"

namespace anemone {

// Decodes whole rows of the tensor seen as a matrix, from `first_row` on: out.size() / columns() of
// them. Exact for F32, F16 and BF16; block types as ggml defines them, in float arithmetic.
// Throws Error(kUnsupported) for an encoding that is not read as floats.
void decode_f32(const CheckpointTensor& tensor, std::int64_t first_row, std::span<float> out);
// The whole tensor.
std::vector<float> decode_f32(const CheckpointTensor& tensor);

// What conversion to fp16 met. Indices count elements of the decoded tensor, row-major.
struct F16Report {
  struct Found {
    std::int64_t index = 0;
    float value = 0;
  };
  std::int64_t elements = 0;   // looked at
  std::int64_t overflows = 0;  // finite, of magnitude 65520 or more: fp16 makes it infinite
  std::int64_t infinities = 0;
  std::int64_t nans = 0;
  std::int64_t flushed = 0;  // not zero, but zero in fp16 (magnitude 2^-25 or less)
  float max_magnitude = 0;   // of the finite values
  std::optional<Found> first_overflow, first_infinity, first_nan;  // those of the lowest index

  bool is_finite() const { return overflows == 0 && infinities == 0 && nans == 0; }
  void merge(const F16Report& other);
};

// A tensor's elements as fp16 (rounded to nearest even), made when read: no copy of it is kept.
class F16Bytes : public Bytes {
 public:
  // Throws Error(kUnsupported) for an encoding that is not read as floats.
  explicit F16Bytes(CheckpointTensor tensor);

  const CheckpointTensor& tensor() const { return tensor_; }
  std::size_t size_bytes() const override;
  // Always empty, even if the file holds F16: what is read passes the checks of report().
  std::span<const std::byte> view() const override { return {}; }
  // `at` and the length are even.
  void read(std::size_t at, std::span<std::byte> out) const override;

  // Of all that was read so far; what was read twice counts once.
  F16Report report() const;

 private:
  CheckpointTensor tensor_;
  mutable std::mutex mutex_;
  mutable F16Report report_;
  mutable std::map<std::int64_t, std::int64_t> seen_;  // begin -> end of the ranges reported on
};

std::shared_ptr<const F16Bytes> f16_bytes(const CheckpointTensor& tensor);

// Looks at every element without keeping any. `pool` may be null.
F16Report scan_f16(const CheckpointTensor& tensor, ThreadPool* pool = nullptr);

// Throws Error(kNumeric) unless the report is finite: file, tensor, first index and value, how
// many.
void require_finite_f16(const CheckpointTensor& tensor, const F16Report& report);

}  // namespace anemone
