#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/base/progress.h"
#include "anemone/generate/ranges.h"
#include "anemone/models/form.h"

namespace anemone::converter {

// What keeps a model within fp16, and the ranges that say so.
struct Safety {
  models::Scales scales;
  bool rescales_norms = false;  // the stream's norms divide by the largest magnitude first
  float residual_peak = 0;      // largest magnitude on the residual stream
  float gated_peak = 0;         // largest product of gate and up
  std::string text;             // what it was measured on, in words

  bool changes_anything() const { return scales.any() || rescales_norms; }
  // For bundle.json.
  Json to_json() const;
};

// Runs a plain bundle in fp32 on a short text (its own tokenizer's, or seeded random ids) and
// chooses scales from what passes by: powers of two with a factor of 4 to spare. Throws Error.
Safety measure_safety(const std::filesystem::path& bundle, std::int64_t layers, int threads);

// The choice alone. `ranges` are those of a RangeRecorder.
Safety choose_safety(std::span<const generate::ValueRange> ranges, std::int64_t layers);

}  // namespace anemone::converter
