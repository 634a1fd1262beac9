#include "anemone/predict/model.h"

#include <new>
#include <stdexcept>

#include "anemone/base/error.h"
#include "anemone/mil/verify.h"
#include "anemone/predict/runner.h"

namespace anemone::predict {

struct Model::Parts {
  std::string path;
  package::Metadata metadata;
  int specification_version = 0;
  std::string_view type = "mlProgram";
  std::string function;
  std::vector<std::string> functions;
  std::unique_ptr<Runner> runner;

  // Runs `work`; what is below knows programs, not files.
  template <typename Work>
  auto within(const Work& work) const {
    try {
      return work();
    } catch (const Error& error) {
      throw Error(error.code(), path + ": " + error.what());
    } catch (const std::bad_alloc&) {
      throw Error(Code::kLimit, path + ": takes more memory than the system gives");
    } catch (const std::length_error&) {
      throw Error(Code::kLimit, path + ": takes more memory than any system has");
    }
  }

  template <typename Work>
  auto with_state(State* state, const Work& work) const {
    return within([&] {
      if (state == nullptr) return work(StateSpan());
      if (state->parts_.size() != runner->programs()) {
        throw Error(Code::kBadInput,
                    "the state is of a model of " + std::to_string(state->parts_.size()) +
                        " programs; this one has " + std::to_string(runner->programs()));
      }
      // The engine takes turns by itself on the state of one program.
      std::unique_lock turn(state->turn_, std::defer_lock);
      if (state->parts_.size() > 1) turn.lock();
      return work(StateSpan(state->parts_));
    });
  }
};

Model::Model(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Model::~Model() = default;

std::shared_ptr<Model> Model::load(const std::filesystem::path& path, const Options& options) try {
  package::AnyModel any = package::load_any(path);
  auto parts = std::make_unique<Parts>();
  parts->path = path.string();
  if (auto* model = std::get_if<package::Model>(&any)) {
    mil::require_sound(model->program, parts->path);
    parts->metadata = model->metadata;
    parts->specification_version = model->specification_version;
    parts->function = options.function.empty() ? model->default_function : options.function;
    for (const auto& function : model->program.functions) {
      parts->functions.push_back(function->name);
    }
    parts->runner = parts->within([&] { return make_function(std::move(*model), options); });
    return std::shared_ptr<Model>(new Model(std::move(parts)));
  }
  auto& pipeline = std::get<package::Pipeline>(any);
  parts->type = name(pipeline.kind);
  if (!options.function.empty()) {
    throw Error(Code::kNotFound, parts->path + ": there is no function '" + options.function +
                                     "'; a pipeline has none");
  }
  parts->metadata = pipeline.metadata;
  parts->specification_version = pipeline.specification_version;
  parts->runner = parts->within([&] { return make_pipeline(std::move(pipeline), options); });
  return std::shared_ptr<Model>(new Model(std::move(parts)));
} catch (const std::bad_alloc&) {
  throw Error(Code::kLimit, path.string() + ": takes more memory than the system gives");
} catch (const std::length_error&) {
  throw Error(Code::kLimit, path.string() + ": takes more memory than any system has");
}

const package::Interface& Model::interface() const { return parts_->runner->interface(); }
const package::Metadata& Model::metadata() const { return parts_->metadata; }
int Model::specification_version() const { return parts_->specification_version; }
std::string_view Model::type() const { return parts_->type; }
const std::string& Model::function() const { return parts_->function; }
const std::vector<std::string>& Model::functions() const { return parts_->functions; }

std::unique_ptr<State> Model::make_state() const {
  std::unique_ptr<State> state(new State);
  parts_->within([&] { return parts_->runner->make_states(state->parts_); });
  return state->names().empty() ? nullptr : std::move(state);
}

Values Model::predict(const Values& inputs, State* state) const {
  return parts_->with_state(
      state, [&](StateSpan states) { return parts_->runner->run(inputs, states, {}); });
}

Values Model::trace(const Values& inputs, State* state, const Watch& watch) const {
  return parts_->with_state(
      state, [&](StateSpan states) { return parts_->runner->run(inputs, states, watch); });
}

engine::Callable::Tensors Model::until(const Values& inputs, State* state, std::string_view op,
                                       const Watch& watch) const {
  return parts_->with_state(state, [&](StateSpan states) {
    auto given = parts_->runner->until(inputs, states, op, watch);
    if (given != nullptr) return std::move(*given);
    const std::string where = parts_->function.empty() ? "no model of the pipeline"
                                                       : "function '" + parts_->function + "'";
    throw Error(Code::kNotFound, where +
                                     (parts_->function.empty() ? " has an op '" : " has no op '") +
                                     std::string(op) + "' in its own block");
  });
}

std::vector<ModelPlan> Model::plan(const Values& inputs) const {
  return parts_->within([&] {
    std::vector<ModelPlan> plans;
    parts_->runner->plan(inputs, plans);
    return plans;
  });
}

std::string Model::plan_text(const Values& inputs) const {
  std::string text;
  for (const ModelPlan& plan : this->plan(inputs)) {
    if (!plan.model.empty()) text += "model '" + plan.model + "'\n";
    text += plan.report.text();
  }
  return text;
}

State::~State() = default;

engine::State& State::holder(std::string_view name) const {
  std::string known;
  for (const auto& part : parts_) {
    for (const std::string& one : part->names()) {
      if (one == name) return *part;
      known += (known.empty() ? "" : ", ") + one;
    }
  }
  throw Error(Code::kNotFound, "no state '" + std::string(name) + "'; there are: " + known);
}

std::vector<std::string> State::names() const {
  std::vector<std::string> names;
  for (const auto& part : parts_) {
    const auto own = part->names();
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

void State::reset() {
  const std::lock_guard turn(turn_);
  for (const auto& part : parts_) part->reset();
}

Tensor State::read_tensor(std::string_view name) const {
  const std::lock_guard turn(turn_);
  return holder(name).read_tensor(name);
}

void State::write_tensor(std::string_view name, const Tensor& value) {
  const std::lock_guard turn(turn_);
  holder(name).write_tensor(name, value);
}

}  // namespace anemone::predict
