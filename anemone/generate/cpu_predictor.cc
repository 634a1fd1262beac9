#include <algorithm>
#include <map>
#include <mutex>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/engine/callable.h"
#include "anemone/engine/specialise.h"
#include "anemone/generate/interface.h"
#include "anemone/generate/predictor.h"
#include "anemone/mil/verify.h"
#include "anemone/package/package.h"

namespace anemone::generate {
namespace {

class CpuState : public PredictorState {
 public:
  explicit CpuState(std::unique_ptr<engine::State> contents) : state(std::move(contents)) {}
  void reset() override { state->reset(); }
  std::size_t size_bytes() const override { return state->size_bytes(); }

  std::unique_ptr<engine::State> state;
};

Tensor to_tensor(const engine::Feed& feed) {
  Shape shape(feed.shape.begin(), feed.shape.end());
  const auto count = static_cast<std::size_t>(feed.count);
  if (feed.dtype == DType::kI32) {
    const auto* from = static_cast<const std::int32_t*>(feed.data);
    const std::vector<std::int64_t> wide(from, from + count);
    return Tensor::from_ints(DType::kI32, std::move(shape), wide);
  }
  ANEMONE_CHECK(feed.dtype == DType::kF32) << "a feed of a ranged function is int32 or fp32";
  return Tensor::from_floats(DType::kF32, std::move(shape),
                             {static_cast<const float*>(feed.data), count});
}

// Copies an output to where it was asked for.
void copy_to(const engine::Fetch& fetch, const Tensor& tensor) {
  ANEMONE_CHECK(fetch.dtype == DType::kF32) << "an output of a ranged function is fetched as fp32";
  if (tensor.count() != fetch.count) {
    throw Error(Code::kBadInput, "output '" + std::string(fetch.name) + "' has the shape " +
                                     anemone::to_string(tensor.shape()) +
                                     "; allowed: " + std::to_string(fetch.count) + " elements");
  }
  auto* to = static_cast<float*>(fetch.data);
  for (std::int64_t i = 0; i < fetch.count; ++i) to[i] = static_cast<float>(tensor.number(i));
}

class CpuPredictor : public Predictor {
 public:
  CpuPredictor(const std::filesystem::path& package, engine::Options options, Observer* observer)
      : path_(package), options_(std::move(options)), observer_(observer) {
    auto model = package::load(package);
    mil::require_sound(model.program, package.string());
    for (const auto& function : model.program.functions) {
      functions_.push_back(interface_of(*function));
      if (observer_ == nullptr) continue;
      if (!engine::is_static(*function)) {
        throw Error(Code::kUnsupported, package.string() + ": function '" + function->name +
                                            "' has shapes that only a call fixes; values are "
                                            "watched in static functions alone");
      }
      watch(*function);
    }
    program_ = std::make_shared<const mil::Program>(std::move(model.program));
  }

  const std::vector<FunctionInterface>& functions() const override { return functions_; }
  void prepare(std::string_view function) override {
    if (is_ranged(function)) {
      callable(function);
    } else {
      executable(function);
    }
  }

  std::unique_ptr<PredictorState> make_state() override {
    // Any function will do: the state is the program's.
    const std::string any = any_compiled();
    return std::make_unique<CpuState>(is_ranged(any) ? callable(any)->make_state()
                                                     : executable(any)->make_state());
  }

  void predict(std::string_view function, std::span<const engine::Feed> feeds,
               PredictorState* state, std::span<const engine::Fetch> fetches) override {
    engine::State* contents = state ? static_cast<CpuState*>(state)->state.get() : nullptr;
    if (is_ranged(function)) {
      call_ranged(function, feeds, contents, fetches);
      return;
    }
    if (observer_ == nullptr) {
      executable(function)->run(feeds, contents, fetches);
      return;
    }
    const auto found = watched_.find(function);
    std::vector<engine::Fetch> all(fetches.begin(), fetches.end());
    std::vector<std::vector<float>> seen;
    for (const mil::Value* value : found->second) {
      auto& elements =
          seen.emplace_back(static_cast<std::size_t>(element_count(value->type.shape)));
      all.push_back(
          {value->name, DType::kF32, elements.data(), static_cast<std::int64_t>(elements.size())});
    }
    executable(function)->run(feeds, contents, all);
    for (std::size_t i = 0; i < seen.size(); ++i) {
      observer_->saw(function, *found->second[i], seen[i]);
    }
  }

 private:
  // Makes an output of every value that the observer wants and that is not one already.
  void watch(mil::Function& function) {
    auto& watched = watched_[function.name];
    auto& outputs = function.body.outputs;
    for (const auto& op : function.body.ops) {
      for (const auto& value : op->outputs) {
        const bool is_float_tensor = value->type.is_tensor() && is_float(value->type.dtype) &&
                                     value->type.is_static() && !value->is_constant();
        if (!is_float_tensor || !observer_->wants(function, *value)) continue;
        watched.push_back(value.get());
        if (std::find(outputs.begin(), outputs.end(), value.get()) == outputs.end()) {
          outputs.push_back(value.get());
        }
      }
    }
  }

  bool is_ranged(std::string_view function) const {
    const auto* found = program_->find_function(function);
    return found != nullptr && !engine::is_static(*found);
  }

  void call_ranged(std::string_view function, std::span<const engine::Feed> feeds,
                   engine::State* state, std::span<const engine::Fetch> fetches) {
    engine::Callable::Tensors inputs;
    for (const engine::Feed& feed : feeds) {
      inputs.emplace(std::string(feed.name), to_tensor(feed));
    }
    const auto outputs = callable(function)->run(inputs, state);
    for (const engine::Fetch& fetch : fetches) {
      const auto found = outputs.find(fetch.name);
      if (found == outputs.end()) {
        throw Error(Code::kBadInput, path_.string() + ": function '" + std::string(function) +
                                         "' has no output '" + std::string(fetch.name) + "'");
      }
      copy_to(fetch, found->second);
    }
  }

  std::shared_ptr<engine::Callable> callable(std::string_view function) {
    const std::lock_guard lock(mutex_);
    auto found = callables_.find(function);
    if (found == callables_.end()) {
      found =
          callables_.emplace(function, engine::Callable::make(program_, function, options_)).first;
    }
    return found->second;
  }

  std::string any_compiled() {
    const std::lock_guard lock(mutex_);
    return executables_.empty() ? functions_.at(0).name : executables_.begin()->first;
  }

  std::shared_ptr<const engine::Executable> executable(std::string_view function) {
    const std::lock_guard lock(mutex_);
    auto found = executables_.find(function);
    if (found == executables_.end()) {
      found = executables_.emplace(function, compile(function)).first;
    }
    return found->second;
  }

  std::shared_ptr<const engine::Executable> compile(std::string_view function) const {
    try {
      return engine::Executable::compile(program_, function, options_);
    } catch (const Error& error) {
      // The engine knows programs, not files.
      throw Error(error.code(), path_.string() + ": " + error.what());
    }
  }

  std::filesystem::path path_;
  engine::Options options_;
  std::shared_ptr<const mil::Program> program_;
  std::vector<FunctionInterface> functions_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const engine::Executable>, std::less<>> executables_;
  std::map<std::string, std::shared_ptr<engine::Callable>, std::less<>> callables_;
  Observer* observer_;
  std::map<std::string, std::vector<const mil::Value*>, std::less<>> watched_;  // by function
};

}  // namespace

std::unique_ptr<Predictor> open_cpu_predictor(const std::filesystem::path& package,
                                              const engine::Options& options) {
  return std::make_unique<CpuPredictor>(package, options, nullptr);
}

std::unique_ptr<Predictor> open_observed_predictor(const std::filesystem::path& package,
                                                   engine::Options options, Observer& observer) {
  options.fuse = false;
  return std::make_unique<CpuPredictor>(package, std::move(options), &observer);
}

}  // namespace anemone::generate
