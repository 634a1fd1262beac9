#include "anemone/models/decoder.h"

#include "anemone/models/emitter.h"

namespace anemone::models {

using mil::Type;
using mil::Value;

std::string logits_name(std::size_t tile) {
  return std::string(kLogits) + "_" + std::to_string(tile);
}

namespace {

// From the boundary's hidden rows through a run of layers.
Value* run_layers(Emitter& e, Value* stream, Range layers) {
  for (std::int64_t layer = layers.first; layer < layers.first + layers.count; ++layer) {
    stream = e.layer(stream, layer);
  }
  return stream;
}

// Rows of the embedding, (1, S, C), for ids (1, S).
Value* embedded(mil::Builder& b, DecoderWeights& weights, Value* ids) {
  Value* table = b.constant("embedding", weights.matrix(Role::kEmbedding, 0, false));
  return b.add("gather", "embedded",
               {{"x", table},
                {"indices", ids},
                {"axis", 0},
                {"batch_dims", 0},
                {"validate_indices", false}});
}

// What a function gives back besides its own outputs.
std::vector<Value*> with_cache(Emitter& e, std::vector<Value*> outputs) {
  if (Value* fresh = e.finish_cache()) outputs.push_back(fresh);
  return outputs;
}

}  // namespace

mil::Program build_layers(const DecoderConfig& config, const Form& form, DecoderWeights& weights,
                          Range layers) {
  mil::Program program;
  const std::pair<const char*, std::int64_t> functions[] = {{kDecode, 1}, {kPrefill, form.prefill}};
  for (const auto& [name, rows] : functions) {
    Emitter e(config, form, weights, program.add_function(name, form.target), rows);
    Value* hidden =
        e.builder().input(kHidden, Type::tensor(DType::kF16, {1, rows, config.hidden_size}));
    e.declare_inputs(layers);
    Value* stream = run_layers(e, e.enter(hidden), layers);
    e.builder().set_outputs(with_cache(e, {e.leave(stream, kHiddenOut)}));
  }
  return program;
}

mil::Program build_head(const DecoderConfig& config, const Form& form, DecoderWeights& weights) {
  mil::Program program;
  const std::vector<Range> tiles = cut_head(config.vocab_size, form.head_tiles);
  const std::pair<const char*, std::int64_t> functions[] = {{kDecode, 1}, {kScore, form.prefill}};
  for (const auto& [name, rows] : functions) {
    Emitter e(config, form, weights, program.add_function(name, form.target), rows);
    Value* hidden =
        e.builder().input(kHidden, Type::tensor(DType::kF16, {1, rows, config.hidden_size}));
    Value* normed = e.final_norm(e.enter(hidden));
    std::vector<Value*> outputs;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      outputs.push_back(e.logits(normed, tiles[i], logits_name(i)));
    }
    e.builder().set_outputs(std::move(outputs));
  }
  return program;
}

mil::Program build_single(const DecoderConfig& config, const Form& form, DecoderWeights& weights) {
  mil::Program program;
  const Range layers = {0, config.num_hidden_layers};
  const std::tuple<const char*, std::int64_t, bool> functions[] = {
      {kDecode, 1, false}, {kPrefill, form.prefill, true}, {kScore, form.prefill, false}};
  for (const auto& [name, rows, takes_last] : functions) {
    Emitter e(config, form, weights, program.add_function(name, form.target), rows);
    mil::Builder& b = e.builder();
    Value* ids = b.input(kInputIds, Type::tensor(DType::kI32, {1, rows}));
    Value* last = takes_last ? b.input(kLast, Type::tensor(DType::kF16, {1, 1, rows})) : nullptr;
    e.declare_inputs(layers);
    Value* stream = run_layers(e, e.enter(embedded(b, weights, ids)), layers);
    if (takes_last) {
      // The marked row alone, (1, 1, C), goes on to the head.
      Value* rows_out = e.leave(stream, kHiddenOut);
      Value* row =
          b.add("matmul", "last_row",
                {{"x", last}, {"y", rows_out}, {"transpose_x", false}, {"transpose_y", false}});
      stream = e.enter(row);
    }
    Value* logits = e.logits(e.final_norm(stream), {0, config.vocab_size}, kLogits);
    b.set_outputs(with_cache(e, {logits}));
  }
  return program;
}

mil::Program build_ranged(const DecoderConfig& config, const Form& asked, DecoderWeights& weights) {
  mil::Program program;
  Form form = asked;
  form.layout = Layout::kBsc;
  form.kv = KvWrite::kSlice;
  form.states = States::kTwo;
  form.gqa = Gqa::kGrouped;
  const Range layers = {0, config.num_hidden_layers};
  Emitter e(config, form, weights, program.add_function(kMain, form.target), kUnknown);
  mil::Builder& b = e.builder();
  Value* ids = b.input(kRangedIds, Type::tensor(DType::kI32, {1, kUnknown}));
  e.declare_ranged_inputs(layers);
  Value* stream = run_layers(e, embedded(b, weights, ids), layers);
  b.set_outputs({e.logits(e.final_norm(stream), {0, config.vocab_size}, kLogits)});
  return program;
}

}  // namespace anemone::models
