#include "anemone/oracle/oracle.h"

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/half.h"
#include "anemone/checkpoint/decode.h"
#include "anemone/oracle/product.h"

namespace anemone::oracle {
namespace {

constexpr char kEmbedding[] = "model.embed_tokens.weight";
constexpr char kFinalNorm[] = "model.norm.weight";
constexpr char kHead[] = "lm_head.weight";
constexpr std::int64_t kHeadRows = 64;  // of logits that score() holds at a time

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// Not used by any arithmetic, but carried along by some checkpoints.
bool is_dead_weight(std::string_view name) { return name.ends_with("rotary_emb.inv_freq"); }

}  // namespace

// The residual stream of all sequences, and what is around it.
struct Oracle::Rows {
  std::span<const Sequence> sequences;
  const Observer& observer;
  std::int64_t count = 0;
  std::int64_t hidden_size = 0;
  std::vector<float> stream = {};
  std::vector<float> normed = {};  // the block's own input
  std::vector<float> update = {};  // what the block adds
  std::vector<std::int64_t> positions = {};

  void show(std::string_view name, std::int64_t layer, std::span<const float> values) const {
    if (!observer) return;
    observer({name, layer, count, static_cast<std::int64_t>(values.size()) / count, values.data()});
  }
  void add_update() {
    for (std::size_t i = 0; i < stream.size(); ++i) stream[i] += update[i];
  }
};

std::unique_ptr<const Oracle> Oracle::load(const Checkpoint& checkpoint, const Options& options) {
  return std::unique_ptr<const Oracle>(new Oracle(checkpoint, options));
}

Oracle::Oracle(const Checkpoint& checkpoint, const Options& options)
    : checkpoint_(checkpoint),
      options_(options),
      config_(read_config(checkpoint)),
      pool_(std::make_unique<ThreadPool>(options.threads)) {
  require_tensors();
  if (options_.layers > config_.layers) {
    throw Error(Code::kBadInput, checkpoint.path().string() + ": has " +
                                     std::to_string(config_.layers) + " layers; asked for are " +
                                     std::to_string(options_.layers));
  }
  if (options_.layers > 0) config_.layers = options_.layers;
}

std::string Oracle::in_layer(std::int64_t layer, std::string_view rest) const {
  return "model.layers." + std::to_string(layer) + "." + std::string(rest);
}

void Oracle::require(const std::string& name, Shape shape) {
  const CheckpointTensor* found = checkpoint_.find(name);
  if (!found) {
    throw Error(Code::kBadInput, checkpoint_.path().string() + ": lacks '" + name + "'");
  }
  if (found->shape != shape) {
    throw Error(Code::kBadInput, found->file + ": tensor '" + found->stored_name + "' has shape " +
                                     to_string(found->shape) + "; the config asks for " +
                                     to_string(shape));
  }
  tensors_[name] = found;
}

void Oracle::require_tensors() {
  const Config& c = config_;
  require(kEmbedding, {c.vocab_size, c.hidden_size});
  require(kFinalNorm, {c.hidden_size});
  const bool has_head = checkpoint_.find(kHead) != nullptr;
  head_ = c.tied || (!has_head && options_.tie_missing_head) ? kEmbedding : kHead;
  require(head_, {c.vocab_size, c.hidden_size});
  for (std::int64_t i = 0; i < c.layers; ++i) {
    const auto matrix = [&](const char* name, std::int64_t rows, std::int64_t columns) {
      const std::string base = in_layer(i, name);
      require(base + ".weight", {rows, columns});
      // A bias that is stored is a bias that is added.
      if (checkpoint_.find(base + ".bias")) require(base + ".bias", {rows});
    };
    require(in_layer(i, "input_layernorm.weight"), {c.hidden_size});
    require(in_layer(i, "post_attention_layernorm.weight"), {c.hidden_size});
    matrix("self_attn.q_proj", c.query_size(), c.hidden_size);
    matrix("self_attn.k_proj", c.kv_size(), c.hidden_size);
    matrix("self_attn.v_proj", c.kv_size(), c.hidden_size);
    matrix("self_attn.o_proj", c.hidden_size, c.query_size());
    matrix("mlp.gate_proj", c.intermediate_size, c.hidden_size);
    matrix("mlp.up_proj", c.intermediate_size, c.hidden_size);
    matrix("mlp.down_proj", c.hidden_size, c.intermediate_size);
    for (const char* name : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"}) {
      const bool wants = c.model_type == "qwen3" || checkpoint_.find(in_layer(i, name));
      if (wants) require(in_layer(i, name), {c.head_dim});
    }
  }
  for (const CheckpointTensor& tensor : checkpoint_.tensors()) {
    const bool is_spare = tensor.name == kHead || is_dead_weight(tensor.name);
    if (is_spare || tensors_.contains(tensor.name)) continue;
    throw Error(Code::kUnsupported, tensor.file + ": tensor '" + tensor.stored_name +
                                        "' is not one that the oracle uses; without it the "
                                        "results would be another model's");
  }
}

const CheckpointTensor& Oracle::tensor(const std::string& name) const {
  const auto found = tensors_.find(name);
  ANEMONE_CHECK(found != tensors_.end()) << name;
  return *found->second;
}

std::uint64_t Oracle::weight_bytes() const {
  std::uint64_t bytes = 0;
  for (std::int64_t i = 0; i < config_.layers; ++i) {
    const std::string prefix = in_layer(i, "");
    for (auto at = tensors_.lower_bound(prefix);
         at != tensors_.end() && at->first.starts_with(prefix); ++at) {
      bytes += at->second->data->size_bytes();
    }
  }
  return bytes;
}

float Oracle::epsilon() const {
  const auto value = static_cast<float>(config_.epsilon);
  return options_.round_weights_to_f16 ? anemone::round_to_f16(value) : value;
}

std::vector<float> Oracle::vector(std::string_view name) const {
  std::vector<float> values = decode_f32(tensor(std::string(name)));
  if (options_.round_weights_to_f16) round_to_f16(values);
  return values;
}

void Oracle::multiply(std::span<const float> x, std::int64_t rows, const std::string& name,
                      const std::string& bias, std::span<float> y) const {
  const CheckpointTensor& weight = tensor(name);
  std::vector<float> added;
  if (has(bias)) added = vector(bias);
  Product product{.rows = rows,
                  .depth = weight.columns(),
                  .outputs = weight.rows(),
                  .x = x.data(),
                  .bias = added.empty() ? nullptr : added.data(),
                  .y = y.data(),
                  .in_double = options_.in_double};
  ANEMONE_CHECK(x.size() == size(rows * product.depth) && y.size() == size(rows * product.outputs))
      << name;
  oracle::multiply(*pool_, product, [&](std::int64_t first, std::span<float> out) {
    decode_f32(weight, first, out);
    if (options_.round_weights_to_f16) round_to_f16(out);
  });
}

// RMS norm of each run of `columns`, in place.
void Oracle::norm(std::span<float> x, std::int64_t columns, const std::string& gain) const {
  const std::vector<float> gains = vector(gain);
  const double eps = epsilon();
  pool_->parallel_for(static_cast<std::int64_t>(x.size()) / columns, 16,
                      [&](std::int64_t begin, std::int64_t end, int) {
                        for (std::int64_t r = begin; r < end; ++r) {
                          float* row = x.data() + r * columns;
                          double sum = 0;
                          for (std::int64_t i = 0; i < columns; ++i) {
                            sum += static_cast<double>(row[i]) * row[i];
                          }
                          const double inverse =
                              1 / std::sqrt(sum / static_cast<double>(columns) + eps);
                          for (std::int64_t i = 0; i < columns; ++i) {
                            row[i] = static_cast<float>(row[i] * inverse) * gains[size(i)];
                          }
                        }
                      });
}

void Oracle::embed(Rows& rows) const {
  const CheckpointTensor& table = tensor(kEmbedding);
  const std::int64_t columns = config_.hidden_size;
  rows.stream.resize(size(rows.count * columns));
  auto out = std::span(rows.stream);
  for (const Sequence& sequence : rows.sequences) {
    for (const int id : sequence.ids) {
      if (id < 0 || id >= config_.vocab_size) {
        throw Error(Code::kBadInput, "token id " + std::to_string(id) + "; allowed: 0 to " +
                                         std::to_string(config_.vocab_size - 1));
      }
      decode_f32(table, id, out.first(size(columns)));
      out = out.subspan(size(columns));
    }
  }
  if (options_.round_weights_to_f16) round_to_f16(rows.stream);
}

std::vector<float> Oracle::run(std::span<const Sequence> sequences, const Observer& observer,
                               const Progress& progress, const StopFlag* stop) const {
  Rows rows{.sequences = sequences, .observer = observer, .hidden_size = config_.hidden_size};
  for (const Sequence& sequence : sequences) {
    for (std::size_t i = 0; i < sequence.ids.size(); ++i) {
      rows.positions.push_back(sequence.start + static_cast<std::int64_t>(i));
    }
  }
  rows.count = static_cast<std::int64_t>(rows.positions.size());
  if (rows.count == 0) throw Error(Code::kBadInput, "there are no token ids to run on");
  embed(rows);
  rows.show("embedding", -1, rows.stream);
  const std::uint64_t total = weight_bytes();
  for (std::int64_t i = 0; i < config_.layers; ++i) {
    if (stop) stop->throw_if_set();
    const auto layers = static_cast<std::uint64_t>(config_.layers);
    if (progress) {
      progress("oracle, layer " + std::to_string(i), total / layers * static_cast<std::uint64_t>(i),
               total);
    }
    layer(rows, i);
  }
  if (progress) progress("oracle", total, total);
  norm(rows.stream, config_.hidden_size, kFinalNorm);
  rows.show("final_norm", -1, rows.stream);
  return std::move(rows.stream);
}

void Oracle::layer(Rows& rows, std::int64_t i) const {
  rows.update.resize(rows.stream.size());
  rows.normed = rows.stream;
  norm(rows.normed, config_.hidden_size, in_layer(i, "input_layernorm.weight"));
  rows.show("input_norm", i, rows.normed);
  attention(rows, i);
  rows.add_update();
  rows.show("after_attention", i, rows.stream);
  rows.normed = rows.stream;
  norm(rows.normed, config_.hidden_size, in_layer(i, "post_attention_layernorm.weight"));
  rows.show("post_attention_norm", i, rows.normed);
  feed_forward(rows, i);
  rows.add_update();
  rows.show("out", i, rows.stream);
}

void Oracle::attention(Rows& rows, std::int64_t i) const {
  const std::int64_t d = config_.head_dim;
  const auto project = [&](const char* name, std::int64_t outputs) {
    std::vector<float> y(size(rows.count * outputs));
    const std::string base = in_layer(i, "self_attn." + std::string(name));
    multiply(rows.normed, rows.count, base + ".weight", base + ".bias", y);
    rows.show(name, i, y);
    return y;
  };
  std::vector<float> q = project("q_proj", config_.query_size());
  std::vector<float> k = project("k_proj", config_.kv_size());
  const std::vector<float> v = project("v_proj", config_.kv_size());
  const auto norm_heads = [&](std::vector<float>& heads, const char* name) {
    const std::string gain = in_layer(i, "self_attn." + std::string(name) + ".weight");
    if (!has(gain)) return;
    norm(heads, d, gain);
    rows.show(name, i, heads);
  };
  norm_heads(q, "q_norm");
  norm_heads(k, "k_norm");

  // The angle in float, as in transformers 5.24, LlamaRotaryEmbedding; pairs are (i, i + D / 2).
  const auto rotate = [&](std::vector<float>& heads, std::int64_t count) {
    for (std::int64_t row = 0; row < rows.count; ++row) {
      for (std::int64_t pair = 0; pair < d / 2; ++pair) {
        const float angle =
            static_cast<float>(rows.positions[size(row)]) * config_.inv_freq[size(pair)];
        const auto cosine = static_cast<float>(std::cos(static_cast<double>(angle)));
        const auto sine = static_cast<float>(std::sin(static_cast<double>(angle)));
        for (std::int64_t head = 0; head < count; ++head) {
          float* x = heads.data() + (row * count + head) * d + pair;
          const float a = x[0], b = x[d / 2];
          x[0] = a * cosine - b * sine;
          x[d / 2] = b * cosine + a * sine;
        }
      }
    }
  };
  rotate(q, config_.heads);
  rotate(k, config_.kv_heads);
  rows.show("q", i, q);
  rows.show("k", i, k);

  std::vector<float> mixed(q.size());
  std::int64_t first = 0;
  for (const Sequence& sequence : rows.sequences) {
    const auto count = static_cast<std::int64_t>(sequence.ids.size());
    if (count == 0) continue;
    attend(*pool_, {.rows = count,
                    .heads = config_.heads,
                    .kv_heads = config_.kv_heads,
                    .head_dim = d,
                    .zeros = sequence.start,
                    .window = config_.window_of(i),
                    .q = q.data() + first * config_.query_size(),
                    .k = k.data() + first * config_.kv_size(),
                    .v = v.data() + first * config_.kv_size(),
                    .y = mixed.data() + first * config_.query_size(),
                    .in_double = options_.in_double});
    first += count;
  }
  rows.show("attention", i, mixed);
  const std::string base = in_layer(i, "self_attn.o_proj");
  multiply(mixed, rows.count, base + ".weight", base + ".bias", rows.update);
  rows.show("o_proj", i, rows.update);
}

void Oracle::feed_forward(Rows& rows, std::int64_t i) const {
  const auto project = [&](std::span<const float> x, const char* name, std::span<float> y) {
    const std::string base = in_layer(i, "mlp." + std::string(name));
    multiply(x, rows.count, base + ".weight", base + ".bias", y);
    rows.show(name, i, y);
  };
  std::vector<float> gate(size(rows.count * config_.intermediate_size)), up(gate.size());
  project(rows.normed, "gate_proj", gate);
  project(rows.normed, "up_proj", up);
  pool_->parallel_for(static_cast<std::int64_t>(gate.size()), 4096,
                      [&](std::int64_t begin, std::int64_t end, int) {
                        for (std::int64_t j = begin; j < end; ++j) {
                          const float x = gate[size(j)];
                          gate[size(j)] = x / (1.0f + std::exp(-x)) * up[size(j)];
                        }
                      });
  rows.show("gated", i, gate);
  project(gate, "down_proj", rows.update);
}

void Oracle::logits(std::span<const float> normed, std::span<float> out) const {
  const std::int64_t rows = static_cast<std::int64_t>(normed.size()) / config_.hidden_size;
  multiply(normed, rows, head_, "", out);
}

void Oracle::score(std::span<const int> ids, const Sink& sink, const Observer& observer) const {
  const Sequence sequence{.ids = {ids.begin(), ids.end()}};
  const std::vector<float> normed = run(std::span(&sequence, 1), observer);
  const auto all = static_cast<std::int64_t>(ids.size());
  std::vector<float> block;
  for (std::int64_t first = 0; first < all; first += kHeadRows) {
    const std::int64_t count = std::min(kHeadRows, all - first);
    block.resize(size(count * config_.vocab_size));
    logits(std::span(normed).subspan(size(first * config_.hidden_size),
                                     size(count * config_.hidden_size)),
           block);
    for (std::int64_t row = 0; row < count; ++row) {
      sink(first + row,
           std::span(block).subspan(size(row * config_.vocab_size), size(config_.vocab_size)));
    }
  }
}

}  // namespace anemone::oracle
