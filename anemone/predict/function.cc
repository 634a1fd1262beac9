#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/predict/features.h"
#include "anemone/predict/runner.h"

namespace anemone::predict {
namespace {

using engine::Callable;

// What a classifier makes of the probabilities that its program gives.
struct Classifier {
  std::string probabilities;  // the value they are in
  std::string label;          // the output features
  std::string dictionary;
  Tensor classes;
};

// Puts what each `classify` looks at in the place of what it gives: labels and dictionaries are
// made here, and the engine needs no such values.
std::vector<Classifier> take_out_classifiers(mil::Function& function) {
  std::vector<Classifier> found;
  auto& outputs = function.body.outputs;
  for (auto& op : function.body.ops) {
    if (op->type() != "classify") continue;
    mil::Value* probabilities = op->find_input("probabilities");
    Classifier classifier{.probabilities = probabilities->name,
                          .label = op->outputs[0]->name,
                          .dictionary = op->outputs[1]->name,
                          .classes = op->find_input("classes")->constant->resident()};
    std::erase_if(outputs, [&](const mil::Value* output) { return output->producer == op.get(); });
    if (std::find(outputs.begin(), outputs.end(), probabilities) == outputs.end()) {
      outputs.push_back(probabilities);
    }
    found.push_back(std::move(classifier));
  }
  std::erase_if(function.body.ops, [](const auto& op) { return op->type() == "classify"; });
  return found;
}

void classify(const Classifier& classifier, const Tensor& probabilities, Values& outputs) {
  const std::vector<double> numbers = probabilities.to_doubles();
  const bool is_text = classifier.classes.dtype() == DType::kString;
  const std::vector<std::int64_t> ints =
      is_text ? std::vector<std::int64_t>() : classifier.classes.to_ints();
  const std::size_t classes = is_text ? classifier.classes.strings().size() : ints.size();
  if (classes != numbers.size() || classes == 0) {
    throw Error(Code::kBadInput, "there are " + std::to_string(classes) + " classes for " +
                                     std::to_string(numbers.size()) + " probabilities");
  }
  Dictionary dictionary;
  for (std::size_t i = 0; i < classes; ++i) {
    if (is_text) {
      dictionary.entries.emplace_back(classifier.classes.strings()[i], numbers[i]);
    } else {
      dictionary.entries.emplace_back(ints[i], numbers[i]);
    }
  }
  const auto best =
      static_cast<std::size_t>(std::max_element(numbers.begin(), numbers.end()) - numbers.begin());
  if (is_text) {
    outputs[classifier.label] = classifier.classes.strings()[best];
  } else {
    outputs[classifier.label] = ints[best];
  }
  outputs[classifier.dictionary] = std::move(dictionary);
}

class Function : public Runner {
 public:
  Function(package::Model model, const Options& options, std::string name)
      : name_(std::move(name)),
        options_({.arithmetic = options.arithmetic,
                  .pool = options.pool,
                  .fuse = options.fuse,
                  .limits = options.limits,
                  .stop = options.stop}) {
    function_ = options.function.empty() ? model.default_function : options.function;
    mil::Function* function = model.program.find_function(function_);
    if (function == nullptr) {
      std::string known;
      for (const auto& one : model.program.functions) {
        known += (known.empty() ? "" : ", ") + one->name;
      }
      throw Error(Code::kNotFound, "there is no function '" + function_ + "'; allowed: " + known);
    }
    const auto stated = model.interfaces.find(function_);
    interface_ =
        stated != model.interfaces.end() ? stated->second : package::interface_of(*function);
    classifiers_ = take_out_classifiers(*function);
    program_ = std::make_shared<const mil::Program>(std::move(model.program));
    callable_ = Callable::make(program_, function_, options_);
  }

  void make_states(std::vector<std::unique_ptr<engine::State>>& states) const override {
    states.push_back(callable_->make_state());
  }
  std::size_t programs() const override { return 1; }

  Values run(const Values& inputs, StateSpan states, const Watch& watch) const override {
    const Callable::Tensors tensors = tensors_of(inputs);
    const Holder state(*this, *callable_, states);
    return values_of(run_on(*callable_, tensors, state.get(), watch));
  }

  std::unique_ptr<Callable::Tensors> until(const Values& inputs, StateSpan states,
                                           std::string_view op, const Watch& watch) const override {
    if (!has_op(op)) return nullptr;
    const Callable::Tensors tensors = tensors_of(inputs);
    auto cut = std::make_shared<mil::Program>();
    // All functions, since they say which states there are.
    for (const auto& function : program_->functions) {
      cut->functions.push_back(mil::clone(*function));
    }
    mil::Block& body = cut->find_function(function_)->body;
    const auto at = std::find_if(body.ops.begin(), body.ops.end(),
                                 [&](const auto& candidate) { return is_it(*candidate, op); });
    if ((*at)->outputs.empty() || (*at)->output()->type.kind == mil::Type::Kind::kList) {
      throw Error(Code::kUnsupported, "op '" + std::string(op) + "' (" +
                                          std::string((*at)->type()) + ") gives no tensor");
    }
    body.outputs.clear();
    for (const auto& output : (*at)->outputs) body.outputs.push_back(output.get());
    body.ops.erase(at + 1, body.ops.end());
    const auto callable = Callable::make(cut, function_, options_);
    const Holder state(*this, *callable, states);
    return std::make_unique<Callable::Tensors>(run_on(*callable, tensors, state.get(), watch));
  }

  bool has_op(std::string_view op) const override {
    const auto& ops = callable_->function().body.ops;
    return std::any_of(ops.begin(), ops.end(), [&](const auto& one) { return is_it(*one, op); });
  }

  void plan(const Values& inputs, std::vector<ModelPlan>& plans) const override {
    plans.push_back({name_, callable_->plan_report(tensors_of(inputs))});
  }

 private:
  // The caller's state, or one of the call's own, or none.
  class Holder {
   public:
    Holder(const Function& function, const Callable& callable, StateSpan states) {
      if (!states.empty()) {
        state_ = states.front().get();
      } else if (!function.interface_.states.empty()) {
        own_ = callable.make_state();
        state_ = own_.get();
      }
    }
    engine::State* get() const { return state_; }

   private:
    std::unique_ptr<engine::State> own_;
    engine::State* state_ = nullptr;
  };

  static bool is_it(const mil::Op& op, std::string_view name) {
    return op.name == name || std::any_of(op.outputs.begin(), op.outputs.end(),
                                          [&](const auto& output) { return output->name == name; });
  }

  Callable::Tensors run_on(Callable& callable, const Callable::Tensors& tensors,
                           engine::State* state, const Watch& watch) const {
    if (!watch) return callable.run(tensors, state);
    return callable.trace(tensors, state,
                          [&](const mil::Op& op, const mil::Value& value, const Tensor& tensor) {
                            watch(name_, op, value, tensor);
                          });
  }

  Callable::Tensors tensors_of(const Values& inputs) const {
    check_names(inputs, interface_);
    Callable::Tensors tensors;
    for (const package::Feature& feature : interface_.inputs) {
      const mil::Value* declared = callable_->function().find_input(feature.name);
      const auto given = inputs.find(feature.name);
      try {
        tensors[feature.name] = given == inputs.end()
                                    ? default_tensor(feature, declared->type)
                                    : to_tensor(given->second, feature, declared->type);
      } catch (const Error& error) {
        throw Error(error.code(), std::string("input ") + error.what());
      }
    }
    return tensors;
  }

  Values values_of(const Callable::Tensors& tensors) const {
    Values outputs;
    for (const Classifier& classifier : classifiers_) {
      classify(classifier, tensors.at(classifier.probabilities), outputs);
    }
    const bool keeps_fp32 = options_.arithmetic == engine::Arithmetic::kFloat32;
    for (const package::Feature& feature : interface_.outputs) {
      if (outputs.count(feature.name) > 0) continue;
      try {
        outputs[feature.name] = to_value(tensors.at(feature.name), feature, keeps_fp32);
      } catch (const Error& error) {
        throw Error(error.code(), std::string("output ") + error.what());
      }
    }
    return outputs;
  }

  std::string name_;
  std::string function_;
  engine::Options options_;
  std::vector<Classifier> classifiers_;
  std::shared_ptr<const mil::Program> program_;
  std::shared_ptr<Callable> callable_;
};

}  // namespace

std::unique_ptr<Runner> make_function(package::Model model, const Options& options,
                                      std::string name) {
  return std::make_unique<Function>(std::move(model), options, std::move(name));
}

}  // namespace anemone::predict
