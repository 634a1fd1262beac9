#include "tests/coreml/stand_in/package.h"

#include <stdlib.h>

#include <filesystem>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/package/package.h"

namespace anemone::stand_in {
namespace fs = std::filesystem;

namespace {

Problem problem_from(const Json& json) {
  Problem problem;
  problem.domain = json.value("domain", problem.domain);
  problem.code = json.value("code", problem.code);
  problem.message = json.value("message", problem.message);
  if (json.contains("underlying")) {
    problem.underlying = std::make_shared<Problem>(problem_from(json.at("underlying")));
  }
  return problem;
}

Behaviour behaviour_from(const Json& json) {
  Behaviour behaviour;
  if (json.contains("fails")) behaviour.fails = problem_from(json.at("fails"));
  if (json.contains("raises")) behaviour.raises = json.at("raises").get<std::string>();
  behaviour.hangs = json.value("hangs", false);
  behaviour.gives_nothing = json.value("gives_nothing", false);
  behaviour.seconds = json.value("seconds", 0.0);
  behaviour.at = json.value("at", 0);
  return behaviour;
}

Usage usage_from(const Json& json) {
  Usage usage{.supported = json.at("supported").get<std::vector<std::string>>(),
              .preferred = json.at("preferred").get<std::string>(),
              .cost = {}};
  // JSON has no NaN.
  if (json.contains("cost")) {
    usage.cost = json.at("cost").is_null() ? std::nan("") : json.at("cost").get<double>();
  }
  return usage;
}

// `work`'s result, or a value made of nothing with the Error's message in `problem`.
template <typename Work>
auto caught(std::string& problem, const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::exception& error) {
    problem = error.what();
    return {};
  }
}

std::vector<Feature> features_of(const std::vector<std::pair<std::string, mil::Type>>& values) {
  std::vector<Feature> features;
  for (const auto& [name, type] : values) {
    Shape shape = type.shape.empty() ? Shape{1} : type.shape;
    for (std::int64_t& extent : shape) extent = std::max<std::int64_t>(extent, 1);
    features.push_back({name, type.dtype, shape});
  }
  return features;
}

}  // namespace

std::shared_ptr<const Package> Package::read(const std::string& folder, std::string& problem) {
  return caught(problem, [&]() -> std::shared_ptr<const Package> {
    auto made = std::make_shared<Package>();
    made->program_ = std::make_shared<const mil::Program>(std::move(package::load(folder).program));
    const fs::path file = fs::path(folder) / "stand-in.json";
    if (!fs::exists(file)) return made;
    const Json says = load_json(file);
    for (const auto& [key, value] : says.items()) {
      if (key == "plan_of") {
        for (const auto& [output, usage] : value.items()) {
          made->usages_.emplace(output, usage_from(usage));
        }
      } else if (key == "plan_of_others") {
        made->usage_of_others_ = usage_from(value);
      } else if (key == "padding") {
        made->padding_ = value.get<long>();
      } else if (key == "neural_network") {
        made->is_neural_network_ = value.get<bool>();
      } else if (key == "drops") {
        made->dropped_ = value.get<std::string>();
      } else {
        made->stages_.emplace(key, behaviour_from(value));
      }
    }
    return made;
  });
}

Behaviour Package::behaviour(const std::string& stage) const {
  const auto found = stages_.find(stage);
  return found == stages_.end() ? Behaviour{} : found->second;
}

std::optional<Usage> Package::usage(const std::string& output) const {
  const auto found = usages_.find(output);
  return found == usages_.end() ? usage_of_others_ : found->second;
}

const mil::Function* Package::function(const std::string& name) const {
  return name.empty() && program_->functions.size() == 1 ? program_->functions.front().get()
                                                         : program_->find_function(name);
}

std::shared_ptr<const Computation> Computation::make(std::shared_ptr<const Package> package,
                                                     const std::string& function,
                                                     std::string& problem) {
  return caught(problem, [&]() -> std::shared_ptr<const Computation> {
    const mil::Function* found = package->function(function);
    if (found == nullptr) {
      problem = "there is no function '" + function + "'";
      return nullptr;
    }
    auto made = std::make_shared<Computation>();
    made->executable_ = engine::Executable::compile(package->program_, found->name);
    made->package_ = std::move(package);
    return made;
  });
}

std::vector<Feature> Computation::inputs() const {
  std::vector<std::pair<std::string, mil::Type>> values;
  for (const auto& input : executable_->function().inputs) {
    if (!input->type.is_state()) values.emplace_back(input->name, input->type);
  }
  return features_of(values);
}

std::vector<Feature> Computation::outputs() const {
  std::vector<std::pair<std::string, mil::Type>> values;
  for (const mil::Value* output : executable_->function().body.outputs) {
    values.emplace_back(output->name, output->type);
  }
  return features_of(values);
}

bool Computation::has_states() const {
  for (const auto& input : executable_->function().inputs) {
    if (input->type.is_state()) return true;
  }
  return false;
}

std::shared_ptr<engine::State> Computation::make_state() const { return executable_->make_state(); }

std::string Computation::run(const std::vector<engine::Feed>& feeds, engine::State* state,
                             const std::vector<engine::Fetch>& fetches) const {
  std::string problem;
  caught(problem, [&] {
    executable_->run(feeds, state, fetches);
    return true;
  });
  return problem;
}

std::string write_compiled(const std::string& package, std::string& problem) {
  return caught(problem, [&]() -> std::string {
    std::string pattern = (fs::temp_directory_path() / "anemone-stand-in-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      problem = "no temporary folder";
      return "";
    }
    const fs::path compiled = fs::path(pattern) / (fs::path(package).stem().string() + ".mlmodelc");
    fs::create_directory(compiled);
    write_file(compiled / "source", package);
    return compiled.string();
  });
}

std::string source_of(const std::string& compiled) {
  std::string ignored;
  return caught(ignored, [&] { return read_text(fs::path(compiled) / "source"); });
}

}  // namespace anemone::stand_in
