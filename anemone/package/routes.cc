#include "anemone/package/routes.h"

#include <map>
#include <set>

#include "anemone/package/within.h"

namespace anemone::package {
namespace {

// What a model can take: the caller's features and those of the models before it, the latest of
// each name.
struct Source {
  const Feature* feature = nullptr;
  const Member* member = nullptr;  // null: the caller
};
using Sources = std::map<std::string_view, Source>;

std::string names_of(const Sources& sources) {
  constexpr std::size_t kMost = 8;
  std::string text;
  std::size_t named = 0;
  for (const auto& [name, source] : sources) {
    text += text.empty() ? "" : ", ";
    if (named++ == kMost) return text + "... (" + std::to_string(sources.size()) + " in all)";
    text += shown(name);
  }
  return text.empty() ? "nothing" : text;
}

std::string giver_of(const Source& source) {
  return source.member == nullptr ? "the caller" : "model " + shown(source.member->name);
}

std::string kind_of(const Feature& feature) {
  constexpr const char* kKinds[] = {"a multi-array", "an image",     "an int64",   "a double",
                                    "a string",      "a dictionary", "a sequence", "a state"};
  return kKinds[feature.type.index()];
}

// The shape of a multi-array that has but one.
const Shape* fixed_shape(const Feature& feature) {
  const auto* array = std::get_if<ArrayFeature>(&feature.type);
  const bool is_fixed = array != nullptr && array->ranges.empty() &&
                        array->enumerated_shapes.empty() && !array->shape.empty();
  return is_fixed ? &array->shape : nullptr;
}

void check_route(const Source& source, const Feature& to) {
  const Feature& from = *source.feature;
  if (from.type.index() != to.type.index()) {
    throw Error(Code::kBadInput,
                "is " + kind_of(to) + ", but " + giver_of(source) + " gives " + kind_of(from));
  }
  const Shape* given = fixed_shape(from);
  const Shape* wanted = fixed_shape(to);
  if (given == nullptr || wanted == nullptr || *given == *wanted) return;
  throw Error(Code::kBadInput, "has the shape " + anemone::to_string(*wanted) + ", but " +
                                   giver_of(source) + " gives " + anemone::to_string(*given));
}

void require_unique(const std::vector<Feature>& features, const char* kind) {
  std::set<std::string_view> names;
  for (const Feature& feature : features) {
    if (names.insert(feature.name).second) continue;
    throw Error(Code::kBadInput,
                std::string(kind) + " feature " + shown(feature.name) + " stands twice");
  }
}

}  // namespace

std::string_view name(Pipeline::Kind kind) {
  constexpr std::string_view kNames[] = {"pipeline", "pipelineClassifier", "pipelineRegressor"};
  return kNames[static_cast<std::size_t>(kind)];
}

const Interface& interface_of(const Member& member) {
  if (const auto* model = std::get_if<Model>(&member.model)) {
    return model->interfaces.at(model->default_function);
  }
  return std::get<std::unique_ptr<Pipeline>>(member.model)->interface;
}

void check_routes(const Pipeline& pipeline) {
  if (pipeline.members.empty()) {
    throw Error(Code::kBadInput, "the pipeline has no models; at least one is wanted");
  }
  require_unique(pipeline.interface.inputs, "input");
  require_unique(pipeline.interface.outputs, "output");
  require_unique(pipeline.interface.states, "state");
  Sources sources;
  for (const Feature& input : pipeline.interface.inputs) sources[input.name] = {&input, nullptr};
  std::set<std::string_view> states;
  for (const Member& member : pipeline.members) {
    const Interface& interface = interface_of(member);
    for (const Feature& input : interface.inputs) {
      within([&] { return "model " + shown(member.name) + ": input " + shown(input.name); },
             [&] {
               const auto source = sources.find(input.name);
               if (source != sources.end()) return check_route(source->second, input);
               if (input.is_optional) return;
               throw Error(
                   Code::kBadInput,
                   "has no source; the caller and the models before it give " + names_of(sources));
             });
    }
    for (const Feature& output : interface.outputs) sources[output.name] = {&output, &member};
    for (const Feature& state : interface.states) states.insert(state.name);
  }
  for (const Feature& output : pipeline.interface.outputs) {
    within([&] { return "output " + shown(output.name); },
           [&] {
             const auto source = sources.find(output.name);
             if (source != sources.end()) return check_route(source->second, output);
             throw Error(Code::kBadInput, "is given by no model; there are " + names_of(sources));
           });
  }
  for (const Feature& state : pipeline.interface.states) {
    if (states.contains(state.name)) continue;
    throw Error(Code::kBadInput, "state " + shown(state.name) + " is of no model");
  }
}

}  // namespace anemone::package
