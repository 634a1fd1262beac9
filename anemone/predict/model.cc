#include "anemone/predict/model.h"

#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/mil/verify.h"
#include "anemone/predict/features.h"

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

}  // namespace

struct Model::Parts {
  std::string path;
  package::Metadata metadata;
  package::Interface interface;
  int specification_version = 0;
  std::vector<std::string> functions;
  std::vector<Classifier> classifiers;
  std::shared_ptr<const mil::Program> program;
  std::string function;
  engine::Options options;
  std::shared_ptr<Callable> callable;

  // Runs `work`; the engine knows programs, not files.
  template <typename Work>
  auto within(const Work& work) const {
    try {
      return work();
    } catch (const Error& error) {
      throw Error(error.code(), path + ": " + error.what());
    }
  }

  Callable::Tensors tensors_of(const Values& inputs) const {
    Callable::Tensors tensors;
    std::string known;
    for (const package::Feature& feature : interface.inputs) {
      known += (known.empty() ? "" : ", ") + feature.name;
      const mil::Value* declared = callable->function().find_input(feature.name);
      const auto given = inputs.find(feature.name);
      const std::string what = "input ";
      try {
        tensors[feature.name] = given == inputs.end()
                                    ? default_tensor(feature, declared->type)
                                    : to_tensor(given->second, feature, declared->type);
      } catch (const Error& error) {
        throw Error(error.code(), what + error.what());
      }
    }
    for (const auto& [name, value] : inputs) {
      if (tensors.count(name) > 0) continue;
      throw Error(Code::kBadInput,
                  "there is no input '" + name + "'; allowed: " + (known.empty() ? "none" : known));
    }
    return tensors;
  }

  Values values_of(const Callable::Tensors& tensors) const {
    Values outputs;
    for (const Classifier& classifier : classifiers) {
      classify(classifier, tensors.at(classifier.probabilities), outputs);
    }
    const bool keeps_fp32 = options.arithmetic == engine::Arithmetic::kFloat32;
    for (const package::Feature& feature : interface.outputs) {
      if (outputs.count(feature.name) > 0) continue;
      try {
        outputs[feature.name] = to_value(tensors.at(feature.name), feature, keeps_fp32);
      } catch (const Error& error) {
        throw Error(error.code(), std::string("output ") + error.what());
      }
    }
    return outputs;
  }

  // Calls `work` with the state, or with one of its own.
  template <typename Work>
  auto with_state(const Callable& with, engine::State* state, const Work& work) const {
    if (state != nullptr || interface.states.empty()) return work(state);
    const auto own = with.make_state();
    return work(own.get());
  }
};

Model::Model(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Model::~Model() = default;

std::shared_ptr<Model> Model::load(const std::filesystem::path& path, const Options& options) {
  package::Model model = package::load(path);
  mil::require_sound(model.program, path.string());
  auto parts = std::make_unique<Parts>();
  parts->path = path.string();
  parts->metadata = model.metadata;
  parts->specification_version = model.specification_version;
  parts->function = options.function.empty() ? model.default_function : options.function;
  for (const auto& function : model.program.functions) parts->functions.push_back(function->name);
  mil::Function* function = model.program.find_function(parts->function);
  if (function == nullptr) {
    std::string known;
    for (const std::string& one : parts->functions) known += (known.empty() ? "" : ", ") + one;
    throw Error(Code::kNotFound, path.string() + ": there is no function '" + parts->function +
                                     "'; allowed: " + known);
  }
  const auto stated = model.interfaces.find(parts->function);
  parts->interface =
      stated != model.interfaces.end() ? stated->second : package::interface_of(*function);
  parts->classifiers = take_out_classifiers(*function);
  parts->program = std::make_shared<const mil::Program>(std::move(model.program));
  parts->options = {.arithmetic = options.arithmetic, .pool = options.pool};
  parts->callable = parts->within(
      [&] { return Callable::make(parts->program, parts->function, parts->options); });
  return std::shared_ptr<Model>(new Model(std::move(parts)));
}

const package::Interface& Model::interface() const { return parts_->interface; }
const package::Metadata& Model::metadata() const { return parts_->metadata; }
int Model::specification_version() const { return parts_->specification_version; }
const std::string& Model::function() const { return parts_->function; }
std::vector<std::string> Model::functions() const { return parts_->functions; }
const mil::Function& Model::program() const { return parts_->callable->function(); }

std::unique_ptr<engine::State> Model::make_state() const {
  auto state = parts_->callable->make_state();
  return state->names().empty() ? nullptr : std::move(state);
}

Values Model::predict(const Values& inputs, engine::State* state) const {
  return parts_->within([&] {
    const Callable::Tensors tensors = parts_->tensors_of(inputs);
    return parts_->with_state(*parts_->callable, state, [&](engine::State* with) {
      return parts_->values_of(parts_->callable->run(tensors, with));
    });
  });
}

Values Model::trace(const Values& inputs, engine::State* state, const Watch& watch) const {
  return parts_->within([&] {
    const Callable::Tensors tensors = parts_->tensors_of(inputs);
    return parts_->with_state(*parts_->callable, state, [&](engine::State* with) {
      return parts_->values_of(parts_->callable->trace(tensors, with, watch));
    });
  });
}

Callable::Tensors Model::until(const Values& inputs, engine::State* state, std::string_view op,
                               const Watch& watch) const {
  return parts_->within([&] {
    const Callable::Tensors tensors = parts_->tensors_of(inputs);
    auto cut = std::make_shared<mil::Program>();
    // All functions, since they say which states there are.
    for (const auto& function : parts_->program->functions) {
      cut->functions.push_back(mil::clone(*function));
    }
    mil::Block& body = cut->find_function(parts_->function)->body;
    const auto at = std::find_if(body.ops.begin(), body.ops.end(), [&](const auto& candidate) {
      return candidate->name == op ||
             std::any_of(candidate->outputs.begin(), candidate->outputs.end(),
                         [&](const auto& output) { return output->name == op; });
    });
    if (at == body.ops.end()) {
      throw Error(Code::kNotFound, "function '" + parts_->function + "' has no op '" +
                                       std::string(op) + "' in its own block");
    }
    if ((*at)->outputs.empty() || (*at)->output()->type.kind == mil::Type::Kind::kList) {
      throw Error(Code::kUnsupported, "op '" + std::string(op) + "' (" +
                                          std::string((*at)->type()) + ") gives no tensor");
    }
    body.outputs.clear();
    for (const auto& output : (*at)->outputs) body.outputs.push_back(output.get());
    body.ops.erase(at + 1, body.ops.end());
    const auto callable = Callable::make(cut, parts_->function, parts_->options);
    return parts_->with_state(*callable, state, [&](engine::State* with) {
      return watch ? callable->trace(tensors, with, watch) : callable->run(tensors, with);
    });
  });
}

std::string Model::plan_text(const Values& inputs) const {
  return parts_->within([&] { return parts_->callable->plan_text(parts_->tensors_of(inputs)); });
}

}  // namespace anemone::predict
