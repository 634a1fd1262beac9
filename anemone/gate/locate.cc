#include "anemone/gate/locate.h"

#include <charconv>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/gate/expectations.h"
#include "anemone/gate/walk.h"
#include "anemone/generate/embedding.h"
#include "anemone/generate/host_rows.h"
#include "anemone/generate/runner.h"
#include "anemone/mil/verify.h"
#include "anemone/package/package.h"

namespace anemone::gate {
namespace {

std::size_t size(std::int64_t n) { return static_cast<std::size_t>(n); }

// Judges every element by itself.
Expected each(std::vector<float> values) {
  Expected expected{.values = std::move(values)};
  expected.lanes = expected.values.size();
  expected.lane = [](std::size_t i) { return i; };
  return expected;
}

// Judges runs of `width` elements.
Expected runs(std::vector<float> values, std::int64_t width) {
  Expected expected{.values = std::move(values)};
  expected.lanes = expected.values.size() / size(width);
  expected.lane = [width](std::size_t i) { return i / size(width); };
  return expected;
}

// Keeps the residual stream after each layer, [rows, hidden_size], of the last call.
class StreamWatch : public generate::Observer {
 public:
  bool wants(const mil::Function&, const mil::Value& value) override {
    return layer_of(value.name) >= 0;
  }
  void saw(std::string_view, const mil::Value& value, std::span<const float> elements) override {
    std::vector<float>& rows = streams[layer_of(value.name)];
    rows.assign(elements.begin(), elements.end());
    const Shape& shape = value.type.shape;
    if (shape.size() != 4) return;
    // (1, C, 1, S)
    for (std::int64_t c = 0; c < shape[1]; ++c) {
      for (std::int64_t s = 0; s < shape[3]; ++s) {
        rows[size(s * shape[1] + c)] = elements[size(c * shape[3] + s)];
      }
    }
  }
  std::map<std::int64_t, std::vector<float>> streams;

 private:
  // Of "layer_3_out"; -1 for other names.
  static std::int64_t layer_of(std::string_view name) {
    constexpr std::string_view kPrefix = "layer_", kSuffix = "_out";
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) return -1;
    std::int64_t layer = 0;
    const auto digits = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kSuffix.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
    return error == std::errc() && end == digits.data() + digits.size() ? layer : -1;
  }
};

class Locator {
 public:
  Locator(const generate::Bundle& bundle, const oracle::Oracle& oracle,
          const LocateOptions& options)
      : bundle_(bundle),
        oracle_(oracle),
        options_(options),
        is_single_(bundle.kind == generate::Bundle::Kind::kSingle),
        pool_(std::make_shared<ThreadPool>(options.threads)) {
    for (const std::string& package : bundle.packages()) {
      auto model = package::load(bundle.folder / package);
      mil::require_sound(model.program, (bundle.folder / package).string());
      programs_[package] = std::move(model.program);
    }
    if (!is_single_) embedding_.emplace(bundle);
  }

  Location run() {
    const std::int64_t rows = bundle_.prefill;
    const auto given = static_cast<std::int64_t>(options_.ids.size());
    if (given == 0) throw Error(Code::kBadInput, "there are no token ids to run on");
    // A whole block from an empty cache, one behind it, one id behind both; repeated if the text is
    // shorter.
    std::int64_t position = 0;
    const auto fits = [&](std::int64_t more) { return position + more <= bundle_.context; };
    for (std::int64_t i = 0; i < std::min(bundle_.context, 2 * rows + 1); ++i) {
      ids_.push_back(options_.ids[size(i % given)]);
    }
    for (const char* function : {"prefill", "score"}) {
      if (rows == 1 || !fits(rows)) continue;
      run_block({position, rows}, function);
      position += rows;
    }
    if (!fits(1)) position = bundle_.context - 1;
    run_block({position, 1}, "decode");
    location_.positions = position + 1;
    measure_drift();
    if (location_.checked == 0) {
      throw Error(Code::kUnsupported,
                  bundle_.folder.string() +
                      ": no value of the packages bears a name that is known; only bundles that "
                      "convert made can be searched");
    }
    return std::move(location_);
  }

 private:
  // Shows a program what it is called with, and checks what the host made.
  void feed_inputs(Walk& walk, std::int64_t layers) {
    for (const mil::Value* input : walk.inputs()) feed(walk, *input, layers);
  }

  void feed(Walk& walk, const mil::Value& input, std::int64_t layers) {
    const std::int64_t rows = block_.rows, context = bundle_.context, d = bundle_.head_dim;
    const std::string& name = input.name;
    const auto block_ids = std::span(ids_).subspan(size(block_.position), size(rows));
    if (name == "position") {
      const std::int64_t position[] = {block_.position};
      return walk.feed(input, Tensor::ints(position));
    }
    if (name == "input_ids") {
      std::vector<std::int64_t> ids(block_ids.begin(), block_ids.end());
      return walk.feed(input, Tensor::from_ints(DType::kI32, {1, rows}, ids));
    }
    std::vector<float> values(size(element_count(input.type.shape)));
    Expected expected;
    if (name == "hidden") {
      if (stage_ > 0) {
        values = expectations_->stream_rows();
        return walk.feed(input, Tensor::from_floats(DType::kF32, input.type.shape, values));
      }
      auto out = values.begin();
      for (const int id : block_ids) {
        const auto row = embedding_->row(id);
        out = std::transform(row.begin(), row.end(), out, [](f16 v) { return to_float(v); });
      }
      expected = runs(expectations_->stream_rows(), bundle_.hidden_size);
    } else if (name == "cos" || name == "sin") {
      std::vector<float> other(values.size());
      const bool is_cos = name == "cos";
      generate::fill_rotary(block_.position, rows, bundle_.inv_freq, bundle_.attention_scaling,
                            is_cos ? values : other, is_cos ? other : values);
      expected = runs(is_cos ? expectations_->cos_rows() : expectations_->sin_rows(), d);
    } else if (name == "mask" || name == "sliding_mask") {
      const bool is_sliding = name == "sliding_mask";
      const bool is_host = bundle_.kv == "host";
      const auto fill = is_host ? generate::fill_host_mask : generate::fill_mask;
      fill(block_.position, rows, context, bundle_.mask_value, values,
           is_sliding ? bundle_.sliding_window : 0);
      expected = each(expectations_->mask_rows(is_sliding ? oracle_.config().sliding_window : 0));
    } else if (name == "write") {
      generate::fill_write(block_.position, rows, context, values);
      expected = each(std::vector<float>(values.size(), 0.0f));
      for (std::int64_t row = 0; row < rows; ++row) {
        expected.values[size((block_.position + row) * rows + row)] = 1;
      }
    } else if (name == "last") {
      values.back() = 1;
      expected = each(values);
    } else if (name == "kv") {
      auto& cache = caches_[package_];
      cache.resize(values.size());
      ANEMONE_CHECK(layers > 0);
      return walk.feed(input, Tensor::from_floats(DType::kF32, input.type.shape, cache));
    } else {
      throw Error(Code::kUnsupported,
                  package_ + ": has the input '" + name + "', which no bundle of convert has");
    }
    if (options_.tamper) options_.tamper(name, values);
    walk.check_input(input, values, expected);
    // The programs are judged by what is right, not by the host's faults.
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (expected.values[i] == -INFINITY) {
        values[i] = std::min(values[i], bundle_.mask_value);
      } else {
        values[i] = expected.values[i];
      }
    }
    walk.feed(input, Tensor::from_floats(DType::kF32, input.type.shape, values));
  }

  // What the host would store after a call.
  void store_new_keys(const Walk& walk, std::int64_t layers) {
    const std::vector<float> fresh = walk.value("kv_new").to_floats();
    const std::int64_t d = bundle_.head_dim;
    std::vector<float>& cache = caches_.at(package_);
    for (std::int64_t matrix = 0; matrix < 2 * layers * bundle_.num_key_value_heads; ++matrix) {
      std::copy_n(fresh.begin() + matrix * block_.rows * d, block_.rows * d,
                  cache.begin() + (matrix * bundle_.context + block_.position) * d);
    }
  }

  std::unique_ptr<Walk> walk_of(const std::string& package, std::string_view function) {
    package_ = package;
    const mil::Function* found = programs_.at(package).find_function(function);
    if (!found) {
      throw Error(Code::kBadInput, (bundle_.folder / package).string() + ": has no function '" +
                                       std::string(function) + "'");
    }
    const bool is_f32 = options_.arithmetic == engine::Arithmetic::kFloat32;
    return std::make_unique<Walk>(
        *found,
        Walk::Place{.package = package,
                    .position = block_.position,
                    .arithmetic = options_.arithmetic,
                    .tolerance = options_.tolerance.value_or(is_f32 ? 1e-3 : 2e-2),
                    .pool = pool_},
        *expectations_, states_[package], location_);
  }

  // The parts' `prefill` serves scoring too; only the head and packages of kind single have
  // `score`.
  std::string_view layers_function() const {
    return !is_single_ && function_ == "score" ? std::string_view("prefill") : function_;
  }

  void begin_stage() {
    const std::int64_t layers =
        is_single_ ? bundle_.num_hidden_layers : bundle_.parts[stage_].layers;
    walk_ = walk_of(is_single_ ? bundle_.model_package : bundle_.parts[stage_].package,
                    layers_function());
    feed_inputs(*walk_, layers);
    stage_end_ = (is_single_ ? 0 : bundle_.parts[stage_].first_layer) + layers;
  }

  void end_stage() {
    walk_->run_to_end();
    if (bundle_.kv == "host") {
      const std::int64_t layers =
          is_single_ ? bundle_.num_hidden_layers : bundle_.parts[stage_].layers;
      store_new_keys(*walk_, layers);
    }
    walk_.reset();
    ++stage_;
  }

  void run_block(Block block, std::string_view function) {
    block_ = block;
    function_ = function;
    stage_ = 0;
    stage_end_ = 0;
    trace_.clear();
    Expectations expectations(bundle_, oracle_, block);
    expectations_ = &expectations;
    const oracle::Sequence sequence{{ids_.begin(), ids_.begin() + block.position + block.rows}, 0};
    oracle_.run(
        std::span(&sequence, 1), [&](const oracle::Seen& seen) { see(seen); }, options_.progress,
        options_.stop);
    expectations_ = nullptr;
  }

  void see(const oracle::Seen& seen) {
    std::vector<float> values(seen.data, seen.data + seen.rows * seen.columns);
    if (seen.name == "embedding") {
      stream_ = std::move(values);
      return;
    }
    if (seen.name == "final_norm") {
      run_head(values);
      return;
    }
    trace_[std::string(seen.name)] = std::move(values);
    if (seen.name == "out") run_layer(seen.layer);
  }

  void run_layer(std::int64_t layer) {
    expectations_->enter_layer(layer, stream_, trace_);
    if (!walk_) begin_stage();
    const std::string last = "layer_" + std::to_string(layer) + "_out";
    if (!walk_->run_through(last)) {
      throw Error(Code::kUnsupported, package_ + ": function '" + std::string(layers_function()) +
                                          "' has no op '" + last +
                                          "'; only bundles that convert made can be searched");
    }
    if (!is_single_ && layer + 1 == stage_end_) end_stage();
    stream_ = std::move(trace_.at("out"));
    trace_.clear();
    if (block_.position == 0) {
      const auto rows = std::span(stream_).first(size(block_.rows * bundle_.hidden_size));
      streams_.emplace_back(rows.begin(), rows.end());
    }
  }

  void run_head(const std::vector<float>& final_norm) {
    expectations_->enter_head(stream_, final_norm);
    if (is_single_) return end_stage();
    const bool is_decode = function_ == "decode";
    const auto walk = walk_of(bundle_.head_package, is_decode ? "decode" : "score");
    feed_inputs(*walk, 0);
    walk->run_to_end();
  }

  // The first block as the bundle really runs it.
  void measure_drift() {
    const auto rows = static_cast<std::int64_t>(streams_.at(0).size()) / bundle_.hidden_size;
    StreamWatch watch;
    generate::Runner::Options runner_options;
    runner_options.arithmetic = options_.arithmetic;
    runner_options.open = [&](const std::filesystem::path& package) {
      return generate::open_observed_predictor(
          package, {.arithmetic = options_.arithmetic, .pool = pool_}, watch);
    };
    const auto runner = generate::Runner::load(bundle_.folder, runner_options);
    generate::Session session(*runner);
    session.feed(std::span(ids_).first(size(rows)), options_.stop);
    const double factor = std::ldexp(1.0, shifts_of(bundle_).residual);
    for (const auto& [layer, stream] : watch.streams) {
      if (size(layer) >= streams_.size()) continue;
      const std::vector<float>& theirs = streams_[size(layer)];
      if (stream.size() != theirs.size()) continue;
      std::vector<float> ours = stream;
      for (float& value : ours) value = static_cast<float>(value * factor);
      location_.drift.push_back({layer, distance(theirs, ours), range_of(ours), range_of(theirs)});
    }
  }

  const generate::Bundle& bundle_;
  const oracle::Oracle& oracle_;
  const LocateOptions& options_;
  const bool is_single_;
  std::shared_ptr<ThreadPool> pool_;
  std::map<std::string, mil::Program> programs_;
  std::optional<generate::Embedding> embedding_;
  std::map<std::string, States> states_;
  std::map<std::string, std::vector<float>> caches_;  // by package, kept by the host
  std::vector<int> ids_;
  Location location_;
  std::vector<std::vector<float>> streams_;  // after each layer, of the block at position 0

  // Of the block under way.
  Block block_;
  std::string function_;
  std::string package_;
  Expectations* expectations_ = nullptr;
  std::unique_ptr<Walk> walk_;
  std::size_t stage_ = 0;
  std::int64_t stage_end_ = 0;
  std::vector<float> stream_;
  Trace trace_;
};

}  // namespace

Location locate(const generate::Bundle& bundle, const oracle::Oracle& oracle,
                const LocateOptions& options) {
  return Locator(bundle, oracle, options).run();
}

}  // namespace anemone::gate
