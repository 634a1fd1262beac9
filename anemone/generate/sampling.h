#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "anemone/generate/random.h"

namespace anemone::generate {

// How the next id is chosen from logits. The order is that of Hugging Face's generate: bias,
// repetition penalty, then temperature, top-k, top-p, min-p, each on what the one before it left.
// Source: transformers 5.24, generation/utils.py _get_logits_processor and logits_process.py.
struct SamplingOptions {
  // Added to the logits of single ids; -infinity bans one.
  std::map<int, float> logit_bias = {};
  // Of every id that the prompt or the text so far holds, a positive logit is divided by it and a
  // negative one multiplied. 1: off.
  double repetition_penalty = 1;
  // 0: the largest logit wins, the lowest id among equals, and what follows plays no part.
  double temperature = 0;
  std::int64_t top_k = 0;  // the k largest, and all that equal the last of them; 0: off
  double top_p = 1;        // the fewest of the likeliest whose probabilities reach p; 1: off
  double min_p = 0;        // those of at least min_p times the largest probability; 0: off
  std::uint64_t seed = 0;

  // Throws Error(kUsage) naming the option, found and allowed.
  void validate() const;
};

// One stream's choices: the same options, ids and logits always give the same ids. Random numbers
// come from Random(seed), one a choice (none when greedy); the kept ids share [0, 1) in the order
// of ids, each in proportion to its probability.
class Sampler {
 public:
  // `banned`: ids that are never chosen, whatever the logits and the bias say (the rows of a padded
  // vocabulary that no token belongs to).
  Sampler(const SamplingOptions& options, std::vector<int> banned);

  // Tells of an id that is part of the text; for the repetition penalty.
  void observe(int id);
  // Throws Error(kNumeric) if a logit is NaN or infinite, naming its id, or if none is left to
  // choose from. `position`, for the message, is how many ids the logits follow.
  int choose(std::span<const float> logits, std::int64_t position);

 private:
  struct Candidate {
    int id;
    float logit;
  };
  void adjust(std::span<const float> logits, std::int64_t position);
  int greedy() const;
  void keep_top_k();
  void keep_top_p();

  SamplingOptions options_;
  std::vector<int> banned_;
  std::vector<bool> is_seen_;
  std::vector<int> seen_;
  Random random_;
  std::vector<float> adjusted_;
  std::vector<Candidate> candidates_;
  float largest_ = 0;
};

}  // namespace anemone::generate
