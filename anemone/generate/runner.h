#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/generate/bundle.h"
#include "anemone/generate/call_plan.h"
#include "anemone/generate/embedding.h"
#include "anemone/generate/predictor.h"
#include "anemone/tokenizer/tokenizer.h"

namespace anemone::generate {

// Which functions take a prompt in.
enum class Path : std::uint8_t {
  kAuto,    // whole blocks by `prefill`, single positions by `decode`
  kDecode,  // `decode` alone, one position at a time
};

// One loaded bundle: what all streams share. Immutable; sessions on it may run on several threads
// at the same time.
class Runner {
 public:
  struct Options {
    engine::Arithmetic arithmetic = engine::Arithmetic::kFloat16;
    int threads = 0;  // 0: all
    Path path = Path::kAuto;
    bool scores = false;  // whether score() will be called: what it needs is then made ready too
    OpenPredictor open = {};  // null: the CPU engine
  };

  // Reads bundle.json, tokenizer and packages, holds every function against the format and makes
  // ready what `options` name. Throws Error.
  static std::unique_ptr<const Runner> load(const std::filesystem::path& folder,
                                            const Options& options);

  const Bundle& bundle() const { return bundle_; }
  std::int64_t vocab_size() const { return bundle_.vocab_size; }
  std::int64_t context() const { return bundle_.context; }
  // Null for a bundle without one.
  const Tokenizer* tokenizer() const { return tokenizer_ ? &*tokenizer_ : nullptr; }
  engine::Arithmetic arithmetic() const { return options_.arithmetic; }

 private:
  friend class Session;
  // One package that holds layers, with how its functions are called.
  struct Stage {
    std::unique_ptr<Predictor> predictor;
    std::int64_t layers = 0;
    CallPlan decode, prefill;
    std::optional<CallPlan> score;  // kind single
  };

  Runner(Bundle bundle, const Options& options);
  void open_parts();
  void open_single();
  void open_ranged();
  Stage open_stage(const std::string& package, std::int64_t layers);
  void prepare() const;

  Bundle bundle_;
  Options options_;
  std::optional<Tokenizer> tokenizer_;
  std::optional<Embedding> embedding_;  // kind parts
  std::vector<Stage> stages_;
  std::unique_ptr<Predictor> head_;  // kind parts
  RangedMasks ranged_masks_;         // kind ranged
  CallPlan head_decode_, head_score_;
};

// One stream of tokens with a cache of its own. The runner must outlive it. Calls take turns; what
// a session computes does not depend on what others do meanwhile.
class Session {
 public:
  explicit Session(const Runner& runner);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Runner& runner() const { return runner_; }
  // How many ids the stream has taken in.
  std::int64_t position() const;

  // Takes ids in; gives the logits after the last of them, [vocab_size], valid until the next call.
  // Throws Error(kLimit) before any work if they do not fit the context, Error(kBadInput) for an id
  // outside of the vocabulary, Error(kInterrupted) between two blocks.
  std::span<const float> feed(std::span<const int> ids, const StopFlag* stop = nullptr);

  // The same in steps that a caller may pause between: takes one block off the front of `ids`.
  // Gives the logits once nothing is left, and an empty span before.
  std::span<const float> feed_block(std::span<const int>& ids);

  // Every position's logits are handed out, in order.
  using Sink = std::function<void(std::int64_t position, std::span<const float> logits)>;
  void score(std::span<const int> ids, const Sink& sink, const StopFlag* stop = nullptr);

  // Throws what feed() and score() would throw for ids that cannot be taken in.
  void require_room(std::span<const int> ids) const;

  // Back to the empty stream: what follows is bit for bit what a new session gives.
  void reset();
  // Goes on at `position` of the context. Going back forgets what came from there on; going forward
  // leaves what the cache holds in between: zeros, if nothing was there since the last reset().
  // Throws Error(kLimit) for a position outside of the context.
  void move_to(std::int64_t position);

  // Told of what one part hands to the next: the rows that belong to ids, [ids, hidden_size], the
  // first of them at `position`. Bundles of kind parts only; null: nobody.
  using Watch =
      std::function<void(std::size_t part, std::int64_t position, std::span<const float> hidden)>;
  void set_watch(Watch watch);

  // Bytes of all caches and states.
  std::size_t state_bytes() const;

 private:
  struct Buffers;
  // Rows that one call of the packages takes: `ids`, then the last of them again up to `rows`.
  struct Block {
    std::span<const int> ids;
    std::int64_t rows = 1;
    bool is_scored = false;
  };

  void check_ids(std::span<const int> ids) const;
  void take_block(std::span<const int>& ids);
  Block next_block(std::span<const int> ids, bool is_scored) const;
  // Takes the block in. Gives logits if `wants_logits`: to `sink` if there is one, else of the last
  // id into the buffer.
  void run(const Block& block, bool wants_logits, const Sink* sink);
  void run_parts(const Block& block);
  void run_head(const Block& block, const Sink* sink);
  void run_single(const Block& block, bool wants_logits, const Sink* sink);
  void run_ranged(const Block& block, bool wants_logits, const Sink* sink);
  // Hands the rows of a block's logits to `sink`.
  void give_rows(std::span<const float> rows, std::int64_t count, const Sink& sink) const;
  // Calls one stage with all that its plan asks for.
  void call(std::size_t stage, const CallPlan& plan, const Block& block,
            std::vector<engine::Fetch> fetches);
  void fill(Role role, const Block& block);
  engine::Feed feed_of(Role role, const Block& block, std::size_t stage);
  void store_new_keys(std::size_t stage, const Block& block);

  const Runner& runner_;
  std::vector<std::unique_ptr<PredictorState>> states_;  // one a stage
  std::int64_t position_ = 0;
  Watch watch_;
  std::unique_ptr<Buffers> buffers_;
  mutable std::mutex turn_;
};

}  // namespace anemone::generate
