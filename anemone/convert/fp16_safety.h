#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/base/progress.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/models/form.h"

namespace anemone::converter {

// How large a model's numbers grow on some ids.
struct Peaks {
  float residual = 0;              // on the residual stream, and of what is added to it
  std::vector<float> gated = {};   // by layer, products of gate and up
  std::vector<float> stream = {};  // by layer, what leaves it
};

// What keeps a model within fp16, and the ranges that say so.
struct Safety {
  models::Scales scales;
  bool rescales_norms = false;  // the stream's norms divide by the largest magnitude first
  Peaks peaks;
  std::string measured_on;  // in words; empty if nothing was measured
  std::string why_not;      // then: why

  bool changes_anything() const { return scales.any() || rescales_norms; }
  // For bundle.json.
  Json to_json() const;
};

struct SafetyOptions {
  std::int64_t layers = 0;  // the model's first so many; 0: all
  bool tie_missing_head = false;
  std::int64_t context = 0;                   // no more ids than that
  std::optional<std::string> tokenizer = {};  // the text of a tokenizer.json
  int threads = 0;
  Progress progress = {};
  const StopFlag* stop = nullptr;
};

// Computes a short text (or seeded random ids, if there is no tokenizer) straight from the
// checkpoint's weights, layer after layer, and chooses scales from what passes by: powers of two
// with a factor of 4 to spare. Every sum is in double and in one order, and peaks are taken to
// three digits, so that the choice depends on neither processor nor threads. A model that this
// arithmetic does not know is left as it is, and `why_not` says so. Throws Error(kInterrupted).
Safety measure_safety(const Checkpoint& checkpoint, const SafetyOptions& options);

// The choice alone.
Safety choose_safety(Peaks peaks);

}  // namespace anemone::converter
