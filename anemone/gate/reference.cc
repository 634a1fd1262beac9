#include "anemone/gate/reference.h"

#include "anemone/base/check.h"
#include "anemone/gate/expectations.h"

namespace anemone::gate {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

class OracleReference : public Reference {
 public:
  explicit OracleReference(const oracle::Oracle& oracle) : oracle_(oracle) {}

  std::string says() const override {
    return std::string("oracle: fp32 arithmetic on the checkpoint's weights") +
           (oracle_.options().round_weights_to_f16 ? ", rounded to fp16" : "");
  }
  std::filesystem::path path() const override { return oracle_.checkpoint().path(); }
  std::int64_t vocab_size() const override { return oracle_.config().vocab_size; }
  std::int64_t hidden_size() const override { return oracle_.config().hidden_size; }

  void take(std::span<const Sequence> sequences, std::span<const std::int64_t> layers,
            const Progress& progress, const StopFlag* stop) override {
    first_rows_.clear();
    streams_.clear();
    std::int64_t rows = 0;
    for (const Sequence& sequence : sequences) {
      first_rows_.push_back(rows);
      rows += static_cast<std::int64_t>(sequence.ids.size());
    }
    first_rows_.push_back(rows);
    const oracle::Observer observer = [&](const oracle::Seen& seen) {
      if (seen.name != "out") return;
      if (std::find(layers.begin(), layers.end(), seen.layer) == layers.end()) return;
      streams_[seen.layer].assign(seen.data, seen.data + seen.rows * seen.columns);
    };
    normed_ = oracle_.run(sequences, observer, progress, stop);
  }

  void logits(std::size_t sequence, std::int64_t first, std::int64_t count,
              std::span<float> out) override {
    oracle_.logits(rows_of(normed_, sequence)
                       .subspan(size(first * hidden_size()), size(count * hidden_size())),
                   out);
  }

  std::span<const float> stream(std::int64_t layer, std::size_t sequence) const override {
    const auto found = streams_.find(layer);
    return found == streams_.end() ? std::span<const float>() : rows_of(found->second, sequence);
  }

 private:
  std::span<const float> rows_of(const std::vector<float>& rows, std::size_t sequence) const {
    const std::int64_t begin = first_rows_.at(sequence), end = first_rows_.at(sequence + 1);
    return std::span(rows).subspan(size(begin * hidden_size()),
                                   size((end - begin) * hidden_size()));
  }

  const oracle::Oracle& oracle_;
  std::vector<std::int64_t> first_rows_;
  std::vector<float> normed_;
  std::map<std::int64_t, std::vector<float>> streams_;
};

class RunnerReference : public Reference {
 public:
  explicit RunnerReference(const generate::Runner& runner) : runner_(runner) {}

  std::string says() const override { return "another bundle"; }
  std::filesystem::path path() const override { return runner_.bundle().folder; }
  const generate::Runner* runner() const override { return &runner_; }
  std::int64_t vocab_size() const override { return runner_.vocab_size(); }
  std::int64_t hidden_size() const override { return runner_.bundle().hidden_size; }
  std::optional<std::int64_t> context() const override { return runner_.context(); }

  // One session for each sequence, so that any position can be asked for again.
  void take(std::span<const Sequence> sequences, std::span<const std::int64_t> layers,
            const Progress& progress, const StopFlag* stop) override {
    sequences_.assign(sequences.begin(), sequences.end());
    sessions_.clear();
    streams_.clear();
    for (std::size_t i = 0; i < sequences_.size(); ++i) {
      if (progress) progress("reference", i, sequences_.size());
      const Sequence& sequence = sequences_[i];
      sessions_.push_back(std::make_unique<generate::Session>(runner_));
      generate::Session& session = *sessions_.back();
      session.move_to(sequence.start);
      session.set_watch([&](std::size_t part, std::int64_t, std::span<const float> hidden) {
        const generate::Part& of = runner_.bundle().parts.at(part);
        const std::int64_t last = of.first_layer + of.layers - 1;
        if (std::find(layers.begin(), layers.end(), last) == layers.end()) return;
        append_unscaled(runner_.bundle(), hidden, streams_[{last, i}]);
      });
      session.feed(sequence.ids, stop);
      session.set_watch(nullptr);
    }
  }

  void logits(std::size_t sequence, std::int64_t first, std::int64_t count,
              std::span<float> out) override {
    const Sequence& of = sequences_.at(sequence);
    generate::Session& session = *sessions_.at(sequence);
    session.move_to(of.start + first);
    // Whole blocks: the padding of a shorter one would lie in the cache where later ids have been.
    const std::int64_t block = runner_.bundle().prefill;
    const std::int64_t left = static_cast<std::int64_t>(of.ids.size()) - first;
    const std::int64_t scored =
        count == 1 ? 1 : std::min((count + block - 1) / block * block, left);
    session.score(std::span(of.ids).subspan(size(first), size(scored)),
                  [&](std::int64_t, std::span<const float> logits) {
                    if (out.empty()) return;
                    std::copy(logits.begin(), logits.end(), out.begin());
                    out = out.subspan(logits.size());
                  });
  }

  std::span<const float> stream(std::int64_t layer, std::size_t sequence) const override {
    const auto found = streams_.find({layer, sequence});
    return found == streams_.end() ? std::span<const float>() : std::span(found->second);
  }

 private:
  const generate::Runner& runner_;
  std::vector<Sequence> sequences_;
  std::vector<std::unique_ptr<generate::Session>> sessions_;
  std::map<std::pair<std::int64_t, std::size_t>, std::vector<float>> streams_;
};

}  // namespace

std::unique_ptr<Reference> reference_of(const oracle::Oracle& oracle) {
  return std::make_unique<OracleReference>(oracle);
}
std::unique_ptr<Reference> reference_of(const generate::Runner& runner) {
  return std::make_unique<RunnerReference>(runner);
}

}  // namespace anemone::gate
