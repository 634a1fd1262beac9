#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "anemone/mil/type.h"

namespace anemone::models {

// How a decoder is written down as an ML Program. Every choice that the Neural Engine may like or
// dislike is here, so that an experiment is a change of one field; none changes the arithmetic
// beyond rounding. docs/design.md gives the reason for each default.
enum class Layout : std::uint8_t {
  kBc1s,  // (B, C, 1, S), projections as 1x1 convolutions
  kBsc,   // (B, S, C), projections as linear
};
enum class KvWrite : std::uint8_t {
  kSlice,  // slice_update of a state at an int32 position
  kBlend,  // state blended with new rows under a one-hot fp16 input; no integers
  kHost,   // no state: the cache is an input, new keys and values are outputs
};
enum class States : std::uint8_t {
  kOne,       // (2L, K, context, D): keys of layer i at row 2i, values at 2i+1
  kTwo,       // keys and values apart, (L, K, context, D) each
  kPerLayer,  // 2L states, (1, K, context, D) each
};
enum class Norm : std::uint8_t {
  kConcat,     // layer_norm of concat(x, -x), of which the first half is the RMS norm of x
  kPrescaled,  // x divided by its largest magnitude before it is squared
  kPlain,      // x * rsqrt(mean(x^2) + eps), as usually written
};
enum class Rotary : std::uint8_t {
  kRows,    // cos and sin rows are inputs; halves swapped by slice and concat
  kMatmul,  // the same inputs; halves swapped by a product with a constant matrix
  kTables,  // tables inside, rows gathered at `position`
};
enum class Gqa : std::uint8_t {
  kGrouped,  // queries of one kv head side by side on the row axis: rank 4, keys read once
  kRepeat,   // keys and values repeated by concat to one per query head
  kExpand,   // the same by a rank-5 tile, the way PyTorch's repeat_kv exports
};
enum class Mask : std::uint8_t {
  kInput,     // additive fp16 rows from the host
  kPosition,  // built inside from `position` by integer comparison
};

enum class Silu : std::uint8_t {
  kSigmoid,  // x * sigmoid(x)
  kNative,   // the op silu
};

// Powers of two that move magnitudes without changing what is computed: what keeps fp16 from
// overflowing where a model's residual stream or gated products grow large.
struct Scales {
  // The residual stream holds 2^-residual times the model's own: folded into the embedding and into
  // what o_proj and down_proj add; the norms' epsilon follows, and a tied head is made up for by
  // the final norm's gain.
  int residual = 0;
  // By layer, where not 0: up_proj is 2^-n times, down_proj 2^n times the model's own.
  std::vector<int> gated = {};

  int of_gated(std::int64_t layer) const {
    const auto i = static_cast<std::size_t>(layer);
    return i < gated.size() ? gated[i] : 0;
  }
  bool any() const {
    return residual != 0 ||
           std::any_of(gated.begin(), gated.end(), [](int shift) { return shift != 0; });
  }
  friend bool operator==(const Scales&, const Scales&) = default;
};

struct Form {
  Layout layout = Layout::kBc1s;
  KvWrite kv = KvWrite::kSlice;
  States states = States::kOne;
  Norm norm = Norm::kConcat;
  Rotary rotary = Rotary::kRows;
  Gqa gqa = Gqa::kGrouped;
  Mask mask = Mask::kInput;
  Silu silu = Silu::kSigmoid;
  // Of the norms on the residual stream, if not `norm`.
  std::optional<Norm> stream_norm = {};
  Scales scales = {};
  mil::Opset target = mil::Opset::kIos18;
  std::int64_t context = 1024;
  std::int64_t prefill = 64;    // rows of the prefill and score functions
  std::int64_t head_tiles = 0;  // 0: the fewest of at most 16,384 outputs each
};

// The value that hides a key. Finite: the Neural Engine's softmax is said to mishandle -inf.
// Source: apple/coreai-models neural_engine_rules.md; apple/ml-ane-transformers uses -1e4.
inline constexpr float kMaskValue = -1e4f;

std::string_view name(Layout layout);
std::string_view name(KvWrite kv);
// Absent if there is none of that name.
std::optional<Layout> find_layout(std::string_view name);
std::optional<KvWrite> find_kv_write(std::string_view name);

}  // namespace anemone::models
