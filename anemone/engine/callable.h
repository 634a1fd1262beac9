#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "anemone/engine/engine.h"
#include "anemone/tensor/tensor.h"

namespace anemone::engine {

class Interpreter;

// One function of a program for inputs of whatever shapes it takes. Makes a plan for each set of
// shapes and keeps it for the next call; what no plan can run (control flow, lists, shapes that
// only the call itself shows) is interpreted, op by op. Several threads may call it at once, each
// with a State of its own.
class Callable {
 public:
  using Tensors = std::map<std::string, Tensor, std::less<>>;

  // The program must be sound (mil/verify.h). Throws Error(kNotFound) if it has no such function.
  static std::shared_ptr<Callable> make(std::shared_ptr<const mil::Program> program,
                                        std::string_view function, const Options& options = {});
  ~Callable();

  const mil::Function& function() const { return function_; }
  // All states of the whole program, at zero.
  std::unique_ptr<State> make_state() const;

  // The outputs by name; those declared fp16 are fp32 in Arithmetic::kFloat32. Inputs are converted
  // to the declared types, and their shapes must agree with the declared ones. `state` may be null
  // only if the function has no states. Throws Error(kBadInput) naming the input or the op that is
  // at fault, Error(kUnsupported) naming an op that cannot be run.
  Tensors run(const Tensors& inputs, State* state);

  // Runs as run() does, but without fusing anything, and shows each value that an op of the
  // function's own block gives (in a part that is interpreted, also those of nested blocks, each
  // time).
  using Watch =
      std::function<void(const mil::Op& op, const mil::Value& value, const Tensor& tensor)>;
  Tensors trace(const Tensors& inputs, State* state, const Watch& watch) const;

  // What runs for inputs of these shapes, or why the function is interpreted.
  PlanReport plan_report(const Tensors& inputs);
  std::string plan_text(const Tensors& inputs) { return plan_report(inputs).text(); }

 private:
  struct Way;

  Callable(std::shared_ptr<const mil::Program> program, const mil::Function& function,
           const Options& options);
  std::shared_ptr<const Way> way_for(const Tensors& inputs);
  std::shared_ptr<const Way> make_way(const Tensors& inputs, bool watches) const;
  void check_inputs(const Tensors& inputs) const;
  Tensors run_plan(const Way& way, const Tensors& inputs, State* state) const;
  Tensors run_interpreted(const Way& way, const Tensors& inputs, State* state,
                          const Watch& watch) const;

  std::shared_ptr<const mil::Program> program_;
  const mil::Function& function_;
  Options options_;
  std::shared_ptr<const StateLayout> layout_;
  std::mutex mutex_;
  // By the shapes of the inputs, the latest used first.
  std::list<std::pair<std::string, std::shared_ptr<const Way>>> ways_;
};

}  // namespace anemone::engine
