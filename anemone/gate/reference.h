#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/generate/runner.h"
#include "anemone/oracle/oracle.h"

namespace anemone::gate {

using oracle::Sequence;

// What a subject is held against: the oracle, or another Runner. Not for several threads.
class Reference {
 public:
  virtual ~Reference() = default;
  virtual std::string says() const = 0;  // "oracle: fp32 arithmetic, weights rounded to fp16"
  // The folder or file that it came from.
  virtual std::filesystem::path path() const = 0;
  // The Runner that it is, if it is one.
  virtual const generate::Runner* runner() const { return nullptr; }
  virtual std::int64_t vocab_size() const = 0;
  virtual std::int64_t hidden_size() const = 0;
  // Positions that it can serve; absent: any number.
  virtual std::optional<std::int64_t> context() const { return std::nullopt; }

  // Takes the sequences in. What follows refers to them by their place. The streams after
  // `layers` (counted from 0) are kept, as far as the reference has them.
  virtual void take(std::span<const Sequence> sequences, std::span<const std::int64_t> layers,
                    const Progress& progress, const StopFlag* stop) = 0;
  // Logits after ids first ... first + count - 1 of a sequence, [count, vocab_size].
  virtual void logits(std::size_t sequence, std::int64_t first, std::int64_t count,
                      std::span<float> out) = 0;
  // The residual stream after a layer, [ids of the sequence, hidden_size]; empty if it is not
  // known.
  virtual std::span<const float> stream(std::int64_t layer, std::size_t sequence) const = 0;
};

// Both arguments must outlive the reference.
std::unique_ptr<Reference> reference_of(const oracle::Oracle& oracle);
std::unique_ptr<Reference> reference_of(const generate::Runner& runner);

}  // namespace anemone::gate
