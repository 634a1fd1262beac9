#include "anemone/base/check.h"
#include "anemone/models/emitter.h"

// How keys and values get into the cache and out of it. Every read_state is a snapshot, and each
// slice_update takes the one that follows the last write, so that no write is lost however a
// compiler reorders the rest.
namespace anemone::models {

using mil::Type;
using mil::Value;

void Emitter::declare_ranged_inputs(Range layers) {
  ANEMONE_CHECK(form_.kv == KvWrite::kSlice && form_.states == States::kTwo)
      << "the ranged interface has a state of keys and one of values";
  layers_ = layers;
  reads_prefix_ = true;
  const std::int64_t d = config_.head_dim;
  const Type mask = Type::tensor(DType::kF16, {1, 1, kUnknown, kUnknown});
  if (has_layer(layers, false)) mask_ = b_.input(kRangedMask, mask);
  if (has_layer(layers, true)) sliding_mask_ = b_.input(kRangedSlidingMask, mask);
  const Shape cache = {layers.count, config_.num_key_value_heads, form_.context, d};
  for (const char* name : {kRangedKeys, kRangedValues}) {
    states_.push_back(b_.input(name, Type::state(DType::kF16, cache)));
  }
  // A mask's last two extents are the new positions and all positions so far.
  Value* extents = b_.add("shape", "mask_extents", {{"x", any_mask()}});
  Value* taken = slice(extents, 0, 2, 3, "rows_new");
  position_end_ = slice(extents, 0, 3, 4, "position_end");
  position_ = b_.add("sub", "position", {{"x", position_end_}, {"y", taken}});
  const auto rows_of = [&](std::string_view name, float (*of)(float)) {
    Value* table = rotary_table(of, std::string(name) + "_table");
    Value* begin = corner(std::string(name) + "_begin", {}, position_, 0);
    Value* end = corner(std::string(name) + "_end", {}, position_end_, d);
    Value* rows = b_.add("slice_by_index", std::string(name) + "_rows",
                         {{"x", table}, {"begin", begin}, {"end", end}});
    return b_.add("expand_dims", name, {{"x", rows}, {"axes", std::vector<std::int64_t>{0, 1}}});
  };
  cos_ = rows_of("cos", [](float x) { return std::cos(x); });
  sin_ = rows_of("sin", [](float x) { return std::sin(x); });
  if (form_.gqa == Gqa::kGrouped && config_.group() > 1) group_masks();
}

void Emitter::declare_states() {
  const std::int64_t k = config_.num_key_value_heads;
  const std::int64_t d = config_.head_dim;
  const auto cache_type = [&](std::int64_t rows) { return Shape{rows, k, form_.context, d}; };
  if (form_.kv == KvWrite::kHost) {
    cache_ = b_.input(kKv, Type::tensor(DType::kF16, cache_type(2 * layers_.count)));
    return;
  }
  if (state_count_ > 0) {
    for (std::int64_t i = 0; i < state_count_; ++i) {
      const std::int64_t rows = 2 * layers_.count;
      const std::int64_t held = rows * (i + 1) / state_count_ - rows * i / state_count_;
      states_.push_back(b_.input(std::string(kKv) + "_" + std::to_string(i),
                                 Type::state(DType::kF16, cache_type(held))));
    }
    declare_ends();
    return;
  }
  switch (form_.states) {
    case States::kOne:
      states_ = {b_.input(kKv, Type::state(DType::kF16, cache_type(2 * layers_.count)))};
      break;
    case States::kTwo:
      for (const char* name : {"keys", "values"}) {
        states_.push_back(b_.input(name, Type::state(DType::kF16, cache_type(layers_.count))));
      }
      break;
    case States::kPerLayer:
      for (std::int64_t layer = layers_.first; layer < layers_.first + layers_.count; ++layer) {
        for (const char* name : {"keys_", "values_"}) {
          states_.push_back(
              b_.input(name + std::to_string(layer), Type::state(DType::kF16, cache_type(1))));
        }
      }
      break;
  }
  declare_ends();
}

// Where a write ends, or which rows it replaces.
void Emitter::declare_ends() {
  blended_rows_.resize(states_.size());
  if (form_.kv == KvWrite::kSlice || reads_prefix_) {
    mil::Builder::Binding taken = std::vector<std::int64_t>{rows_};
    if (rows_ == kUnknown) {
      ANEMONE_CHECK(any_mask() != nullptr) << "the number of rows is read off the mask";
      Value* extents = b_.add("shape", "mask_extents", {{"x", any_mask()}});
      taken = slice(extents, 0, 2, 3, "rows_new");
    }
    position_end_ = b_.add("add", "position_end", {{"x", position_}, {"y", taken}});
  }
  if (form_.kv == KvWrite::kBlend) {
    Value* taken =
        b_.add("reduce_sum", "rows_taken",
               {{"x", write_}, {"axes", std::vector<std::int64_t>{3}}, {"keep_dims", true}});
    keep_ = b_.add("sub", "rows_kept", {{"x", half("one", 1)}, {"y", taken}});
  }
}

Emitter::Row Emitter::key_row(std::int64_t layer) const {
  const std::int64_t i = layer - layers_.first;
  const std::int64_t n = layers_.count;
  if (form_.kv == KvWrite::kHost) return {cache_, 2 * i, 2 * n};
  if (state_count_ > 0) return state_row(2 * i);
  switch (form_.states) {
    case States::kOne:
      return {states_[0], 2 * i, 2 * n};
    case States::kTwo:
      return {states_[0], i, n};
    case States::kPerLayer:
      return {states_[static_cast<std::size_t>(2 * i)], 0, 1};
  }
  ANEMONE_CHECK(false);
  return {};
}

Emitter::Row Emitter::value_row(std::int64_t layer) const {
  Row row = key_row(layer);
  const std::int64_t i = layer - layers_.first;
  if (state_count_ > 0) return state_row(2 * i + 1);
  if (form_.kv == KvWrite::kHost || form_.states == States::kOne) {
    row.row++;
  } else if (form_.states == States::kTwo) {
    row.state = states_[1];
  } else {
    row.state = states_[static_cast<std::size_t>(2 * i + 1)];
  }
  return row;
}

// Where row `row` of all 2L lies, with state_count_ states.
Emitter::Row Emitter::state_row(std::int64_t row) const {
  const std::int64_t rows = 2 * layers_.count;
  for (std::int64_t i = 0;; ++i) {
    const std::int64_t first = rows * i / state_count_;
    const std::int64_t end = rows * (i + 1) / state_count_;
    if (row < end) return {states_[static_cast<std::size_t>(i)], row - first, end - first};
  }
}

// The masks' columns up to the last position written.
void Emitter::prefix_masks() {
  const std::vector<std::int64_t> zeros = {0, 0, 0};
  Value* head = b_.constant("mask_end_head", Tensor::ints(zeros));
  Value* end = b_.add(
      "concat", "mask_end",
      {{"values", std::vector<Value*>{head, position_end_}}, {"axis", 0}, {"interleave", false}});
  constexpr bool kWhole[] = {true, true, true, false};
  for_masks([&](Value* mask, const std::string& prefix) {
    return b_.add("slice_by_index", prefix + "mask_prefix",
                  {{"x", mask},
                   {"begin", std::vector<std::int64_t>{0, 0, 0, 0}},
                   {"end", end},
                   {"end_mask", Tensor::bools(kWhole)}});
  });
}

// One corner of a slice, [n]: `head`, then a position, [1], then `tail`.
Value* Emitter::corner(const std::string& name, std::vector<std::int64_t> head, Value* position,
                       std::int64_t tail) {
  std::vector<Value*> pieces;
  if (!head.empty()) pieces.push_back(b_.constant(name + "_head", Tensor::ints(head)));
  pieces.push_back(position);
  const std::vector<std::int64_t> last = {tail};
  pieces.push_back(b_.constant(name + "_tail", Tensor::ints(last)));
  return b_.add("concat", name, {{"values", pieces}, {"axis", 0}, {"interleave", false}});
}

// Row `row` of a cache, (1, K, context, D), or its first position_end_ positions.
Value* Emitter::take_row(Value* cache, const Row& row, std::string_view name) {
  if (reads_prefix_) {
    const std::vector<std::int64_t> begin = {row.row, 0, 0, 0};
    Value* end = corner(std::string(name) + "_end", {row.row + 1, config_.num_key_value_heads},
                        position_end_, config_.head_dim);
    return b_.add("slice_by_index", name, {{"x", cache}, {"begin", begin}, {"end", end}});
  }
  return take_whole_row(cache, row, name);
}

Value* Emitter::take_whole_row(Value* cache, const Row& row, std::string_view name) {
  if (row.rows == 1) return cache;
  return slice(cache, 0, row.row, row.row + 1, name);
}

// Writes `update`, (1, K, S, D), at `position` and gives the state's contents read again.
Value* Emitter::slice_store(const Row& row, Value* update, std::string_view name) {
  const std::string base(name);
  const std::int64_t k = config_.num_key_value_heads;
  const std::int64_t d = config_.head_dim;
  Value* begin = corner(base + "_begin", {row.row, 0}, position_, 0);
  Value* end = corner(base + "_end", {row.row + 1, k}, position_end_, d);
  Value* before = b_.add("read_state", base + "_before", {{"input", row.state}});
  Value* updated = b_.add("slice_update", base + "_updated",
                          {{"x", before}, {"update", update}, {"begin", begin}, {"end", end}});
  b_.add_op("write_state", base + "_write", {{"input", row.state}, {"data", updated}}, {});
  return b_.add("read_state", base + "_after", {{"input", row.state}});
}

Emitter::Heads Emitter::store_by_slice(Value* k, Value* v, std::int64_t layer) {
  const std::string base = prefix(layer);
  const Row keys = key_row(layer);
  const Row values = value_row(layer);
  Value* with_keys = slice_store(keys, k, base + "k_state");
  Value* with_values = slice_store(values, v, base + "v_state");
  // One state: what was read after the second write holds both.
  Value* from = keys.state == values.state ? with_values : with_keys;
  return {take_row(from, keys, base + "keys"), take_row(with_values, values, base + "values")};
}

// old * keep + write @ update: rows that `write` marks are replaced.
Value* Emitter::blended(Value* old, Value* update, std::string_view name) {
  const std::string base(name);
  Value* kept = b_.add("mul", base + "_kept", {{"x", old}, {"y", keep_}});
  Value* placed =
      rows_ == 1
          ? b_.add("mul", base + "_placed", {{"x", update}, {"y", write_}})
          : b_.add("matmul", base + "_placed",
                   {{"x", write_}, {"y", update}, {"transpose_x", false}, {"transpose_y", false}});
  return b_.add("add", name, {{"x", kept}, {"y", placed}});
}

Emitter::Heads Emitter::store_by_blend(Value* k, Value* v, std::int64_t layer) {
  const std::string base = prefix(layer);
  const auto store = [&](const Row& row, Value* update, const std::string& name) {
    const auto index = static_cast<std::size_t>(
        std::find(states_.begin(), states_.end(), row.state) - states_.begin());
    Value* old = b_.add("read_state", base + name + "_state", {{"input", row.state}});
    Value* fresh = blended(take_whole_row(old, row, base + name + "_old"), update, base + name);
    blended_rows_[index].push_back(fresh);
    return reads_prefix_ ? take_row(fresh, {}, base + name + "_prefix") : fresh;
  };
  Value* keys = store(key_row(layer), k, "keys");
  Value* values = store(value_row(layer), v, "values");
  return {keys, values};
}

Emitter::Heads Emitter::host_cache(std::int64_t layer) {
  const std::string base = prefix(layer);
  return {take_row(cache_, key_row(layer), base + "keys"),
          take_row(cache_, value_row(layer), base + "values")};
}

Value* Emitter::finish_cache() {
  const auto joined = [&](const std::vector<Value*>& rows, const std::string& name) {
    if (rows.size() == 1) return rows.front();
    return b_.add("concat", name, {{"values", rows}, {"axis", 0}, {"interleave", false}});
  };
  if (form_.kv == KvWrite::kHost) return joined(fresh_, kKvNew);
  for (std::size_t i = 0; i < states_.size() && form_.kv == KvWrite::kBlend; ++i) {
    const std::string name = states_[i]->name;
    b_.add_op("write_state", name + "_write",
              {{"input", states_[i]}, {"data", joined(blended_rows_[i], name + "_blended")}}, {});
  }
  return nullptr;
}

}  // namespace anemone::models
