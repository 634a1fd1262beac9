#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace anemone::gate {

// The logits of one position, the subject's held against the reference's. Distributions are their
// softmax; logarithms are natural.
struct Comparison {
  int reference_top = 0;
  int subject_top = 0;
  double margin = 0;          // between the reference's two best logits
  double subject_margin = 0;  // the subject's logit of its own choice above that of the reference's
  int top5 = 0;               // how many of the five best (or of all, if fewer) both have
  int top5_of = 5;
  double kl = 0;  // of the subject's distribution from the reference's
  double cosine = 0;
  double relative_error = 0;  // |subject - reference| / |reference|
  double reference_nll = 0;   // -log probability of `next`; 0 if there is none
  double subject_nll = 0;
  // What makes all of the above meaningless. When not finite, figures are left at 0.
  bool reference_is_finite = true;
  bool subject_is_finite = true;
  bool reference_is_flat = false;  // all logits equal
  bool subject_is_flat = false;
  bool is_identical = false;  // bit for bit

  bool agrees() const { return reference_top == subject_top; }
};

// Both spans have one element for each id of the vocabulary, at least one; `next` is the id that
// follows, or -1.
Comparison compare(std::span<const float> reference, std::span<const float> subject, int next);

// How far apart two matrices are, and where.
struct Distance {
  double cosine = 0;  // 1 if both are zero
  double relative_error = 0;
  bool is_finite = true;  // of the subject
};
Distance distance(std::span<const float> reference, std::span<const float> subject);

// The least, the greatest and the largest magnitude of values; the first that is not finite.
struct Range {
  float least = 0;
  float greatest = 0;
  std::int64_t not_finite = 0;  // how many
  std::int64_t first_bad = -1;  // index of the first of them
};
Range range_of(std::span<const float> values);

}  // namespace anemone::gate
