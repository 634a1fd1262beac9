#include <algorithm>
#include <map>
#include <mutex>

#include "anemone/base/error.h"
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

FunctionInterface interface_of(const mil::Function& function) {
  FunctionInterface found{.name = function.name};
  for (const auto& input : function.inputs) {
    if (input->type.is_state()) {
      found.states.push_back({input->name, input->type.wrapped()});
    } else {
      found.inputs.push_back({input->name, input->type});
    }
  }
  for (const mil::Value* output : function.body.outputs) {
    found.outputs.push_back({output->name, output->type});
  }
  return found;
}

class CpuPredictor : public Predictor {
 public:
  CpuPredictor(const std::filesystem::path& package, engine::Options options, Observer* observer)
      : path_(package), options_(std::move(options)), observer_(observer) {
    auto model = package::load(package);
    mil::require_sound(model.program, package.string());
    for (const auto& function : model.program.functions) {
      functions_.push_back(interface_of(*function));
      if (observer_ != nullptr) watch(*function);
    }
    program_ = std::make_shared<const mil::Program>(std::move(model.program));
  }

  const std::vector<FunctionInterface>& functions() const override { return functions_; }
  void prepare(std::string_view function) override { executable(function); }

  std::unique_ptr<PredictorState> make_state() override {
    // Any function will do: the state is the program's.
    return std::make_unique<CpuState>(executable(any_compiled())->make_state());
  }

  void predict(std::string_view function, std::span<const engine::Feed> feeds,
               PredictorState* state, std::span<const engine::Fetch> fetches) override {
    engine::State* contents = state ? static_cast<CpuState*>(state)->state.get() : nullptr;
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
