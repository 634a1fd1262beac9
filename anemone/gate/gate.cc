#include "anemone/gate/gate.h"

#include <chrono>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/gate/expectations.h"

namespace anemone::gate {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kDecodedEarly = 8;  // of 16; the others are the last of the context
constexpr std::int64_t kDecodedLast = 8;
constexpr std::int64_t kChunk = 64;  // reference logits held at a time
constexpr std::int64_t kGreedyPrompt = 24;

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }
std::int64_t length(const std::vector<int>& ids) { return static_cast<std::int64_t>(ids.size()); }

int best(std::span<const float> logits) {
  return static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

class Stopwatch {
 public:
  explicit Stopwatch(double& total) : total_(total) {}
  ~Stopwatch() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    total_ += took.count();
  }

 private:
  double& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string digits(double value, int count) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*g", count, value);
  return text;
}

// A judgement under way.
class Judgement {
 public:
  Judgement(const generate::Runner& subject, Reference& reference, const Options& options)
      : subject_(subject), reference_(reference), options_(options) {
    report_.subject = subject.bundle().folder.string();
    report_.reference = reference.says();
    report_.reference_path = reference.path().string();
    report_.arithmetic =
        subject.arithmetic() == engine::Arithmetic::kFloat32 ? "float32" : "float16";
    if (!options.arithmetic.empty()) report_.arithmetic = options.arithmetic;
    report_.context = subject.context();
    report_.thresholds = options.thresholds;
  }

  Report run() {
    // Comparing would be pointless, or impossible.
    if (!is_comparable()) return std::move(report_);
    plan();
    {
      const Stopwatch watch(report_.reference_seconds);
      reference_.take(sequences_, boundary_layers(), options_.progress, options_.stop);
    }
    const double before = report_.reference_seconds;
    double all = 0;
    {
      const Stopwatch watch(all);
      compare_text();
      compare_end();
      if (options_.decode_all) compare_all_by_decode();
      compare_greedy();
    }
    report_.subject_seconds += all - (report_.reference_seconds - before);
    judge_rows();
    judge_perplexity();
    judge_boundaries();
    return std::move(report_);
  }

 private:
  void fail(std::string check, std::string what) {
    report_.failures.push_back({std::move(check), std::move(what)});
  }

  bool is_comparable() {
    const fs::path ours = subject_.bundle().folder;
    std::error_code ignored;
    if (reference_.runner() == &subject_ || fs::equivalent(ours, reference_.path(), ignored)) {
      fail("itself", ours.string() + " is compared with itself, which proves nothing");
    }
    if (reference_.vocab_size() != subject_.vocab_size()) {
      fail("vocabulary", "the subject gives " + std::to_string(subject_.vocab_size()) +
                             " logits for each position, the reference " +
                             std::to_string(reference_.vocab_size()));
    }
    if (reference_.context() && *reference_.context() < subject_.context()) {
      fail("context", "the reference serves " + std::to_string(*reference_.context()) +
                          " positions; the subject has " + std::to_string(subject_.context()));
    }
    return report_.failures.empty();
  }

  // The text, the end of the context if the text does not reach it, the subject's continuation.
  void plan() {
    const std::int64_t context = subject_.context();
    const std::int64_t count = length(options_.ids);
    generate::Session(subject_).require_room(options_.ids);
    sequences_.push_back({options_.ids, 0});
    if (count < context) {
      const std::int64_t rows =
          std::min(context, std::max(subject_.bundle().prefill, kDecodedLast));
      Sequence end{{}, context - rows};
      for (std::int64_t i = 0; i < rows; ++i) end.ids.push_back(options_.ids[size(i % count)]);
      end_ = sequences_.size();
      sequences_.push_back(std::move(end));
    }
    const std::int64_t prompt = std::min(kGreedyPrompt, count);
    const std::int64_t steps = std::min(options_.greedy, context - prompt);
    if (steps < 1) return;
    const Stopwatch watch(report_.subject_seconds);
    Sequence greedy{{options_.ids.begin(), options_.ids.begin() + prompt}, 0};
    generate::Session session(subject_);
    auto logits = session.feed(greedy.ids, options_.stop);
    for (std::int64_t step = 0; step < steps; ++step) {
      const int id = best(logits);
      greedy.ids.push_back(id);
      if (step + 1 < steps) logits = session.feed(std::span(&id, 1), options_.stop);
    }
    report_.greedy.steps = steps;
    greedy_ = sequences_.size();
    sequences_.push_back(std::move(greedy));
  }

  std::vector<std::int64_t> boundary_layers() const {
    std::vector<std::int64_t> layers;
    for (const generate::Part& part : subject_.bundle().parts) {
      layers.push_back(part.first_layer + part.layers - 1);
    }
    return layers;
  }

  // Logits of the reference, a chunk of a sequence at a time.
  std::span<const float> reference_logits(std::size_t sequence, std::int64_t i,
                                          std::int64_t ahead) {
    const std::int64_t vocab = subject_.vocab_size();
    if (sequence != chunk_sequence_ || i < chunk_first_ || i >= chunk_first_ + chunk_count_) {
      const Stopwatch watch(report_.reference_seconds);
      chunk_sequence_ = sequence;
      chunk_first_ = i;
      chunk_count_ = std::min(ahead, length(sequences_[sequence].ids) - i);
      chunk_.resize(size(chunk_count_ * vocab));
      reference_.logits(sequence, i, chunk_count_, chunk_);
    }
    return std::span(chunk_).subspan(size((i - chunk_first_) * vocab), size(vocab));
  }

  void add(std::size_t sequence, Way way, std::int64_t i, std::span<const float> logits,
           std::int64_t ahead) {
    const Sequence& of = sequences_[sequence];
    Row row{.stretch = sequence == 0 ? Stretch::kText : Stretch::kEnd,
            .way = way,
            .position = of.start + i};
    const bool has_next = i + 1 < length(of.ids);
    row.is =
        compare(reference_logits(sequence, i, ahead), logits, has_next ? of.ids[size(i + 1)] : -1);
    report_.rows.push_back(row);
    if (options_.progress) {
      options_.progress("bundle", report_.rows.size(), expected_rows());
    }
  }

  std::uint64_t expected_rows() const {
    std::int64_t rows =
        length(options_.ids) * (options_.decode_all ? 2 : 1) + kDecodedEarly + kDecodedLast;
    if (end_) rows += length(sequences_[*end_].ids);
    return std::max(static_cast<std::uint64_t>(rows), std::uint64_t{report_.rows.size()});
  }

  // One sequence by blocks. Every position must be handed out once, in order.
  void score(generate::Session& session, std::size_t sequence) {
    const Sequence& of = sequences_[sequence];
    session.move_to(of.start);
    std::int64_t seen = 0;
    bool is_in_order = true;
    session.score(
        of.ids,
        [&](std::int64_t position, std::span<const float> logits) {
          is_in_order = is_in_order && position == of.start + seen &&
                        static_cast<std::int64_t>(logits.size()) == subject_.vocab_size();
          if (is_in_order && seen < length(of.ids))
            add(sequence, Way::kBlocks, seen, logits, kChunk);
          ++seen;
        },
        options_.stop);
    if (!is_in_order || seen != length(of.ids)) {
      fail("missing", "the subject gave logits for " + std::to_string(seen) + " of " +
                          std::to_string(length(of.ids)) + " positions" +
                          (is_in_order ? "" : ", out of order"));
    }
  }

  void decode(generate::Session& session, std::size_t sequence, std::int64_t first,
              std::int64_t count) {
    const Sequence& of = sequences_[sequence];
    session.move_to(of.start + first);
    for (std::int64_t i = first; i < first + count; ++i) {
      const auto logits = session.feed(std::span(&of.ids[size(i)], 1), options_.stop);
      add(sequence, Way::kDecode, i, logits, std::min(kChunk, first + count - i));
    }
  }

  void compare_text() {
    const std::int64_t count = length(options_.ids);
    generate::Session session(subject_);
    watch_boundaries(session);
    score(session, 0);
    session.set_watch(nullptr);
    // By `decode`: from an empty cache, then across the end of a block that `prefill` wrote.
    const std::int64_t early = std::min(kDecodedEarly / 2, count);
    const std::int64_t end_of_block = std::min(subject_.bundle().prefill, count);
    const std::int64_t from =
        std::max(early, std::min(end_of_block - kDecodedEarly / 4, count - kDecodedEarly / 2));
    decode(session, 0, from, std::min(kDecodedEarly / 2, count - from));
    if (!end_) {
      const std::int64_t last = std::min(kDecodedLast, count - early);
      decode(session, 0, count - last, last);
    }
    generate::Session fresh(subject_);
    decode(fresh, 0, 0, early);
  }

  void compare_end() {
    if (!end_) return;
    generate::Session session(subject_);
    score(session, *end_);
    const std::int64_t count = length(sequences_[*end_].ids);
    const std::int64_t last = std::min(kDecodedLast, count);
    decode(session, *end_, count - last, last);
  }

  void compare_all_by_decode() {
    generate::Session session(subject_);
    decode(session, 0, 0, length(options_.ids));
  }

  void compare_greedy() {
    if (!greedy_) return;
    Greedy& greedy = report_.greedy;
    const Sequence& of = sequences_[*greedy_];
    const std::int64_t first = length(of.ids) - greedy.steps;
    for (std::int64_t step = 0; step < greedy.steps; ++step) {
      const auto theirs = reference_logits(*greedy_, first + step - 1, greedy.steps - step);
      const int chosen = of.ids[size(first + step)];
      const int wanted = best(theirs);
      if (wanted == chosen) {
        ++greedy.agreed;
        continue;
      }
      greedy.margin = static_cast<double>(theirs[size(wanted)]) - theirs[size(chosen)];
      greedy.ends_at_near_tie = greedy.margin <= options_.thresholds.near_tie;
      if (greedy.ends_at_near_tie) return;
      fail("greedy", "step " + std::to_string(step) + " of the continuation chooses id " +
                         std::to_string(chosen) + "; the reference prefers " +
                         std::to_string(wanted) + " by " + digits(greedy.margin, 3));
      return;
    }
  }

  void watch_boundaries(generate::Session& session) {
    for (const generate::Part& part : subject_.bundle().parts) {
      report_.boundaries.push_back(
          {.package = part.package, .layer = part.first_layer + part.layers - 1});
    }
    streams_.resize(report_.boundaries.size());
    session.set_watch([this](std::size_t part, std::int64_t, std::span<const float> hidden) {
      append_unscaled(subject_.bundle(), hidden, streams_.at(part));
    });
  }

  void judge_boundaries() {
    const auto& least = options_.thresholds.min_boundary_cosine;
    for (std::size_t i = 0; i < report_.boundaries.size(); ++i) {
      Boundary& boundary = report_.boundaries[i];
      const auto theirs = reference_.stream(boundary.layer, 0);
      const auto ours = std::span<const float>(streams_[i]);
      const std::string where =
          "after layer " + std::to_string(boundary.layer) + " (" + boundary.package + ")";
      if (theirs.empty()) continue;
      if (theirs.size() != ours.size()) {
        fail("missing", where + ": " + std::to_string(ours.size()) +
                            " values crossed the boundary; " + "expected are " +
                            std::to_string(theirs.size()));
        continue;
      }
      boundary.is = distance(theirs, ours);
      const auto width = size(reference_.hidden_size());
      for (std::size_t row = 0; row * width < ours.size(); ++row) {
        const Distance d =
            distance(theirs.subspan(row * width, width), ours.subspan(row * width, width));
        if (d.is_finite && d.cosine >= boundary.worst_cosine) continue;
        boundary.worst_cosine = d.cosine;
        boundary.worst_at = static_cast<std::int64_t>(row);
        if (!d.is_finite) break;
      }
      if (!boundary.is.is_finite) {
        fail("finite", where + ": infinite or NaN from position " +
                           std::to_string(boundary.worst_at) + " on");
      } else if (least && boundary.worst_cosine < *least) {
        fail("boundary", where + ": cosine " + digits(boundary.worst_cosine, 6) + " at position " +
                             std::to_string(boundary.worst_at) + "; at least " + digits(*least, 6) +
                             " is demanded");
      }
    }
  }

  // What is wrong with single rows, the first of each kind named and the others counted.
  void judge_rows() {
    struct Found {
      std::int64_t count = 0;
      std::string first;
    };
    std::map<std::string, Found> found;
    const auto note = [&](const char* check, const Row& row, const std::string& what) {
      Found& of = found[check];
      if (of.count++ > 0) return;
      of.first = "position " + std::to_string(row.position) + " by " + std::string(name(row.way)) +
                 ": " + what;
    };
    const Thresholds& t = options_.thresholds;
    bool is_identical = true;
    std::map<Way, Summary> summaries;
    for (const Row& row : report_.rows) {
      const Comparison& c = row.is;
      is_identical = is_identical && c.is_identical;
      Summary& s = summaries[row.way];
      if (s.positions++ == 0) s.first_position = row.position;
      s.way = row.way;
      s.first_position = std::min(s.first_position, row.position);
      s.last_position = std::max(s.last_position, row.position);
      if (!c.reference_is_finite) note("reference", row, "the reference's logits are not finite");
      if (!c.subject_is_finite) note("finite", row, "logits are infinite or NaN");
      if (!c.reference_is_finite || !c.subject_is_finite) {
        s.worst_cosine = 0;
        s.worst_cosine_at = row.position;
        ++s.defects;
        continue;
      }
      if (c.reference_is_flat) note("reference", row, "the reference's logits are all equal");
      if (c.subject_is_flat) note("flat", row, "all logits are equal");
      const bool is_near_tie = !c.agrees() && c.margin <= t.near_tie;
      s.agreeing += c.agrees() ? 1 : 0;
      s.near_ties += is_near_tie ? 1 : 0;
      if (!c.agrees() && !is_near_tie) {
        ++s.defects;
        note("top-1", row,
             "chooses id " + std::to_string(c.subject_top) + "; the reference chooses " +
                 std::to_string(c.reference_top) + " with a margin of " + digits(c.margin, 3) +
                 ", and only up to " + digits(t.near_tie, 3) + " is a tie");
      }
      s.mean_top5 += static_cast<double>(c.top5) / c.top5_of;
      s.mean_kl += c.kl;
      s.worst_kl = std::max(s.worst_kl, c.kl);
      s.worst_relative_error = std::max(s.worst_relative_error, c.relative_error);
      if (c.cosine < s.worst_cosine) {
        s.worst_cosine = c.cosine;
        s.worst_cosine_at = row.position;
      }
      if (t.min_cosine && !(c.cosine >= *t.min_cosine)) {
        note("cosine", row,
             "cosine " + digits(c.cosine, 6) + "; at least " + digits(*t.min_cosine, 6) +
                 " is demanded");
      }
      if (t.max_kl && !(c.kl <= *t.max_kl)) {
        note("kl", row, "KL " + digits(c.kl, 3) + "; at most " + digits(*t.max_kl, 3));
      }
      if (t.max_relative_error && !(c.relative_error <= *t.max_relative_error)) {
        note("relative-error", row,
             "relative error " + digits(c.relative_error, 3) + "; at most " +
                 digits(*t.max_relative_error, 3));
      }
    }
    for (auto& [way, s] : summaries) {
      s.mean_top5 /= static_cast<double>(s.positions);
      s.mean_kl /= static_cast<double>(s.positions);
      if (t.min_top5 && !(s.mean_top5 >= *t.min_top5)) {
        fail("top-5", "by " + std::string(name(way)) + " " + digits(s.mean_top5, 4) +
                          " of the five best are the reference's; at least " +
                          digits(*t.min_top5, 4));
      }
      report_.summaries.push_back(s);
    }
    for (const auto& [check, of] : found) {
      fail(check,
           of.first + (of.count > 1 ? " (and " + std::to_string(of.count - 1) + " more)" : ""));
    }
    if (report_.rows.empty()) fail("missing", "no position was compared");
    if (!report_.rows.empty() && is_identical) {
      fail("itself",
           "every logit equals the reference's bit for bit: something is compared with "
           "itself");
    }
  }

  void judge_perplexity() {
    Perplexity p;
    bool is_finite = true;
    for (const Row& row : report_.rows) {
      const bool counts = row.stretch == Stretch::kText && row.way == Way::kBlocks &&
                          row.position + 1 < length(options_.ids);
      if (!counts) continue;
      is_finite = is_finite && row.is.reference_is_finite && row.is.subject_is_finite;
      ++p.predictions;
      p.reference += row.is.reference_nll;
      p.subject += row.is.subject_nll;
    }
    if (p.predictions == 0 || !is_finite) return;
    p.reference = std::exp(p.reference / static_cast<double>(p.predictions));
    p.subject = std::exp(p.subject / static_cast<double>(p.predictions));
    report_.perplexity = p;
    const auto& most = options_.thresholds.max_perplexity_change;
    if (most && !(std::abs(p.change()) <= *most)) {
      fail("perplexity", "perplexity is " + digits(p.subject, 6) + ", the reference's " +
                             digits(p.reference, 6) + ": a change of " +
                             digits(100 * p.change(), 3) + " %; at most " + digits(100 * *most, 3) +
                             " % is allowed");
    }
  }

  const generate::Runner& subject_;
  Reference& reference_;
  const Options& options_;
  Report report_;
  std::vector<Sequence> sequences_;
  std::optional<std::size_t> end_, greedy_;  // places in sequences_
  std::vector<std::vector<float>> streams_;  // of each boundary
  std::vector<float> chunk_;
  std::size_t chunk_sequence_ = SIZE_MAX;
  std::int64_t chunk_first_ = 0, chunk_count_ = 0;
};

}  // namespace

std::string_view name(Way way) { return way == Way::kBlocks ? "blocks" : "decode"; }
std::string_view name(Stretch stretch) { return stretch == Stretch::kText ? "text" : "end"; }

Report judge(const generate::Runner& subject, Reference& reference, const Options& options) {
  return Judgement(subject, reference, options).run();
}

}  // namespace anemone::gate
