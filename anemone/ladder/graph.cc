#include "anemone/ladder/graph.h"

#include <random>

#include "anemone/base/check.h"
#include "anemone/ladder/rewrite.h"
#include "anemone/models/decoder.h"
#include "anemone/models/emitter.h"

namespace anemone::ladder {
namespace {

using mil::Type;
using mil::Value;
using models::Role;

// Writes pieces of layers, one after another.
class Writer {
 public:
  Writer(const Graph& graph, const models::DecoderConfig& config, models::DecoderWeights& weights,
         mil::Function& function)
      : graph_(graph),
        config_(config),
        e_(config, graph.form, weights, function, graph.has_flexible_rows ? kUnknown : graph.rows),
        b_(e_.builder()) {
    if (graph.reads_prefix) e_.read_prefix();
    if (graph.states > 0) e_.set_state_count(graph.states);
  }

  void write() {
    const std::int64_t rows = graph_.has_flexible_rows ? kUnknown : graph_.rows;
    Value* hidden =
        b_.input(models::kHidden, Type::tensor(DType::kF16, {1, rows, config_.hidden_size}));
    declare();
    Value* stream = e_.enter(hidden);
    for (std::int64_t layer = 0; layer < graph_.layers; ++layer) {
      const std::string base = "layer_" + std::to_string(layer) + "_";
      stream = added(stream, piece(stream, layer), base + "piece");
      if (graph_.has_mlp) stream = added(stream, e_.feed_forward(stream, layer), base + "mlp");
    }
    std::vector<Value*> outputs;
    if (has_head()) {
      outputs = head(stream);
    } else {
      outputs.push_back(e_.leave(stream, models::kHiddenOut));
    }
    if (graph_.piece == Graph::Piece::kBlock) {
      if (Value* fresh = e_.finish_cache()) outputs.push_back(fresh);
    }
    b_.set_outputs(outputs);
  }

 private:
  bool has_head() const { return graph_.has_head || graph_.piece == Graph::Piece::kHead; }

  void declare() {
    const std::int64_t d = config_.head_dim;
    switch (graph_.piece) {
      case Graph::Piece::kBlock:
        e_.declare_inputs({0, graph_.layers});
        break;
      case Graph::Piece::kRotary:
        e_.declare_rotation();
        break;
      case Graph::Piece::kScores:
        mask_ =
            b_.input(models::kMask,
                     Type::tensor(DType::kF16, {1, 1, config_.group() * graph_.rows, graph_.rows}));
        scale_ = b_.constant("attention_scale",
                             Tensor::scalar(DType::kF16, 1 / std::sqrt(static_cast<double>(d))));
        break;
      default:
        break;
    }
  }

  // Pieces in a row would make numbers vanish or overflow: each adds its share to the stream. A
  // block does so itself.
  Value* added(Value* stream, Value* change, const std::string& name) {
    if (graph_.piece == Graph::Piece::kBlock || graph_.layers == 1) return change;
    Value* share =
        b_.constant("share", Tensor::scalar(DType::kF16, 1 / static_cast<double>(graph_.layers)));
    Value* part = b_.add("mul", name + "_share", {{"x", change}, {"y", share}});
    return b_.add("add", name + "_added", {{"x", stream}, {"y", part}});
  }

  Value* piece(Value* stream, std::int64_t layer) {
    const std::string base = "layer_" + std::to_string(layer) + "_";
    const auto heads = [&](Role role, Role bias, std::int64_t count, const char* name) {
      return e_.to_heads(e_.project(stream, role, bias, layer, base + name + "_proj"), count,
                         base + name + "_heads");
    };
    const auto queries = [&] {
      return heads(Role::kQ, Role::kQBias, config_.num_attention_heads, "q");
    };
    const auto out = [&](Value* mixed) {
      return e_.project(e_.from_heads(mixed, base + "joined"), Role::kO, Role::kOBias, layer,
                        base + "o_proj");
    };
    switch (graph_.piece) {
      case Graph::Piece::kMlp:
        return e_.feed_forward(stream, layer);
      case Graph::Piece::kNorm:
        return e_.norm(stream, e_.stream_norm(Role::kInputNorm, layer), base + "norm");
      case Graph::Piece::kQkNorm:
        return out(e_.norm(queries(), e_.head_norm(Role::kQNorm, layer, 1), base + "q_norm"));
      case Graph::Piece::kRotary:
        return out(e_.rotate(queries(), base + "q_rotated"));
      case Graph::Piece::kScores:
        return out(
            attention(queries(), heads(Role::kK, Role::kKBias, config_.num_key_value_heads, "k"),
                      heads(Role::kV, Role::kVBias, config_.num_key_value_heads, "v"), base));
      case Graph::Piece::kHead:
        return stream;
      case Graph::Piece::kBlock:
        return e_.layer(stream, layer);
    }
    ANEMONE_CHECK(false);
    return nullptr;
  }

  // Over the rows at hand, the queries of one key head side by side.
  Value* attention(Value* q, Value* k, Value* v, const std::string& base) {
    const std::int64_t d = config_.head_dim;
    const auto product = [&](Value* x, Value* y, bool turns, const std::string& name) {
      return b_.add("matmul", base + name,
                    {{"x", x}, {"y", y}, {"transpose_x", false}, {"transpose_y", turns}});
    };
    Value* scaled = b_.add("mul", base + "q_scaled", {{"x", q}, {"y", scale_}});
    Value* grouped =
        b_.add("reshape", base + "q_grouped",
               {{"x", scaled},
                {"shape", std::vector<std::int64_t>{1, config_.num_key_value_heads,
                                                    config_.group() * graph_.rows, d}}});
    Value* masked = b_.add("add", base + "scores_masked",
                           {{"x", product(grouped, k, true, "scores")}, {"y", mask_}});
    Value* shares = b_.add("softmax", base + "probabilities", {{"x", masked}, {"axis", -1}});
    return b_.add(
        "reshape", base + "mixed_heads",
        {{"x", product(shares, v, false, "mixed")},
         {"shape", std::vector<std::int64_t>{1, config_.num_attention_heads, graph_.rows, d}}});
  }

  std::vector<Value*> head(Value* stream) {
    Value* normed = e_.final_norm(stream);
    if (graph_.has_whole_head) {
      return {e_.logits(normed, {0, config_.vocab_size}, models::logits_name(0))};
    }
    std::vector<Value*> outputs;
    for (const models::Range tile : models::cut_head(config_.vocab_size, 0)) {
      outputs.push_back(e_.logits(normed, tile, models::logits_name(outputs.size())));
    }
    return outputs;
  }

  const Graph& graph_;
  const models::DecoderConfig& config_;
  models::Emitter e_;
  mil::Builder& b_;
  Value* mask_ = nullptr;
  Value* scale_ = nullptr;
};

// Row i stands for position kWritePosition + i.
std::vector<float> rotary_rows(const models::DecoderConfig& config, std::int64_t rows,
                               float (*of)(float)) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < config.head_dim; ++j) {
      const auto pair = static_cast<std::size_t>(j % (config.head_dim / 2));
      values.push_back(of(static_cast<float>(kWritePosition + i) * config.inv_freq[pair]));
    }
  }
  return values;
}

}  // namespace

mil::Program build_graph(const Graph& graph, const models::DecoderConfig& config,
                         models::DecoderWeights& weights) {
  ANEMONE_CHECK(graph.layers <= config.num_hidden_layers) << graph.layers;
  mil::Program program;
  Writer(graph, config, weights, program.add_function(models::kMain, graph.form.target)).write();
  if (graph.weights == Graph::Weights::kInt8) {
    program = with_int8_weights(program, "constexpr_affine_dequantize");
  } else if (graph.weights == Graph::Weights::kInt8Block) {
    program = with_int8_weights(program, "constexpr_blockwise_shift_scale");
  }
  if (graph.is_fp32) program = in_fp32(program);
  return program;
}

package::Model to_model(mil::Program program, const Graph& graph, const std::string& says) {
  package::Model model;
  model.program = std::move(program);
  const mil::Function& function = *model.program.functions.front();
  model.specification_version = mil::info(function.opset).specification_version;
  package::Interface interface = package::interface_of(function);
  for (package::Feature& input : interface.inputs) {
    for (package::SizeRange& range : std::get<package::ArrayFeature>(input.type).ranges) {
      if (range.upper < 0) range.upper = graph.rows;
    }
  }
  model.interfaces[function.name] = std::move(interface);
  model.default_function = function.name;
  model.metadata.short_description = says;
  return model;
}

std::map<std::string, Tensor, std::less<>> example_inputs(const Graph& graph,
                                                          const models::DecoderConfig& config,
                                                          const mil::Function& function) {
  std::map<std::string, Tensor, std::less<>> inputs;
  for (const auto& input : function.inputs) {
    if (input->type.is_state()) continue;
    const std::string& name = input->name;
    Shape shape = input->type.shape;
    std::replace(shape.begin(), shape.end(), kUnknown, graph.rows);
    std::vector<float> values(static_cast<std::size_t>(element_count(shape)), 0.0f);
    if (name == models::kHidden) {
      std::mt19937 random(20261130);
      // Not std::normal_distribution, which differs between libraries.
      for (float& value : values) {
        value = static_cast<float>(random() >> 8) / static_cast<float>(1 << 23) - 1;
      }
    } else if (name == models::kPosition) {
      values[0] = static_cast<float>(kWritePosition);
    } else if (name == models::kCos) {
      values = rotary_rows(config, graph.rows, [](float x) { return std::cos(x); });
    } else if (name == models::kSin) {
      values = rotary_rows(config, graph.rows, [](float x) { return std::sin(x); });
    } else if (name == models::kMask) {
      const std::int64_t keys = shape[3];
      const bool is_own = graph.piece == Graph::Piece::kScores;
      for (std::int64_t i = 0; i < shape[2]; ++i) {
        for (std::int64_t j = 0; j < keys; ++j) {
          const std::int64_t row = i % graph.rows;
          // Positions before the first one written are seen, and hold zeros. The host's new rows
          // follow its cache.
          const std::int64_t reach = kWritePosition + row;
          const bool is_host = graph.form.kv == models::KvWrite::kHost;
          const bool is_open = is_own    ? j <= row
                               : is_host ? j < kWritePosition || (j >= graph.form.context &&
                                                                  j - graph.form.context <= row)
                                         : j <= reach;
          if (!is_open) values[static_cast<std::size_t>(i * keys + j)] = models::kMaskValue;
        }
      }
    } else if (name == models::kWrite) {
      for (std::int64_t i = 0; i < graph.rows; ++i) {
        values[static_cast<std::size_t>((kWritePosition + i) * graph.rows + i)] = 1;
      }
    } else {
      ANEMONE_CHECK(name == models::kKv) << "nobody knows what the input '" << name << "' is";
    }
    if (input->type.dtype == DType::kI32) {
      const std::vector<std::int64_t> whole(values.begin(), values.end());
      inputs[name] = Tensor::from_ints(DType::kI32, shape, whole);
    } else {
      // What fp16 can hold, even in the fp32 form: both forms get the same numbers.
      for (float& value : values) value = round_to_f16(value);
      inputs[name] = Tensor::from_floats(input->type.dtype, shape, values);
    }
  }
  return inputs;
}

}  // namespace anemone::ladder
