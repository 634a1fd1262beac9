#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/package/pipeline.h"
#include "anemone/predict/model.h"

namespace anemone::predict {

// The engine's states of a Runner, one a program, in the order of the programs.
using StateSpan = std::span<const std::unique_ptr<engine::State>>;

// What Model is made of: a function of a program, or a pipeline of Runners.
class Runner {
 public:
  virtual ~Runner() = default;

  const package::Interface& interface() const { return interface_; }
  // Appends a state for each program, at zero.
  virtual void make_states(std::vector<std::unique_ptr<engine::State>>& states) const = 0;
  // How many those are.
  virtual std::size_t programs() const = 0;

  // `states` is empty, which stands for zeros, or one a program.
  virtual Values run(const Values& inputs, StateSpan states, const Watch& watch) const = 0;
  // See Model::until. Null if there is no op of that name.
  virtual std::unique_ptr<engine::Callable::Tensors> until(const Values& inputs, StateSpan states,
                                                           std::string_view op,
                                                           const Watch& watch) const = 0;
  virtual bool has_op(std::string_view op) const = 0;
  // Appends what will run, for each model that is a program.
  virtual void plan(const Values& inputs, std::vector<ModelPlan>& plans) const = 0;

 protected:
  package::Interface interface_;
};

// `name` is the model's in its pipeline, for Watch. Takes `function` of the program, or if that is
// empty the default one. Throws Error.
std::unique_ptr<Runner> make_function(package::Model model, const Options& options,
                                      std::string name = {});
std::unique_ptr<Runner> make_pipeline(package::Pipeline pipeline, const Options& options,
                                      std::string name = {});

}  // namespace anemone::predict
