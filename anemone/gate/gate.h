#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/gate/comparison.h"
#include "anemone/gate/reference.h"
#include "anemone/gate/thresholds.h"
#include "anemone/generate/runner.h"

namespace anemone::gate {

struct Options {
  std::vector<int> ids = {};  // the text; at most the context
  bool decode_all = false;    // every position of the text by `decode`, besides the usual 16
  std::int64_t greedy = 8;    // ids that the subject continues a prompt by; 0: none
  Thresholds thresholds = {};
  std::string arithmetic = {};  // the subject's, in words; empty: what its Runner says
  Progress progress = {};
  const StopFlag* stop = nullptr;
};

// How a position's logits came about.
enum class Way : std::uint8_t {
  kBlocks,  // score(): blocks by `prefill` and `score`
  kDecode,  // one id by `decode`
};
std::string_view name(Way way);

// Which ids a position belongs to.
enum class Stretch : std::uint8_t {
  kText,  // the text, from position 0 on
  kEnd,   // the last positions of the context, after keys and values of zeros
};
std::string_view name(Stretch stretch);

struct Row {
  Stretch stretch = Stretch::kText;
  Way way = Way::kBlocks;
  std::int64_t position = 0;  // in the context
  Comparison is = {};
};

// All rows of one way.
struct Summary {
  Way way = Way::kBlocks;
  std::int64_t positions = 0;
  std::int64_t first_position = 0;
  std::int64_t last_position = 0;
  std::int64_t agreeing = 0;   // top-1 equal
  std::int64_t near_ties = 0;  // top-1 differs where the margin allows it
  std::int64_t defects = 0;    // top-1 differs where it does not
  double mean_top5 = 0;        // share of the five best in common
  double mean_kl = 0, worst_kl = 0;
  double worst_cosine = 1;
  std::int64_t worst_cosine_at = 0;  // position
  double worst_relative_error = 0;
};

struct Perplexity {
  std::int64_t predictions = 0;
  double reference = 0;
  double subject = 0;
  double change() const { return subject / reference - 1; }
};

struct Boundary {
  std::string package;
  std::int64_t layer = 0;  // the last before the boundary
  Distance is = {};
  double worst_cosine = 1;  // of one position
  std::int64_t worst_at = 0;
};

// The subject's own continuation, judged at each step by the reference.
struct Greedy {
  std::int64_t steps = 0;
  std::int64_t agreed = 0;  // until the first step at which the reference chooses another id
  bool ends_at_near_tie = false;
  double margin = 0;  // of the reference at that step
};

struct Failure {
  std::string
      check;  // "top-1", "cosine", "perplexity", "boundary", "finite", "flat", "missing", ...
  std::string what;
};

struct Report {
  std::string subject;
  std::string reference;
  std::string reference_path;
  std::string arithmetic;
  std::int64_t context = 0;
  Thresholds thresholds;
  std::vector<Row> rows;
  std::vector<Summary> summaries;
  std::optional<Perplexity> perplexity;  // of the text, by blocks; absent for a text of one id
  std::vector<Boundary> boundaries;
  Greedy greedy;
  std::vector<Failure> failures;
  double reference_seconds = 0;
  double subject_seconds = 0;

  bool passed() const { return failures.empty(); }
};

// Runs the subject and the reference on the same ids and judges. Throws Error for what cannot be
// run at all; everything that is wrong with the numbers is a failure in the report.
Report judge(const generate::Runner& subject, Reference& reference, const Options& options);

// One object: everything but the rows. Rows are an object each.
OrderedJson to_json(const Report& report);
OrderedJson to_json(const Row& row, double near_tie);

}  // namespace anemone::gate
