#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/mil/verify.h"
#include "anemone/predict/features.h"
#include "anemone/predict/runner.h"

namespace anemone::predict {
namespace {

using engine::Callable;

struct Stage {
  std::string name;
  std::unique_ptr<Runner> runner;
  std::size_t programs = 0;
};

template <typename Work>
auto within(const Stage& stage, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.code(), "model '" + stage.name + "': " + error.what());
  }
}

class Pipeline : public Runner {
 public:
  Pipeline(package::Pipeline pipeline, const Options& options, const std::string& name)
      : keeps_fp32_(options.arithmetic == engine::Arithmetic::kFloat32) {
    interface_ = std::move(pipeline.interface);
    for (package::Member& member : pipeline.members) {
      Stage& stage = stages_.emplace_back();
      stage.name = member.name;
      within(stage, [&] {
        const std::string path = name.empty() ? member.name : name + "/" + member.name;
        if (auto* model = std::get_if<package::Model>(&member.model)) {
          mil::require_sound(model->program, "the program");
          stage.runner = make_function(std::move(*model), options, path);
        } else {
          auto& nested = std::get<std::unique_ptr<package::Pipeline>>(member.model);
          stage.runner = make_pipeline(std::move(*nested), options, path);
        }
        return 0;
      });
      stage.programs = stage.runner->programs();
      programs_ += stage.programs;
      take_states(stage);
    }
  }

  void make_states(std::vector<std::unique_ptr<engine::State>>& states) const override {
    for (const Stage& stage : stages_) stage.runner->make_states(states);
  }
  std::size_t programs() const override { return programs_; }

  Values run(const Values& inputs, StateSpan states, const Watch& watch) const override {
    Values values = checked(inputs);
    for (const Stage& stage : stages_) run_stage(stage, values, next(states, stage), watch);
    Values outputs;
    for (const package::Feature& feature : interface_.outputs) {
      try {
        outputs[feature.name] = handed_out(values.at(feature.name), feature, keeps_fp32_);
      } catch (const Error& error) {
        throw Error(error.code(), std::string("output ") + error.what());
      }
    }
    return outputs;
  }

  std::unique_ptr<Callable::Tensors> until(const Values& inputs, StateSpan states,
                                           std::string_view op, const Watch& watch) const override {
    const Place place = find(op);
    if (place.stage == nullptr) return nullptr;
    Values values = checked(inputs);
    for (const Stage& stage : stages_) {
      const StateSpan own = next(states, stage);
      if (&stage == place.stage) {
        return within(
            stage, [&] { return stage.runner->until(taken(stage, values), own, place.op, watch); });
      }
      run_stage(stage, values, own, watch);
    }
    return nullptr;
  }

  bool has_op(std::string_view op) const override { return find(op).stage != nullptr; }

  void plan(const Values& inputs, std::vector<ModelPlan>& plans) const override {
    Values values = checked(inputs);
    for (const Stage& stage : stages_) {
      within(stage, [&] { stage.runner->plan(taken(stage, values), plans); });
      if (&stage != &stages_.back()) run_stage(stage, values, {}, {});
    }
  }

 private:
  struct Place {
    const Stage* stage = nullptr;
    std::string_view op = {};
  };

  // What the models remember is the pipeline's, whether its description says so or not:
  // coremltools' make_pipeline does not.
  void take_states(const Stage& stage) {
    for (const package::Feature& state : stage.runner->interface().states) {
      if (const auto [known, is_new] = holders_.emplace(state.name, stage.name); !is_new) {
        throw Error(Code::kUnsupported, "the models '" + known->second + "' and '" + stage.name +
                                            "' both have a state '" + state.name +
                                            "'; states of a pipeline have names of their own");
      }
      const bool is_stated =
          std::any_of(interface_.states.begin(), interface_.states.end(),
                      [&](const auto& stated) { return stated.name == state.name; });
      if (!is_stated) interface_.states.push_back(state);
    }
  }

  // The states of this stage, which are taken off `states`.
  static StateSpan next(StateSpan& states, const Stage& stage) {
    if (states.empty()) return {};
    const StateSpan own = states.first(stage.programs);
    states = states.subspan(stage.programs);
    return own;
  }

  Values checked(const Values& inputs) const {
    check_names(inputs, interface_);
    for (const package::Feature& feature : interface_.inputs) {
      const auto given = inputs.find(feature.name);
      try {
        if (given != inputs.end()) {
          check_value(given->second, feature);
        } else if (!feature.is_optional) {
          throw Error(Code::kBadInput,
                      "'" + feature.name + "' (" + describe(feature) + ") is missing");
        }
      } catch (const Error& error) {
        throw Error(error.code(), std::string("input ") + error.what());
      }
    }
    return inputs;
  }

  static Values taken(const Stage& stage, const Values& values) {
    Values inputs;
    for (const package::Feature& feature : stage.runner->interface().inputs) {
      const auto found = values.find(feature.name);
      if (found != values.end()) inputs.insert(*found);
    }
    return inputs;
  }

  void run_stage(const Stage& stage, Values& values, StateSpan states, const Watch& watch) const {
    within(stage, [&] {
      for (auto& [name, value] : stage.runner->run(taken(stage, values), states, watch)) {
        values[name] = std::move(value);
      }
      return 0;
    });
  }

  // "MODEL/OP", or "OP" of the first stage that has it.
  Place find(std::string_view op) const {
    for (const Stage& stage : stages_) {
      if (!op.starts_with(stage.name + "/")) continue;
      const std::string_view rest = op.substr(stage.name.size() + 1);
      return stage.runner->has_op(rest) ? Place{&stage, rest} : Place{};
    }
    for (const Stage& stage : stages_) {
      if (stage.runner->has_op(op)) return {&stage, op};
    }
    return {};
  }

  bool keeps_fp32_;
  std::vector<Stage> stages_;
  std::size_t programs_ = 0;
  std::map<std::string, std::string> holders_;  // the stage of each state
};

}  // namespace

std::unique_ptr<Runner> make_pipeline(package::Pipeline pipeline, const Options& options,
                                      std::string name) {
  return std::make_unique<Pipeline>(std::move(pipeline), options, name);
}

}  // namespace anemone::predict
