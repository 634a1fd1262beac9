#include <map>
#include <mutex>

#include "anemone/coreml/calls.h"
#include "anemone/coreml/compiled.h"
#include "anemone/coreml/framework.h"

namespace anemone::coreml {
namespace {

class CoreMlPredictor;

// An MLState, made when it is first needed, for one stream of tokens.
class CoreMlState : public generate::PredictorState {
 public:
  CoreMlState(CoreMlPredictor& predictor, std::size_t size_bytes)
      : predictor_(predictor), size_bytes_(size_bytes) {
    memory_ = make();
  }
  // A new one: what Core ML gives is at zero.
  void reset() override {
    const std::lock_guard lock(turn_);
    memory_ = make();
  }
  std::size_t size_bytes() const override { return size_bytes_; }

 private:
  friend class CoreMlPredictor;
  std::unique_ptr<framework::Memory> make();

  CoreMlPredictor& predictor_;
  std::size_t size_bytes_;
  std::mutex turn_;
  std::unique_ptr<framework::Memory> memory_;  // null if no function has states
};

class CoreMlPredictor : public generate::Predictor {
 public:
  CoreMlPredictor(const std::filesystem::path& package, const Options& options)
      : path_(package), options_(options), functions_(read_interfaces(package)) {
    auto compiled = compiled_package(package, options);
    if (compiled.failure) throw_failure(path_.string(), std::move(*compiled.failure));
    compiled_ = std::move(compiled.path);
  }

  const std::vector<generate::FunctionInterface>& functions() const override { return functions_; }
  void prepare(std::string_view function) override { loaded(function); }

  std::unique_ptr<generate::PredictorState> make_state() override {
    std::uint64_t size = 0;
    if (const auto* function = stateful()) {
      for (const auto& state : function->states) {
        size += anemone::size_bytes(state.type.dtype,
                                    static_cast<std::uint64_t>(element_count(state.type.shape)));
      }
    }
    return std::make_unique<CoreMlState>(*this, static_cast<std::size_t>(size));
  }

  void predict(std::string_view function, std::span<const engine::Feed> feeds,
               generate::PredictorState* state, std::span<const engine::Fetch> fetches) override {
    const generate::FunctionInterface& interface = interface_named(function);
    check_call(where(function), interface, feeds, fetches);
    if (state == nullptr && !interface.states.empty()) {
      throw Error(Code::kBadInput, where(function) + ": has states, and was given none");
    }
    Loaded& model = loaded(function);
    std::optional<Failure> failure;
    // Of the two locks the state's is always the outer one.
    if (state != nullptr && !interface.states.empty()) {
      auto& own = static_cast<CoreMlState&>(*state);
      const std::lock_guard state_turn(own.turn_);
      const std::lock_guard model_turn(model.turn);
      failure = model.model->predict(feeds, own.memory_.get(), fetches);
    } else {
      const std::lock_guard model_turn(model.turn);
      failure = model.model->predict(feeds, nullptr, fetches);
    }
    if (failure) throw_failure(where(function), std::move(*failure));
  }

  std::unique_ptr<framework::Memory> make_memory() {
    const auto* function = stateful();
    if (function == nullptr) return nullptr;
    Loaded& model = loaded(function->name);
    const std::lock_guard model_turn(model.turn);
    auto answer = model.model->make_memory();
    if (answer.failure) throw_failure(where(function->name), std::move(*answer.failure));
    return std::move(answer.value);
  }

 private:
  struct Loaded {
    std::mutex turn;
    std::unique_ptr<framework::Model> model;
  };

  std::string where(std::string_view function) const {
    return path_.string() + ": function '" + std::string(function) + "'";
  }

  const generate::FunctionInterface& interface_named(std::string_view function) const {
    const auto* found = find_function(function);
    if (found == nullptr) {
      throw Error(Code::kNotFound,
                  path_.string() + ": there is no function '" + std::string(function) + "'");
    }
    return *found;
  }

  // The function whose model makes the states of all; null if none has any.
  const generate::FunctionInterface* stateful() const {
    for (const auto& function : functions_) {
      if (!function.states.empty()) return &function;
    }
    return nullptr;
  }

  Loaded& loaded(std::string_view function) {
    interface_named(function);
    const std::lock_guard lock(mutex_);
    const auto found = models_.find(function);
    if (found != models_.end()) return *found->second;
    const std::string name = functions_.size() == 1 ? std::string() : std::string(function);
    auto answer = framework::load(compiled_, name, options_.units, options_.timeout_seconds);
    if (answer.failure) throw_failure(where(function), std::move(*answer.failure));
    auto made = std::make_unique<Loaded>();
    made->model = std::move(answer.value);
    return *models_.emplace(function, std::move(made)).first->second;
  }

  std::filesystem::path path_;
  Options options_;
  std::vector<generate::FunctionInterface> functions_;
  std::filesystem::path compiled_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Loaded>, std::less<>> models_;
};

std::unique_ptr<framework::Memory> CoreMlState::make() { return predictor_.make_memory(); }

}  // namespace

std::unique_ptr<generate::Predictor> open_predictor(const std::filesystem::path& package,
                                                    const Options& options) {
  require_available();
  return std::make_unique<CoreMlPredictor>(package, options);
}

}  // namespace anemone::coreml
