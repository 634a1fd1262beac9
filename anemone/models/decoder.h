#pragma once

#include <cstdint>
#include <string>

#include "anemone/mil/program.h"
#include "anemone/models/config.h"
#include "anemone/models/form.h"
#include "anemone/models/partition.h"
#include "anemone/models/weights.h"

namespace anemone::models {

// Names of functions and features, as docs/formats/bundle.md has them.
inline constexpr char kDecode[] = "decode";
inline constexpr char kPrefill[] = "prefill";
inline constexpr char kScore[] = "score";
inline constexpr char kHidden[] = "hidden";
inline constexpr char kHiddenOut[] = "hidden_out";
inline constexpr char kPosition[] = "position";
inline constexpr char kCos[] = "cos";
inline constexpr char kSin[] = "sin";
inline constexpr char kMask[] = "mask";
inline constexpr char kSlidingMask[] = "sliding_mask";
inline constexpr char kWrite[] = "write";
inline constexpr char kKv[] = "kv";
inline constexpr char kKvNew[] = "kv_new";
inline constexpr char kInputIds[] = "input_ids";
inline constexpr char kLast[] = "last";
inline constexpr char kLogits[] = "logits";
std::string logits_name(std::size_t tile);  // "logits_0"

// Those of the ranged package, as the library that loads it asks for them.
// Source: huggingface/swift-transformers Sources/Models/LanguageModel.swift (enum Keys), 2026.
inline constexpr char kMain[] = "main";
inline constexpr char kRangedIds[] = "inputIds";
inline constexpr char kRangedMask[] = "fullAttentionMask";
inline constexpr char kRangedSlidingMask[] = "slidingAttentionMask";
inline constexpr char kRangedKeys[] = "keyCache";
inline constexpr char kRangedValues[] = "valueCache";

// A program with functions `decode` and `prefill` for a run of layers, sharing weights and state.
// Inputs, outputs and states are those of docs/formats/bundle.md; `form` decides the rest.
mil::Program build_layers(const DecoderConfig& config, const Form& form, DecoderWeights& weights,
                          Range layers);
// Final norm and projection: functions `decode` (one row) and `score` (form.prefill rows).
mil::Program build_head(const DecoderConfig& config, const Form& form, DecoderWeights& weights);
// From token ids to logits: functions `decode`, `prefill` and `score`. The head is one tile.
mil::Program build_single(const DecoderConfig& config, const Form& form, DecoderWeights& weights);

// From any number of token ids to the logits after each, one function `main`:
//   inputIds [1, S] int32, fullAttentionMask [1, 1, S, total] fp16 (added to the scores; the S new
//   positions are the last of `total`), slidingAttentionMask beside it for layers that slide,
//   states keyCache and valueCache [L, K, context, D] fp16, logits [1, S, V] fp16.
// Of `form` it takes context, target, norms and scales; the layout is bsc.
mil::Program build_ranged(const DecoderConfig& config, const Form& form, DecoderWeights& weights);

}  // namespace anemone::models
