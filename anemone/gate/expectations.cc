#include "anemone/gate/expectations.h"

#include <cmath>

#include "anemone/base/check.h"
#include "anemone/base/half.h"

namespace anemone::gate {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// "layer_12_q_proj" to 12 and "q_proj".
std::optional<std::pair<std::int64_t, std::string_view>> in_layer(std::string_view name) {
  constexpr std::string_view kPrefix = "layer_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  std::int64_t layer = 0;
  std::size_t digits = 0;
  while (digits < name.size() && digits < 9 && name[digits] >= '0' && name[digits] <= '9') {
    layer = layer * 10 + (name[digits++] - '0');
  }
  if (digits == 0 || digits == name.size() || name[digits] != '_') return std::nullopt;
  return std::pair(layer, name.substr(digits + 1));
}

// The first position that `position` sees. Not the host's own, which is on trial here.
std::int64_t first_seen(std::int64_t position, std::int64_t window) {
  return window > 0 ? std::max<std::int64_t>(position - window + 1, 0) : 0;
}

bool take_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix)) return false;
  name.remove_suffix(suffix.size());
  return true;
}

}  // namespace

Shifts shifts_of(const generate::Bundle& bundle) {
  Shifts shifts;
  const auto safe =
      bundle.conversion.is_object() ? bundle.conversion.find("fp16_safe") : bundle.conversion.end();
  if (safe == bundle.conversion.end() || !safe->is_object()) return shifts;
  if (const auto n = safe->find("residual_shift"); n != safe->end() && n->is_number_integer()) {
    shifts.residual = std::clamp(n->get<int>(), -64, 64);
  }
  if (const auto n = safe->find("gated_shifts"); n != safe->end() && n->is_array()) {
    for (const Json& shift : *n) {
      shifts.gated.push_back(shift.is_number_integer() ? std::clamp(shift.get<int>(), -64, 64) : 0);
    }
  }
  return shifts;
}

void append_unscaled(const generate::Bundle& bundle, std::span<const float> hidden,
                     std::vector<float>& rows) {
  const int shift = shifts_of(bundle).residual;
  for (const float value : hidden) rows.push_back(std::ldexp(value, shift));
}

// Scores, probabilities and what they mix, [heads, block rows, keys], keys 0 ... position + rows.
struct Expectations::Attention {
  std::int64_t keys = 0;
  std::vector<float> scores, probabilities;  // scaled by 1 / sqrt(D); probabilities 0 where hidden
};

Expectations::Expectations(const generate::Bundle& bundle, const oracle::Oracle& oracle,
                           Block block)
    : bundle_(bundle),
      oracle_(oracle),
      config_(oracle.config()),
      shifts_(shifts_of(bundle)),
      block_(block),
      cos_(rotary(true)),
      sin_(rotary(false)) {}

std::vector<float> Expectations::rotary(bool is_cos) const {
  std::vector<float> rows;
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t i = 0; i < config_.head_dim; ++i) {
      const float angle = static_cast<float>(block_.position + row) *
                          config_.inv_freq[size(i % (config_.head_dim / 2))];
      rows.push_back(static_cast<float>(is_cos ? std::cos(static_cast<double>(angle))
                                               : std::sin(static_cast<double>(angle))));
    }
  }
  return rows;
}

void Expectations::enter_layer(std::int64_t layer, std::span<const float> stream,
                               const Trace& trace) {
  layer_ = layer;
  stream_.assign(stream.begin(), stream.end());
  trace_ = &trace;
  attention_.reset();
}

void Expectations::enter_head(std::span<const float> stream, std::span<const float> final_norm) {
  layer_ = -1;
  stream_.assign(stream.begin(), stream.end());
  const auto block = final_norm.subspan(size(block_.position * config_.hidden_size),
                                        size(block_.rows * config_.hidden_size));
  final_norm_.assign(block.begin(), block.end());
  trace_ = nullptr;
}

// `values` has all rows from position 0 on.
Expectations::Rows Expectations::matrix(const std::vector<float>& values, std::int64_t heads,
                                        double factor) const {
  const std::int64_t all = block_.position + block_.rows;
  const std::int64_t columns = static_cast<std::int64_t>(values.size()) / all;
  const std::int64_t width = columns / heads;
  const float* from = values.data() + block_.position * columns;
  return {heads, width, [=](std::int64_t row, std::int64_t head, std::int64_t i) {
            return static_cast<float>(from[row * columns + head * width + i] * factor);
          }};
}

std::vector<float> Expectations::stream_rows() const {
  const Rows rows = matrix(stream_, 1, std::ldexp(1.0, -shifts_.residual));
  std::vector<float> values;
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t i = 0; i < rows.width; ++i) values.push_back(rows.at(row, 0, i));
  }
  return values;
}

std::optional<Expectations::Rows> Expectations::rows_of(std::string_view name) {
  const double stream = std::ldexp(1.0, -shifts_.residual);
  if (const auto at = in_layer(name)) {
    if (trace_ == nullptr || at->first != layer_) return std::nullopt;
    return layer_rows(at->second);
  }
  if (name == "embedded" && layer_ == 0) return matrix(stream_, 1, stream);
  if (name == "hidden_bc1s" && !stream_.empty()) return matrix(stream_, 1, stream);
  if (name == "hidden_out") {
    if (trace_ == nullptr) return matrix(stream_, 1, stream);
    return matrix(trace_->find("out")->second, 1, stream);
  }
  if (name == "final_norm" && trace_ == nullptr && !final_norm_.empty()) {
    // A tied head is the scaled embedding; the final norm's gain makes up for it.
    const double factor = config_.tied ? 1 / stream : 1;
    const float* from = final_norm_.data();
    const std::int64_t width = config_.hidden_size;
    return Rows{1, width, [=](std::int64_t row, std::int64_t, std::int64_t i) {
                  return static_cast<float>(from[row * width + i] * factor);
                }};
  }
  return std::nullopt;
}

std::optional<Expectations::Rows> Expectations::layer_rows(std::string_view name) {
  const double stream = std::ldexp(1.0, -shifts_.residual);
  const double gated = std::ldexp(1.0, -shifts_.of_gated(layer_));
  const double scale = 1 / std::sqrt(static_cast<double>(config_.head_dim));
  const bool has_norm = trace_->contains("q_norm");
  struct Row {
    std::string_view name, of;
    std::int64_t heads = 1;
    double factor = 1;
  };
  const Row table[] = {
      {"input_norm", "input_norm"},
      {"q_proj", "q_proj"},
      {"k_proj", "k_proj"},
      {"v_proj", "v_proj"},
      {"q_heads", "q_proj", config_.heads},
      {"k_heads", "k_proj", config_.kv_heads},
      {"v_heads", "v_proj", config_.kv_heads},
      // The attention's scale is in the gain of the queries' norm, if there is one.
      {"q_norm", "q_norm", config_.heads, scale},
      {"k_norm", "k_norm", config_.kv_heads},
      {"q", "q", config_.heads, has_norm ? scale : 1.0},
      {"k", "k", config_.kv_heads},
      {"q_scaled", "q", config_.heads, scale},
      {"q_grouped", "q", config_.heads, scale},
      {"attention", "attention"},
      {"mixed", "attention", config_.heads},
      {"mixed_heads", "attention", config_.heads},
      {"o_proj", "o_proj", 1, stream},
      {"after_attention", "after_attention", 1, stream},
      {"post_attention_norm", "post_attention_norm"},
      {"gate_proj", "gate_proj"},
      {"up_proj", "up_proj", 1, gated},
      {"gated", "gated", 1, gated},
      {"down_proj", "down_proj", 1, stream},
      {"out", "out", 1, stream},
  };
  for (const Row& row : table) {
    if (row.name != name) continue;
    const auto found = trace_->find(row.of);
    if (found == trace_->end()) return std::nullopt;
    return matrix(found->second, row.heads, row.factor);
  }
  if (name == "sigmoid" || name == "silu") {
    const Rows gate = matrix(trace_->find("gate_proj")->second, 1, 1);
    const bool is_silu = name == "silu";
    return Rows{1, gate.width, [=](std::int64_t row, std::int64_t, std::int64_t i) {
                  const double x = gate.at(row, 0, i);
                  const double open = 1 / (1 + std::exp(-x));
                  return static_cast<float>(is_silu ? x * open : open);
                }};
  }
  return rotation(name);
}

// What happens between "q_norm" (or "q_heads") and "q".
std::optional<Expectations::Rows> Expectations::rotation(std::string_view name) {
  if (name.size() < 3 || (name[0] != 'q' && name[0] != 'k') || name[1] != '_') return std::nullopt;
  const std::string norm = std::string(1, name[0]) + "_norm";
  const auto from = layer_rows(trace_->contains(norm) ? norm : std::string(1, name[0]) + "_heads");
  const std::string_view step = name.substr(2);
  const std::int64_t half = config_.head_dim / 2;
  const Getter x = from->at;
  const auto swapped = [=](std::int64_t row, std::int64_t head, std::int64_t i) {
    return i < half ? -x(row, head, i + half) : x(row, head, i - half);
  };
  if (step == "first") return Rows{from->heads, half, x};
  if (step == "second" || step == "negative") {
    const float sign = step == "second" ? 1.0f : -1.0f;
    return Rows{from->heads, half, [=](std::int64_t row, std::int64_t head, std::int64_t i) {
                  return sign * x(row, head, i + half);
                }};
  }
  if (step == "swapped") return Rows{from->heads, 2 * half, swapped};
  if (step == "cos" || step == "sin") {
    const float* table = (step == "cos" ? cos_ : sin_).data();
    const Getter of = step == "cos" ? x : Getter(swapped);
    return Rows{from->heads, 2 * half, [=](std::int64_t row, std::int64_t head, std::int64_t i) {
                  return of(row, head, i) * table[row * 2 * half + i];
                }};
  }
  return std::nullopt;
}

std::optional<Expectations::Norm> Expectations::norm_of(std::string_view name) {
  Norm norm;
  std::string from;
  bool is_stream = true;
  std::string_view step = name;
  if (const auto at = in_layer(name)) {
    step = at->second;
    const std::string prefix(name.substr(0, name.size() - step.size()));
    is_stream = step == "input_norm" || step == "post_attention_norm";
    if (step == "post_attention_norm") from = prefix + "after_attention";
    if (step == "q_norm") from = prefix + "q_heads";
    if (step == "k_norm") from = prefix + "k_heads";
    if (!is_stream && from.empty()) return std::nullopt;
  } else if (step != "final_norm") {
    return std::nullopt;
  }
  const auto y = rows_of(name);
  if (!y) return std::nullopt;
  norm.y = *y;
  if (from.empty()) {
    norm.x = matrix(stream_, 1, std::ldexp(1.0, -shifts_.residual));
  } else {
    norm.x = *rows_of(from);
  }
  const double factor = is_stream ? std::ldexp(1.0, -2 * shifts_.residual) : 1;
  norm.epsilon = static_cast<float>(oracle_.epsilon() * factor);
  norm.stored_epsilon = round_to_f16(static_cast<float>(config_.epsilon * factor));
  return norm;
}

const Expectations::Attention& Expectations::attention() {
  if (attention_) return *attention_;
  auto made = std::make_shared<Attention>();
  const std::int64_t d = config_.head_dim;
  const std::int64_t group = config_.heads / config_.kv_heads;
  const auto& q = trace_->find("q")->second;
  const auto& k = trace_->find("k")->second;
  made->keys = block_.position + block_.rows;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  for (std::int64_t head = 0; head < config_.heads; ++head) {
    for (std::int64_t row = 0; row < block_.rows; ++row) {
      const std::int64_t at = block_.position + row;
      const float* query = q.data() + (at * config_.heads + head) * d;
      std::vector<double> dots(size(made->keys));
      double top = -INFINITY, sum = 0;
      const std::int64_t begin = first_seen(at, config_.window_of(layer_));
      for (std::int64_t j = 0; j < made->keys; ++j) {
        const float* key = k.data() + (j * config_.kv_heads + head / group) * d;
        double dot = 0;
        for (std::int64_t i = 0; i < d; ++i) dot += static_cast<double>(query[i]) * key[i];
        dots[size(j)] = dot * scale;
        if (j <= at && j >= begin) top = std::max(top, dots[size(j)]);
      }
      for (std::int64_t j = begin; j <= at; ++j) sum += std::exp(dots[size(j)] - top);
      for (std::int64_t j = 0; j < made->keys; ++j) {
        made->scores.push_back(static_cast<float>(dots[size(j)]));
        made->probabilities.push_back(
            j <= at && j >= begin ? static_cast<float>(std::exp(dots[size(j)] - top) / sum) : 0.0f);
      }
    }
  }
  attention_ = std::move(made);
  return *attention_;
}

// Columns of scores are keys of the cache and, where the host owns it, the block's own after them.
std::optional<Expected> Expectations::scores(std::string_view name, const Shape& shape) {
  const bool is_raw = name == "scores" || name == "scores_new" || name == "scores_all";
  const bool is_masked = name == "scores_masked";
  const bool is_share =
      name == "probabilities" || name == "probabilities_old" || name == "probabilities_new";
  if (!is_raw && !is_masked && !is_share) return std::nullopt;
  const std::int64_t n = shape.empty() ? 0 : shape.back();
  const std::int64_t lanes = config_.heads * block_.rows;
  if (shape.size() != 4 || element_count(shape) != lanes * n) return std::nullopt;
  const bool is_host = bundle_.kv == "host";
  const bool is_new = name.ends_with("_new");
  // How many columns are keys of the cache.
  const std::int64_t old = is_new ? 0 : std::min(n, bundle_.context);
  if (n != old + (is_new || n > bundle_.context ? block_.rows : 0)) return std::nullopt;
  const Attention& a = attention();
  Expected expected;
  expected.lanes = size(lanes);
  expected.lane = [n](std::size_t i) { return i / size(n); };
  expected.values.reserve(size(lanes * n));
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const std::int64_t at = block_.position + lane % block_.rows;
    for (std::int64_t column = 0; column < n; ++column) {
      // The key's position, if there is such a key yet.
      std::int64_t key = column < old ? column : block_.position + column - old;
      const bool is_there =
          key < (column < old && is_host ? block_.position : block_.position + block_.rows);
      if (!is_there) key = -1;
      const bool is_hidden = key < first_seen(at, config_.window_of(layer_)) || key > at;
      float value = is_there ? a.scores[size(lane * a.keys + key)] : 0.0f;
      if (is_masked && is_hidden) value = -INFINITY;
      if (is_share) value = is_hidden ? 0.0f : a.probabilities[size(lane * a.keys + key)];
      expected.values.push_back(value);
    }
  }
  return expected;
}

std::vector<float> Expectations::mask_rows(std::int64_t window) const {
  const bool is_host = bundle_.kv == "host";
  const std::int64_t context = bundle_.context;
  const std::int64_t keys = context + (is_host ? block_.rows : 0);
  std::vector<float> values(size(block_.rows * keys), -INFINITY);
  for (std::int64_t row = 0; row < block_.rows; ++row) {
    for (std::int64_t key = 0; key < keys; ++key) {
      const std::int64_t at = block_.position + row;
      // The position that the key is of, if there is one yet.
      const bool is_old = !is_host || key < context;
      const std::int64_t of = is_old ? key : block_.position + key - context;
      const bool is_there = !is_host || !is_old || of < block_.position;
      if (is_there && of <= at && of >= first_seen(at, window)) values[size(row * keys + key)] = 0;
    }
  }
  return values;
}

// What all layers of a function share: the mask and the rotation, where the program makes them.
std::optional<Expected> Expectations::shared(std::string_view name, const Shape& shape) const {
  const bool is_sliding = name.starts_with("sliding_");
  if (is_sliding) name.remove_prefix(std::string_view("sliding_").size());
  const bool is_mask = name == "position_mask" || name == "group_mask" || name == "mask_prefix";
  const bool is_table = name == "cos_at" || name == "sin_at";
  if (!is_mask && !is_table && name != "seen" && name != "reach") return std::nullopt;
  // Rows, or several copies of them one below another for the heads of a group.
  if (shape.size() != 4 || shape[0] != 1 || shape[1] != 1 || shape[2] % block_.rows != 0) {
    return std::nullopt;
  }
  std::vector<float> rows;
  if (is_table) {
    rows = name == "cos_at" ? cos_rows() : sin_rows();
  } else if (name == "reach") {
    for (std::int64_t row = 0; row < block_.rows; ++row) {
      rows.push_back(static_cast<float>(block_.position + row));
    }
  } else {
    rows = mask_rows(is_sliding ? config_.sliding_window : 0);
    if (name == "seen") {
      for (float& value : rows) value = value == 0 ? 1.0f : 0.0f;
    }
  }
  const std::int64_t width = static_cast<std::int64_t>(rows.size()) / block_.rows;
  // The first columns of a mask are enough.
  if (shape[3] > width || (shape[3] < width && name != "mask_prefix")) return std::nullopt;
  Expected expected;
  for (std::int64_t row = 0; row < shape[2]; ++row) {
    const auto from = rows.begin() + row % block_.rows * width;
    expected.values.insert(expected.values.end(), from, from + shape[3]);
  }
  // An element each: one wrong key is enough.
  expected.lane = [](std::size_t i) { return i; };
  expected.lanes = expected.values.size();
  return expected;
}

// Keys and values of the whole cache, (1, K, context, D): what was there and, unless the host
// writes it later, the block's own.
std::optional<Expected> Expectations::cached(std::string_view name, const Shape& shape) {
  if (name != "keys" && name != "values") return std::nullopt;
  const std::int64_t d = config_.head_dim, context = bundle_.context, heads = config_.kv_heads;
  if (shape != Shape{1, heads, context, d}) return std::nullopt;
  const auto& from = trace_->find(name == "keys" ? "k" : "v_proj")->second;
  const std::int64_t written = block_.position + (bundle_.kv == "host" ? 0 : block_.rows);
  Expected expected;
  expected.values.resize(size(heads * context * d));
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t row = 0; row < written; ++row) {
      std::copy_n(from.begin() + (row * heads + head) * d, d,
                  expected.values.begin() + (head * context + row) * d);
    }
  }
  // A position of a head.
  expected.lane = [d](std::size_t i) { return i / size(d); };
  expected.lanes = size(heads * context);
  return expected;
}

Expected Expectations::logits(const Shape& shape, std::int64_t first) const {
  // (1, n, 1, S) or (1, S, n).
  const bool is_column = shape.size() == 4;
  const std::int64_t n = is_column ? shape[1] : shape[2];
  const std::int64_t rows = is_column ? shape[3] : shape[1];
  const std::int64_t skipped = block_.rows - rows;  // `prefill` of kind single gives the last alone
  std::vector<float> all(size(rows * config_.vocab_size));
  oracle_.logits(std::span(final_norm_).subspan(size(skipped * config_.hidden_size)), all);
  Expected expected;
  expected.values.resize(size(rows * n));
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < n; ++i) {
      expected.values[size(is_column ? i * rows + row : row * n + i)] =
          all[size(row * config_.vocab_size + first + i)];
    }
  }
  expected.lanes = size(n);
  expected.lane = [=](std::size_t i) { return is_column ? i / size(rows) : i % size(n); };
  return expected;
}

namespace {

// Lays rows of heads out in one of the shapes that values have. `at` may be null.
template <typename Getter>
std::optional<Expected> placed(const Shape& shape, std::int64_t rows, std::int64_t heads,
                               std::int64_t width, const Getter& at) {
  Expected expected;
  if (element_count(shape) != rows * heads * width) return std::nullopt;
  expected.values.resize(size(rows * heads * width));
  expected.lanes = size(heads * width);
  if (heads == 1 && shape == Shape{1, width, 1, rows}) {
    for (std::int64_t i = 0; i < width; ++i) {
      for (std::int64_t row = 0; row < rows; ++row) {
        expected.values[size(i * rows + row)] = at(row, 0, i);
      }
    }
    expected.lane = [rows](std::size_t i) { return i / size(rows); };
    return expected;
  }
  const bool is_row_major = heads == 1 && shape == Shape{1, rows, width};
  // Heads of a group may lie one after another on the row axis: the order is the same.
  const bool is_heads = heads >= 1 && shape.size() == 4 && shape[0] == 1 && shape[3] == width;
  if (!is_row_major && !is_heads) return std::nullopt;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < width; ++i) {
        expected.values[size((head * rows + row) * width + i)] = at(row, head, i);
      }
    }
  }
  expected.lane = [=](std::size_t i) {
    return i / size(rows * width) * size(width) + i % size(width);
  };
  return expected;
}

}  // namespace

std::optional<Expected> Expectations::find(std::string_view value, const Shape& shape) {
  if (!is_known(shape)) return std::nullopt;
  if (auto found = shared(value, shape)) return found;
  if (const auto at = in_layer(value)) {
    if (trace_ == nullptr || at->first != layer_) return std::nullopt;
    if (auto found = scores(at->second, shape)) return found;
    if (auto found = cached(at->second, shape)) return found;
  } else if (value.starts_with("logits")) {
    if (final_norm_.empty() || trace_ != nullptr) return std::nullopt;
    std::string_view name = value;
    const bool is_column = take_suffix(name, "_columns");
    if (shape.size() != (is_column ? 4u : 3u) || value.ends_with("_flat")) return std::nullopt;
    std::int64_t first = 0;
    for (const generate::HeadTile& tile : bundle_.head_tiles) {
      if (tile.output == name) first = tile.first_row;
    }
    return logits(shape, first);
  } else if (value == "last_row" && trace_ == nullptr) {
    const Rows rows = matrix(stream_, 1, std::ldexp(1.0, -shifts_.residual));
    const std::int64_t last = block_.rows - 1;
    return placed(shape, 1, 1, rows.width,
                  [&](std::int64_t, std::int64_t, std::int64_t i) { return rows.at(last, 0, i); });
  }
  std::string_view base = value;
  const bool is_negative = take_suffix(base, "_negative");
  const bool is_both = !is_negative && take_suffix(base, "_both");
  const bool is_normed = !is_negative && !is_both && take_suffix(base, "_normed");
  if (is_negative || is_both || is_normed) {
    if (const auto norm = norm_of(base)) {
      const Rows& of = is_normed ? norm->y : norm->x;
      const std::int64_t width = of.width;
      if (is_negative) {
        return placed(shape, block_.rows, of.heads, width,
                      [&](auto row, auto head, auto i) { return -of.at(row, head, i); });
      }
      return placed(shape, block_.rows, of.heads, 2 * width, [&](auto row, auto head, auto i) {
        return i < width ? of.at(row, head, i) : -of.at(row, head, i - width);
      });
    }
  }
  const auto rows = rows_of(value);
  if (!rows) return std::nullopt;
  // `prefill` of kind single goes on with the last row alone.
  const std::int64_t count = element_count(shape) / (rows->heads * rows->width);
  if (count < 1 || count > block_.rows) return std::nullopt;
  const std::int64_t skipped = value == "final_norm" ? block_.rows - count : 0;
  return placed(shape, count, rows->heads, rows->width,
                [&](auto row, auto head, auto i) { return rows->at(row + skipped, head, i); });
}

std::optional<Expectations::Probe> Expectations::find_probe(std::string_view value,
                                                            const Shape& shape) {
  std::string_view base = value;
  if (!take_suffix(base, "_normed")) return std::nullopt;
  const auto norm = norm_of(base);
  if (!norm || !(norm->stored_epsilon > 0)) return std::nullopt;
  const std::int64_t width = norm->x.width;
  const auto mean_square = [&](std::int64_t row, std::int64_t head) {
    double sum = 0;
    for (std::int64_t i = 0; i < width; ++i) {
      sum += std::pow(static_cast<double>(norm->x.at(row, head, i)), 2);
    }
    return sum / static_cast<double>(width);
  };
  double mean = 0;
  for (std::int64_t row = 0; row < block_.rows; ++row) mean += mean_square(row, 0);
  mean /= static_cast<double>(block_.rows);
  if (!(mean > 0) || !std::isfinite(mean)) return std::nullopt;
  Probe probe;
  probe.scale = static_cast<float>(std::sqrt(norm->stored_epsilon / mean));
  std::vector<double> factors;  // of y, by head and row
  for (std::int64_t head = 0; head < norm->x.heads; ++head) {
    for (std::int64_t row = 0; row < block_.rows; ++row) {
      const double square = mean_square(row, head);
      const double scaled = square * probe.scale * probe.scale + norm->stored_epsilon;
      factors.push_back(probe.scale * std::sqrt((square + norm->epsilon) / scaled));
    }
  }
  const std::int64_t rows = block_.rows;
  auto expected = placed(shape, rows, norm->y.heads, 2 * width, [&](auto row, auto head, auto i) {
    const float y = i < width ? norm->y.at(row, head, i) : -norm->y.at(row, head, i - width);
    return static_cast<float>(y * factors[size(head * rows + row)]);
  });
  if (!expected) return std::nullopt;
  probe.expected = std::move(*expected);
  return probe;
}

}  // namespace anemone::gate
