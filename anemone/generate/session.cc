#include <variant>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/generate/host_rows.h"
#include "anemone/generate/runner.h"

namespace anemone::generate {
namespace {

// A cache that the host owns, [2L, K, context, D], in the type that the arithmetic keeps states in.
using Cache = std::variant<std::vector<f16>, std::vector<float>>;

engine::Feed make_feed(std::string_view name, std::span<const float> values) {
  return {name, DType::kF32, values.data(), static_cast<std::int64_t>(values.size())};
}
engine::Feed make_feed(std::string_view name, std::span<const f16> values) {
  return {name, DType::kF16, values.data(), static_cast<std::int64_t>(values.size())};
}
engine::Feed make_feed(std::string_view name, std::span<const std::int32_t> values) {
  return {name, DType::kI32, values.data(), static_cast<std::int64_t>(values.size())};
}
engine::Fetch fetch_to(std::string_view name, std::span<float> values) {
  return {name, DType::kF32, values.data(), static_cast<std::int64_t>(values.size())};
}

void store(std::span<const float> from, f16* to) {
  std::transform(from.begin(), from.end(), to, to_f16);
}
void store(std::span<const float> from, float* to) { std::copy(from.begin(), from.end(), to); }

template <typename T>
std::span<T> first(std::vector<T>& values, std::int64_t count) {
  if (values.size() < static_cast<std::size_t>(count)) {
    values.resize(static_cast<std::size_t>(count));
  }
  return std::span(values).first(static_cast<std::size_t>(count));
}

}  // namespace

// Grown when first needed, so that a session that only decodes stays small.
struct Session::Buffers {
  std::vector<float> hidden, hidden_out;
  std::vector<float> cos, sin, mask, sliding_mask, write, last;
  std::vector<std::int32_t> ids;
  std::int32_t position = 0;
  std::uint32_t filled = 0;  // bit 1 << Role: made for this block already
  std::vector<float> kv_new;
  std::vector<Cache> caches;  // one a stage, with kv = host
  std::vector<float> rows;    // logits of a whole block
  std::vector<float> logits;  // of one position
};

Session::Session(const Runner& runner) : runner_(runner), buffers_(std::make_unique<Buffers>()) {
  const Bundle& bundle = runner.bundle();
  for (const auto& stage : runner.stages_) {
    states_.push_back(stage.predictor->make_state());
    if (bundle.kv != "host") continue;
    const auto count =
        static_cast<std::size_t>(element_count(shape_of(Role::kCache, bundle, 1, stage.layers)));
    if (runner.arithmetic() == engine::Arithmetic::kFloat32) {
      buffers_->caches.emplace_back(std::vector<float>(count));
    } else {
      buffers_->caches.emplace_back(std::vector<f16>(count));
    }
  }
}

Session::~Session() = default;

std::int64_t Session::position() const {
  const std::lock_guard lock(turn_);
  return position_;
}

void Session::reset() {
  const std::lock_guard lock(turn_);
  for (const auto& state : states_) state->reset();
  for (Cache& cache : buffers_->caches) {
    std::visit([](auto& values) { values.assign(values.size(), {}); }, cache);
  }
  position_ = 0;
}

void Session::move_to(std::int64_t position) {
  const std::lock_guard lock(turn_);
  if (position < 0 || position > runner_.context()) {
    throw Error(Code::kLimit, "position " + std::to_string(position) + "; the context has 0 to " +
                                  std::to_string(runner_.context()));
  }
  position_ = position;
}

void Session::set_watch(Watch watch) {
  const std::lock_guard lock(turn_);
  watch_ = std::move(watch);
}

std::size_t Session::state_bytes() const {
  const std::lock_guard lock(turn_);
  std::size_t bytes = 0;
  for (const auto& state : states_) bytes += state->size_bytes();
  for (const Cache& cache : buffers_->caches) {
    bytes +=
        std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, cache);
  }
  return bytes;
}

void Session::require_room(std::span<const int> ids) const {
  const std::lock_guard lock(turn_);
  check_ids(ids);
}

void Session::check_ids(std::span<const int> ids) const {
  const std::int64_t context = runner_.context();
  const auto count = static_cast<std::int64_t>(ids.size());
  if (count == 0) throw Error(Code::kBadInput, "there are no token ids to run on");
  if (count > context - position_) {
    if (position_ == 0) {
      throw Error(Code::kLimit, "the prompt has " + std::to_string(count) +
                                    " tokens; the context holds " + std::to_string(context));
    }
    throw Error(Code::kLimit, std::to_string(count) + " tokens more do not fit: of the context's " +
                                  std::to_string(context) + " positions " +
                                  std::to_string(position_) + " are taken");
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || ids[i] >= runner_.vocab_size()) {
      throw Error(Code::kBadInput, "token id " + std::to_string(ids[i]) + " at place " +
                                       std::to_string(i) + "; allowed: 0 to " +
                                       std::to_string(runner_.vocab_size() - 1));
    }
  }
}

Session::Block Session::next_block(std::span<const int> ids, bool is_scored) const {
  const std::int64_t rows = runner_.bundle().prefill;
  const auto count = static_cast<std::int64_t>(ids.size());
  if (runner_.bundle().kind == Bundle::Kind::kRanged) {
    // Any number of rows fits, so none is padding.
    const std::int64_t taken = runner_.options_.path == Path::kDecode ? 1 : std::min(rows, count);
    return {ids.first(static_cast<std::size_t>(taken)), taken, is_scored};
  }
  // Padding is hidden by the mask until it is overwritten; beyond the context's end it would have
  // no place to be.
  if (runner_.options_.path == Path::kDecode || count == 1 || rows == 1 ||
      rows > runner_.context() - position_) {
    return {ids.first(1), 1, is_scored};
  }
  return {ids.first(static_cast<std::size_t>(std::min(rows, count))), rows, is_scored};
}

std::span<const float> Session::feed(std::span<const int> ids, const StopFlag* stop) {
  const std::lock_guard lock(turn_);
  check_ids(ids);
  while (!ids.empty()) {
    if (stop) stop->throw_if_set();
    take_block(ids);
  }
  return buffers_->logits;
}

std::span<const float> Session::feed_block(std::span<const int>& ids) {
  const std::lock_guard lock(turn_);
  check_ids(ids);
  take_block(ids);
  return ids.empty() ? std::span<const float>(buffers_->logits) : std::span<const float>();
}

void Session::take_block(std::span<const int>& ids) {
  const Block block = next_block(ids, false);
  ids = ids.subspan(block.ids.size());
  run(block, ids.empty(), nullptr);
}

void Session::score(std::span<const int> ids, const Sink& sink, const StopFlag* stop) {
  const std::lock_guard lock(turn_);
  check_ids(ids);
  while (!ids.empty()) {
    if (stop) stop->throw_if_set();
    const Block block = next_block(ids, true);
    ids = ids.subspan(block.ids.size());
    run(block, true, &sink);
  }
}

void Session::run(const Block& block, bool wants_logits, const Sink* sink) {
  buffers_->filled = 0;
  switch (runner_.bundle().kind) {
    case Bundle::Kind::kSingle:
      run_single(block, wants_logits, sink);
      break;
    case Bundle::Kind::kRanged:
      run_ranged(block, wants_logits, sink);
      break;
    case Bundle::Kind::kParts:
      run_parts(block);
      if (wants_logits) run_head(block, sink);
      break;
  }
  position_ += static_cast<std::int64_t>(block.ids.size());
}

void Session::fill(Role role, const Block& block) {
  const Bundle& bundle = runner_.bundle();
  Buffers& b = *buffers_;
  const std::int64_t rows = block.rows;
  const std::int64_t count = element_count(shape_of(role, bundle, rows, 1));
  // Rows past the block's end repeat its last token.
  const auto id_of = [&](std::int64_t row) {
    return block.ids[std::min(static_cast<std::size_t>(row), block.ids.size() - 1)];
  };
  switch (role) {
    case Role::kHidden: {
      auto out = first(b.hidden, count).begin();
      for (std::int64_t row = 0; row < rows; ++row) {
        const auto values = runner_.embedding_->row(id_of(row));
        out = std::transform(values.begin(), values.end(), out, [](f16 v) { return to_float(v); });
      }
      return;
    }
    case Role::kInputIds: {
      const auto ids = first(b.ids, count);
      for (std::int64_t row = 0; row < rows; ++row) ids[static_cast<std::size_t>(row)] = id_of(row);
      return;
    }
    case Role::kPosition:
      b.position = static_cast<std::int32_t>(position_);
      return;
    case Role::kCos:
    case Role::kSin:
      fill_rotary(position_, rows, bundle.inv_freq, bundle.attention_scaling, first(b.cos, count),
                  first(b.sin, count));
      return;
    case Role::kMask:
    case Role::kSlidingMask: {
      const bool is_sliding = role == Role::kSlidingMask;
      const auto fill_rows = bundle.kv == "host" ? fill_host_mask : fill_mask;
      fill_rows(position_, rows, bundle.context, bundle.mask_value,
                first(is_sliding ? b.sliding_mask : b.mask, count),
                is_sliding ? bundle.sliding_window : 0);
      return;
    }
    case Role::kWrite:
      fill_write(position_, rows, bundle.context, first(b.write, count));
      return;
    case Role::kLast: {
      const auto last = first(b.last, count);
      std::fill(last.begin(), last.end(), 0.0f);
      last[block.ids.size() - 1] = 1.0f;
      return;
    }
    case Role::kCache:
      return;  // kept up to date by store_new_keys
  }
}

engine::Feed Session::feed_of(Role role, const Block& block, std::size_t stage) {
  Buffers& b = *buffers_;
  const std::int64_t count = element_count(shape_of(role, runner_.bundle(), block.rows, 1));
  const auto floats = [&](std::vector<float>& values) {
    return make_feed(name(role), std::span<const float>(first(values, count)));
  };
  switch (role) {
    case Role::kHidden:
      return floats(b.hidden);
    case Role::kInputIds:
      return make_feed(name(role), std::span<const std::int32_t>(first(b.ids, count)));
    case Role::kPosition:
      return make_feed(name(role), std::span<const std::int32_t>(&b.position, 1));
    case Role::kCos:
      return floats(b.cos);
    case Role::kSin:
      return floats(b.sin);
    case Role::kMask:
      return floats(b.mask);
    case Role::kSlidingMask:
      return floats(b.sliding_mask);
    case Role::kWrite:
      return floats(b.write);
    case Role::kLast:
      return floats(b.last);
    case Role::kCache:
      return std::visit(
          [&](const auto& values) { return make_feed(name(role), std::span(values)); },
          b.caches.at(stage));
  }
  ANEMONE_CHECK(false) << "a role without a feed";
  return {};
}

void Session::call(std::size_t stage, const CallPlan& plan, const Block& block,
                   std::vector<engine::Fetch> fetches) {
  const Bundle& bundle = runner_.bundle();
  Buffers& b = *buffers_;
  std::vector<engine::Feed> feeds;
  for (const Role role : plan.inputs) {
    const Role made = role == Role::kSin ? Role::kCos : role;  // made together
    const auto mark = 1u << static_cast<unsigned>(made);
    // What depends on the block alone is made once for all stages.
    if ((b.filled & mark) == 0) fill(made, block);
    b.filled |= mark;
    feeds.push_back(feed_of(role, block, stage));
  }
  const bool has_cache = plan.takes(Role::kCache);
  if (has_cache) {
    const std::int64_t rows = 2 * runner_.stages_[stage].layers * bundle.num_key_value_heads;
    fetches.push_back(fetch_to("kv_new", first(b.kv_new, rows * block.rows * bundle.head_dim)));
  }
  runner_.stages_[stage].predictor->predict(plan.function, feeds, states_[stage].get(), fetches);
  if (has_cache) store_new_keys(stage, block);
}

void Session::store_new_keys(std::size_t stage, const Block& block) {
  const Bundle& bundle = runner_.bundle();
  const std::int64_t head_dim = bundle.head_dim;
  const std::int64_t matrices = 2 * runner_.stages_[stage].layers * bundle.num_key_value_heads;
  // Padding is not stored: nothing would ever read it.
  const auto real = static_cast<std::int64_t>(block.ids.size()) * head_dim;
  std::visit(
      [&](auto& cache) {
        for (std::int64_t matrix = 0; matrix < matrices; ++matrix) {
          const float* from = buffers_->kv_new.data() + matrix * block.rows * head_dim;
          store(std::span(from, static_cast<std::size_t>(real)),
                cache.data() + (matrix * bundle.context + position_) * head_dim);
        }
      },
      buffers_->caches[stage]);
}

void Session::run_parts(const Block& block) {
  Buffers& b = *buffers_;
  for (std::size_t i = 0; i < runner_.stages_.size(); ++i) {
    const Runner::Stage& stage = runner_.stages_[i];
    const auto out = first(b.hidden_out, block.rows * runner_.bundle().hidden_size);
    call(i, block.rows == 1 ? stage.decode : stage.prefill, block, {fetch_to("hidden_out", out)});
    std::swap(b.hidden, b.hidden_out);
    if (watch_) {
      const auto ids = static_cast<std::int64_t>(block.ids.size());
      watch_(i, position_, first(b.hidden, ids * runner_.bundle().hidden_size));
    }
  }
}

void Session::run_head(const Block& block, const Sink* sink) {
  const Bundle& bundle = runner_.bundle();
  Buffers& b = *buffers_;
  const bool all_rows = block.rows > 1 && block.is_scored;
  const CallPlan& plan = all_rows ? runner_.head_score_ : runner_.head_decode_;
  const auto ids = static_cast<std::int64_t>(block.ids.size());
  const auto hidden = std::span<const float>(b.hidden).subspan(
      static_cast<std::size_t>(all_rows ? 0 : (ids - 1) * bundle.hidden_size),
      static_cast<std::size_t>(plan.rows * bundle.hidden_size));
  const engine::Feed feeds[] = {make_feed(name(Role::kHidden), hidden)};
  // Each tile lies apart, [rows, tile.rows]; of one row that is its place among the logits.
  const auto logits = first(b.logits, bundle.vocab_size);
  const auto target = all_rows ? first(b.rows, plan.rows * bundle.vocab_size) : logits;
  const auto tile_of = [&](const HeadTile& tile) {
    return target.subspan(static_cast<std::size_t>(plan.rows * tile.first_row),
                          static_cast<std::size_t>(plan.rows * tile.rows));
  };
  std::vector<engine::Fetch> fetches;
  for (const HeadTile& tile : bundle.head_tiles) {
    fetches.push_back(fetch_to(tile.output, tile_of(tile)));
  }
  runner_.head_->predict(plan.function, feeds, nullptr, fetches);
  if (!sink) return;
  if (!all_rows) return (*sink)(position_, logits);
  for (std::int64_t row = 0; row < ids; ++row) {
    for (const HeadTile& tile : bundle.head_tiles) {
      const auto from = tile_of(tile).begin() + row * tile.rows;
      std::copy(from, from + tile.rows, logits.begin() + tile.first_row);
    }
    (*sink)(position_ + row, logits);
  }
}

void Session::run_single(const Block& block, bool wants_logits, const Sink* sink) {
  const std::int64_t vocab_size = runner_.vocab_size();
  Buffers& b = *buffers_;
  const Runner::Stage& stage = runner_.stages_[0];
  const bool all_rows = block.rows > 1 && block.is_scored;
  const CallPlan& plan = block.rows == 1 ? stage.decode : all_rows ? *stage.score : stage.prefill;
  const auto logits = first(b.logits, vocab_size);
  const auto target = all_rows ? first(b.rows, block.rows * vocab_size) : logits;
  std::vector<engine::Fetch> fetches;
  if (wants_logits) fetches.push_back(fetch_to(runner_.bundle().model_output, target));
  call(0, plan, block, std::move(fetches));
  if (sink) give_rows(target, all_rows ? static_cast<std::int64_t>(block.ids.size()) : 1, *sink);
}

void Session::give_rows(std::span<const float> rows, std::int64_t count, const Sink& sink) const {
  const auto width = static_cast<std::size_t>(runner_.vocab_size());
  for (std::int64_t row = 0; row < count; ++row) {
    sink(position_ + row, rows.subspan(static_cast<std::size_t>(row) * width, width));
  }
}

void Session::run_ranged(const Block& block, bool wants_logits, const Sink* sink) {
  Buffers& b = *buffers_;
  const std::int64_t rows = block.rows;
  const std::int64_t total = position_ + rows;
  const std::int64_t vocab_size = runner_.vocab_size();
  const Shape ids_shape = {1, rows};
  const Shape mask_shape = {1, 1, rows, total};
  const auto ids = first(b.ids, rows);
  std::copy(block.ids.begin(), block.ids.end(), ids.begin());
  std::vector<engine::Feed> feeds = {make_feed(kRangedIds, std::span<const std::int32_t>(ids))};
  feeds[0].shape = ids_shape;
  const auto add_mask = [&](const char* name, std::vector<float>& values, std::int64_t window) {
    const auto mask = first(values, rows * total);
    fill_mask(position_, rows, total, runner_.bundle().mask_value, mask, window);
    feeds.push_back(make_feed(name, std::span<const float>(mask)));
    feeds.back().shape = mask_shape;
  };
  if (runner_.ranged_masks_.full) add_mask(kRangedMask, b.mask, 0);
  if (runner_.ranged_masks_.sliding) {
    add_mask(kRangedSlidingMask, b.sliding_mask, runner_.bundle().sliding_window);
  }
  const auto logits = first(b.rows, rows * vocab_size);
  std::vector<engine::Fetch> fetches;
  if (wants_logits) fetches.push_back(fetch_to(runner_.bundle().model_output, logits));
  runner_.stages_[0].predictor->predict(kRangedFunction, feeds, states_[0].get(), fetches);
  if (sink) {
    give_rows(logits, rows, *sink);
  } else if (wants_logits) {
    const auto last = logits.last(static_cast<std::size_t>(vocab_size));
    std::copy(last.begin(), last.end(), first(b.logits, vocab_size).begin());
  }
}

}  // namespace anemone::generate
