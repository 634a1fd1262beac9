#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/checkpoint/decode.h"
#include "anemone/models/architecture.h"
#include "anemone/models/config.h"
#include "anemone/models/form.h"
#include "anemone/tensor/tensor.h"

namespace anemone::models {

struct WeightOptions {
  std::int64_t layers = 0;        // only the first so many; 0: all
  bool tie_missing_head = false;  // an absent lm_head.weight is the embedding
};

// A checkpoint's tensors by what they are for, as fp16. Matrices are converted when somebody reads
// them; the same (role, layer) always gives the same shared value, so that a package stores it
// once. Construction checks every name and shape against the architecture: throws Error(kBadInput)
// that lists what is missing, misshapen or unused. Not safe to share between threads while
// building.
class DecoderWeights {
 public:
  DecoderWeights(const Checkpoint& checkpoint, const Architecture& architecture,
                 DecoderConfig& config, const WeightOptions& options);

  bool has(Role role, std::int64_t layer = 0) const;
  // Which powers of two the matrices and vectors are multiplied with from now on.
  void set_scales(const Scales& scales);
  // The matrix as fp16, [rows, columns] for `linear` or [rows, columns, 1, 1] for `conv`.
  std::shared_ptr<const Tensor> matrix(Role role, std::int64_t layer, bool as_conv);
  // Rows [first, first + count) of a matrix.
  std::shared_ptr<const Tensor> rows(Role role, std::int64_t first, std::int64_t count,
                                     bool as_conv);
  // A vector as fp16. `scale` multiplies before rounding; `repeat` writes it so many times.
  std::shared_ptr<const Tensor> vector(Role role, std::int64_t layer, int repeat = 1,
                                       double scale = 1);
  std::int64_t parameter_bytes(std::int64_t layer) const;  // fp16 bytes of one layer
  std::uint64_t parameters() const;                        // unique elements in use

  // The role whose matrix the head multiplies with: the embedding when tied.
  Role head_role() const;
  // Things worth telling the user.
  const std::vector<std::string>& warnings() const { return warnings_; }
  // Throws Error(kNumeric) if anything read so far does not fit fp16: file, tensor, index, value.
  void require_finite() const;
  // Non-zero values that became zero, in what was read so far.
  std::uint64_t flushed_to_zero() const;

 private:
  struct Key {
    Role role;
    std::int64_t layer;
    auto operator<=>(const Key&) const = default;
  };
  const CheckpointTensor& tensor(Role role, std::int64_t layer) const;
  // The matrix's bytes, scaled; the same for the same key until set_scales.
  const std::shared_ptr<const Bytes>& half(Role role, std::int64_t layer);
  int shift(Role role, std::int64_t layer) const;  // scaled by 2^shift

  std::map<Key, CheckpointTensor> tensors_;
  std::map<Key, std::shared_ptr<const F16Bytes>> halves_;
  std::map<Key, std::shared_ptr<const Bytes>> scaled_;
  Scales scales_;
  std::map<std::string, std::shared_ptr<const Tensor>> made_;
  std::vector<std::pair<CheckpointTensor, F16Report>> small_reports_;
  bool tied_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace anemone::models
