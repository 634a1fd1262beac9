#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "anemone/engine/kernel.h"

namespace anemone::engine {

// What is done to the sums of a product or convolution while they are in registers: the bias, the
// rounding, then the ops that were fused with it (Kernel::finish_with), with their operands where
// they lie this time.
struct Finish {
  static constexpr std::size_t kMostSteps = 4;
  struct Step {
    FinishStep::Kind kind;
    bool rounds;
    bool by_channel;
    float low, high;
    const float* data;
  };
  bool rounds = false;
  std::size_t count = 0;
  Step steps[kMostSteps] = {};
};

// Where a block of finished sums goes: real rows and columns of it, of which there may be fewer
// than were summed. Channels are those of bias and slopes.
struct Landing {
  float* y = nullptr;
  std::int64_t at = 0;        // in y, of the first row and column
  std::int64_t row_step = 0;  // in y
  std::int64_t rows = 0, columns = 0;
  const float* bias = nullptr;    // null: none
  std::int64_t channel = 0;       // of the first row
  std::int64_t channel_step = 0;  // 0: all rows are of one
};

// The steps that a kernel took, for each run.
class FinishSteps {
 public:
  bool take(std::span<const FinishStep> steps) {
    if (steps.size() > Finish::kMostSteps) return false;
    steps_.assign(steps.begin(), steps.end());
    return true;
  }
  Finish at(const Run& run, bool rounds) const {
    Finish finish;
    finish.rounds = rounds;
    for (const FinishStep& step : steps_) {
      finish.steps[finish.count++] = {
          step.kind, step.rounds, step.by_channel,
          step.low,  step.high,   step.operand < 0 ? nullptr : run.in<float>(step.operand)};
    }
    return finish;
  }

 private:
  std::vector<FinishStep> steps_;
};

}  // namespace anemone::engine
