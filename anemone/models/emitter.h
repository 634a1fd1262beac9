#pragma once

#include <string>
#include <vector>

#include "anemone/mil/builder.h"
#include "anemone/models/decoder.h"

namespace anemone::models {

// Writes one function of a decoder, in one form, for one number of rows. B = 1, C = hidden_size,
// S = rows, H query heads and K key/value heads of size D, G = H / K.
//
// The residual stream, and every projection's result, has the layout's own shape: (1, C, 1, S) in
// bc1s, (1, S, C) in bsc. Heads are always (1, H, S, D).
class Emitter {
 public:
  Emitter(const DecoderConfig& config, const Form& form, DecoderWeights& weights,
          mil::Function& function, std::int64_t rows);

  mil::Builder& builder() { return b_; }

  // For experiments, before the inputs are declared. The cache is read up to the last position
  // written, not to the context's end; the layers' rows of keys and values, 2L in all, lie in
  // `states` states of (nearly) equal size, whatever the form says.
  void read_prefix() { reads_prefix_ = true; }
  void set_state_count(std::int64_t states) { state_count_ = states; }

  // Between the boundary's shape, (1, S, C), and the layout's.
  mil::Value* enter(mil::Value* hidden);
  mil::Value* leave(mil::Value* stream, std::string_view name);

  // Declares position, cos, sin, mask, write, cache and states, as far as the form has them, for
  // `layers` layers from `first` on.
  void declare_inputs(Range layers);
  // The same for a function whose number of rows only a call fixes (rows kUnknown): the masks,
  // (1, 1, S, total), say by their extents what lies in the cache before them.
  void declare_ranged_inputs(Range layers);
  // cos and sin alone.
  void declare_rotation();
  // One decoder layer; `layer` counts from the model's start.
  mil::Value* layer(mil::Value* stream, std::int64_t layer);
  // Writes back what the form defers to the end (blended states). Gives kv_new where the host owns
  // the cache, else null.
  mil::Value* finish_cache();
  mil::Value* final_norm(mil::Value* stream);
  // Rows [tile.first, tile.first + tile.count) of the logits, (1, S, count).
  mil::Value* logits(mil::Value* stream, Range tile, std::string_view name);

  // --- Pieces of a layer, for experiments that run one alone. ---

  // RMS norm of a value along `axis`, times the gain, times `scale`.
  struct NormOf {
    Role gain;
    std::int64_t layer;
    std::int64_t axis;
    Norm form;
    double epsilon;
    double scale = 1;
  };
  mil::Value* norm(mil::Value* x, const NormOf& of, std::string_view name);
  // Of the residual stream, which may be scaled; of one head's elements.
  NormOf stream_norm(Role gain, std::int64_t layer) const;
  NormOf head_norm(Role gain, std::int64_t layer, double scale) const;
  mil::Value* project(mil::Value* x, Role role, Role bias, std::int64_t layer,
                      std::string_view name);
  mil::Value* to_heads(mil::Value* x, std::int64_t heads, std::string_view name);
  mil::Value* from_heads(mil::Value* x, std::string_view name);
  mil::Value* rotate(mil::Value* heads, std::string_view name);
  mil::Value* feed_forward(mil::Value* x, std::int64_t layer);

 private:
  struct Heads {
    mil::Value* keys;  // (1, K, context, D), or (1, H, context, D) once repeated
    mil::Value* values;
  };
  mil::Value* half(std::string_view name, double value);  // an fp16 scalar
  mil::Value* multiply(mil::Value* x, std::shared_ptr<const Tensor> weight,
                       std::shared_ptr<const Tensor> bias, std::string_view name);
  mil::Value* slice(mil::Value* x, std::int64_t axis, std::int64_t begin, std::int64_t end,
                    std::string_view name);
  mil::Value* attend(mil::Value* q, mil::Value* k, mil::Value* v, std::int64_t layer);
  mil::Value* repeat_heads(mil::Value* x, std::string_view name);
  mil::Value* scores(mil::Value* q, mil::Value* keys, std::string_view name);
  void declare_masks(std::int64_t keys);
  void position_masks(std::int64_t keys);
  // Applies `make(mask, prefix of its name)` to the masks that there are.
  template <typename Make>
  void for_masks(const Make& make) {
    if (mask_ != nullptr) mask_ = make(mask_, "");
    if (sliding_mask_ != nullptr) sliding_mask_ = make(sliding_mask_, "sliding_");
  }
  void group_masks();
  bool has_layer(Range layers, bool is_sliding) const;
  mil::Value* any_mask() const;  // of either kind; null if there is none
  mil::Value* rotary_table(float (*of)(float), std::string_view name);

  // The cache (emitter_cache.cc).
  Heads store_by_slice(mil::Value* k, mil::Value* v, std::int64_t layer);
  Heads store_by_blend(mil::Value* k, mil::Value* v, std::int64_t layer);
  Heads host_cache(std::int64_t layer);
  void declare_states();
  void declare_ends();
  struct Row {
    mil::Value* state;  // or, for a host's cache, the input
    std::int64_t row;   // which row of it
    std::int64_t rows;  // of how many
  };
  Row key_row(std::int64_t layer) const;
  Row value_row(std::int64_t layer) const;
  mil::Value* slice_store(const Row& row, mil::Value* update, std::string_view name);
  mil::Value* corner(const std::string& name, std::vector<std::int64_t> head, mil::Value* position,
                     std::int64_t tail);
  Row state_row(std::int64_t row) const;
  mil::Value* take_row(mil::Value* cache, const Row& row, std::string_view name);
  mil::Value* take_whole_row(mil::Value* cache, const Row& row, std::string_view name);
  void prefix_masks();
  mil::Value* blended(mil::Value* old, mil::Value* update, std::string_view name);
  std::string prefix(std::int64_t layer) const { return "layer_" + std::to_string(layer) + "_"; }

  const DecoderConfig& config_;
  const Form& form_;
  DecoderWeights& weights_;
  std::int64_t rows_;
  mil::Builder b_;
  bool is_bc1s_;
  Range layers_;
  std::vector<mil::Value*> states_;
  std::vector<mil::Value*> fresh_;                      // per layer: k, v as (1, K, S, D)
  std::vector<std::vector<mil::Value*>> blended_rows_;  // per state
  mil::Value* position_ = nullptr;
  mil::Value* position_end_ = nullptr;
  std::int64_t state_count_ = 0;  // 0: as the form has it
  bool reads_prefix_ = false;     // the cache is read up to position_end_, not to the context's end
  mil::Value* cos_ = nullptr;
  mil::Value* sin_ = nullptr;
  // (1, 1, S or G*S, keys), of layers that see everything and of layers that slide; null where
  // there are none.
  mil::Value* mask_ = nullptr;
  mil::Value* sliding_mask_ = nullptr;
  mil::Value* write_ = nullptr;
  mil::Value* keep_ = nullptr;
  mil::Value* cache_ = nullptr;  // the host's
  mil::Value* swap_ = nullptr;   // [D, D], Rotary::kMatmul
};

}  // namespace anemone::models
