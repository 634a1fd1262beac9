#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/base/thread_pool.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/oracle/config.h"

namespace anemone::oracle {

struct Options {
  // True: every weight is rounded to fp16 first, so that it is the model that a package stores.
  bool round_weights_to_f16 = true;
  std::int64_t layers = 0;        // keep the first so many; 0: all
  bool tie_missing_head = false;  // an untied checkpoint without lm_head.weight uses the embedding
  int threads = 0;                // 0: all
  // True: every sum is in double and in one order, so that the bits are the same on every
  // processor. Half as fast.
  bool in_double = false;
};

// A stream of tokens. Those before position `start` stand for keys and values of zeros, as a cache
// that was never written holds them.
struct Sequence {
  std::vector<int> ids;
  std::int64_t start = 0;
};

// An intermediate of all sequences' rows, one sequence after another: [rows, columns].
struct Seen {
  std::string_view name;
  std::int64_t layer = -1;  // -1: outside of the layers
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  const float* data = nullptr;  // valid during the call
};
// Told of, in this order: "embedding"; in each layer input_norm, q_proj, k_proj, v_proj, q_norm and
// k_norm (if there are such norms), q and k (rotated, not scaled), attention (what goes into
// o_proj), o_proj, after_attention, post_attention_norm, gate_proj, up_proj, gated, down_proj, out;
// at last "final_norm".
using Observer = std::function<void(const Seen&)>;

// A language model in fp32, computed from the checkpoint's weights by loops of its own: no program,
// no graph, none of the converter's tables. What everything else is held to; it is itself held to
// transformers by golden files. Holds no weights: they are decoded, a few rows at a time, when they
// are needed. Results do not depend on the number of threads.
class Oracle {
 public:
  // Checks that every tensor is there, has the shape that the config asks for, and that none is
  // left over that the oracle does not use. Throws Error.
  static std::unique_ptr<const Oracle> load(const Checkpoint& checkpoint, const Options& options);

  const Config& config() const { return config_; }
  const Checkpoint& checkpoint() const { return checkpoint_; }
  const Options& options() const { return options_; }
  // Bytes of the weights that one run reads, for progress.
  std::uint64_t weight_bytes() const;
  // The embedding, layer by layer over all rows at once. Gives the rows after the final norm,
  // [rows of all sequences, hidden_size]. Throws Error(kBadInput) for an id outside of the
  // vocabulary, Error(kInterrupted).
  std::vector<float> run(std::span<const Sequence> sequences, const Observer& observer = {},
                         const Progress& progress = {}, const StopFlag* stop = nullptr) const;
  // The logits of such rows, [rows, vocab_size].
  void logits(std::span<const float> normed, std::span<float> out) const;

  using Sink = std::function<void(std::int64_t position, std::span<const float> logits)>;
  // run() and logits() over one stream, in blocks of rows.
  void score(std::span<const int> ids, const Sink& sink, const Observer& observer = {}) const;

  // The epsilon and a vector of weights as the oracle uses them.
  float epsilon() const;
  std::vector<float> vector(std::string_view name) const;

 private:
  Oracle(const Checkpoint& checkpoint, const Options& options);
  struct Rows;  // a run under way
  void require_tensors();
  void require(const std::string& name, Shape shape);
  std::string in_layer(std::int64_t layer, std::string_view rest) const;
  const CheckpointTensor& tensor(const std::string& name) const;
  bool has(const std::string& name) const { return tensors_.contains(name); }
  void multiply(std::span<const float> x, std::int64_t rows, const std::string& name,
                const std::string& bias, std::span<float> y) const;
  void norm(std::span<float> x, std::int64_t columns, const std::string& gain) const;
  void embed(Rows& rows) const;
  void layer(Rows& rows, std::int64_t layer) const;
  void attention(Rows& rows, std::int64_t layer) const;
  void feed_forward(Rows& rows, std::int64_t layer) const;

  Checkpoint checkpoint_;
  Options options_;
  Config config_;
  std::string head_;
  std::map<std::string, const CheckpointTensor*, std::less<>> tensors_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace anemone::oracle
