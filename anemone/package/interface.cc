#include <unordered_map>
#include <unordered_set>

#include "anemone/package/features.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

ArrayFeature array_of(const mil::Value& value) {
  const mil::Type& type = value.type;
  switch (type.dtype) {
    case DType::kF16:
    case DType::kF32:
    case DType::kF64:
    case DType::kI32:
    case DType::kI8:
      break;
    default:
      throw Error(Code::kUnsupported, in_quotes(value.name) + " is of type " +
                                          mil::to_string(type) +
                                          "; features are of fp16, fp32, fp64, int32 or int8");
  }
  if (!type.has_rank) {
    throw Error(Code::kUnsupported,
                in_quotes(value.name) + " has no fixed rank, as every feature must have");
  }
  return {.dtype = type.dtype, .shape = type.shape};
}

Feature input_feature(const mil::Value& value) {
  if (value.type.is_state()) {
    if (!value.type.is_static()) {
      throw Error(Code::kUnsupported, "state " + in_quotes(value.name) + " is of type " +
                                          mil::to_string(value.type) + "; states are static");
    }
    return {.name = value.name, .type = StateFeature{array_of(value)}};
  }
  ArrayFeature array = array_of(value);
  if (array.shape.empty()) array.shape = {1};
  if (!is_known(array.shape)) {
    for (std::int64_t& extent : array.shape) {
      array.ranges.push_back(extent == kUnknown ? SizeRange{1, -1} : SizeRange{extent, extent});
      if (extent == kUnknown) extent = 1;
    }
  }
  return {.name = value.name, .type = std::move(array)};
}

Feature output_feature(const mil::Value& value) {
  const mil::Type& type = value.type;
  Feature feature{.name = value.name, .type = Int64Feature{}};
  if (type.kind == mil::Type::Kind::kDictionary && type.parts.size() == 2) {
    feature.type = DictionaryFeature{type.parts.front().dtype == DType::kString ? KeyType::kString
                                                                                : KeyType::kInt64};
  } else if (type == mil::Type::scalar(DType::kString)) {
    feature.type = StringFeature{};
  } else if (type == mil::Type::scalar(DType::kI64)) {
    feature.type = Int64Feature{};
  } else if (type.is_tensor()) {
    ArrayFeature array = array_of(value);
    if (!is_known(array.shape)) array.shape.clear();
    feature.type = std::move(array);
  } else {
    throw Error(Code::kUnsupported, in_quotes(value.name) + " is of type " + mil::to_string(type) +
                                        ", which no feature can have");
  }
  return feature;
}

// --- Does a stated interface fit? ---

using Values = std::unordered_map<std::string_view, const mil::Value*>;

Values by_name(const std::vector<const mil::Value*>& values) {
  Values map;
  for (const mil::Value* value : values) map.emplace(value->name, value);
  return map;
}

bool shape_fits(const Shape& shape, const mil::Type& type) {
  if (!type.has_rank) return true;
  if (type.shape.empty()) return shape.empty() || shape == Shape{1};
  return mil::agrees(type, mil::Type{.kind = type.kind, .dtype = type.dtype, .shape = shape});
}

void check_array(const ArrayFeature& array, const mil::Type& type, bool may_be_open) {
  const auto require = [&](const Shape& shape) {
    if (shape_fits(shape, type)) return;
    throw Error(Code::kBadInput, "has the shape " + anemone::to_string(shape) +
                                     ", but the program's value is " + mil::to_string(type));
  };
  if (!(may_be_open && array.shape.empty())) require(array.shape);
  for (const Shape& shape : array.enumerated_shapes) require(shape);
}

// Source: coremltools 9.0, converters/mil/backend/backend_helper.py
// (_validate_image_input_output_shapes).
void check_image(const ImageFeature& image, const mil::Type& type) {
  const bool has_colors =
      image.color_space == ColorSpace::kRgb || image.color_space == ColorSpace::kBgr;
  const Shape wanted = {1, has_colors ? 3 : 1, kUnknown, kUnknown};
  if (mil::agrees(mil::Type::tensor(type.dtype, wanted), type)) return;
  throw Error(Code::kBadInput, std::string("is an image in ") +
                                   (has_colors ? "color" : "grayscale") +
                                   ", so the program's value must have the shape " +
                                   anemone::to_string(wanted) + "; it is " + mil::to_string(type));
}

void check_feature(const Feature& feature, const mil::Type& type, bool is_output) {
  if (type.is_state()) {
    const auto* state = std::get_if<StateFeature>(&feature.type);
    if (state == nullptr) throw Error(Code::kBadInput, "is described as something else");
    if (state->array.dtype != type.dtype) {
      throw Error(Code::kBadInput, "is of " + std::string(name(state->array.dtype)) +
                                       ", but the program's value is " + mil::to_string(type));
    }
    return check_array(state->array, type, false);
  }
  if (std::holds_alternative<StateFeature>(feature.type)) {
    throw Error(Code::kBadInput, "is described as a state");
  }
  if (const auto* array = std::get_if<ArrayFeature>(&feature.type)) {
    check_array(*array, type, is_output);
  } else if (const auto* image = std::get_if<ImageFeature>(&feature.type)) {
    check_image(*image, type);
  }
}

// Every feature names one of `values`, no two the same.
std::unordered_set<std::string_view> check_features(const std::vector<Feature>& features,
                                                    const char* kind, const Values& values) {
  std::unordered_set<std::string_view> names;
  for (const Feature& feature : features) {
    within([&] { return std::string(kind) + " feature " + in_quotes(feature.name); },
           [&] {
             if (!names.insert(feature.name).second) throw Error(Code::kBadInput, "stands twice");
             const auto value = values.find(feature.name);
             if (value == values.end()) {
               throw Error(Code::kBadInput,
                           "is no " + std::string(kind) + " of the program's function");
             }
             check_feature(feature, value->second->type, std::string_view(kind) == "output");
           });
  }
  return names;
}

void require_all(const Values& values, const std::unordered_set<std::string_view>& names,
                 const char* kind) {
  std::string_view missing;
  for (const auto& [name, value] : values) {
    if (!names.contains(name) && (missing.empty() || name < missing)) missing = name;
  }
  if (missing.empty()) return;
  throw Error(Code::kBadInput, std::string(kind) + " " + in_quotes(missing) +
                                   " of the program's function has no feature");
}

}  // namespace

Interface interface_of(const mil::Function& function) {
  Interface interface;
  for (const auto& input : function.inputs) {
    (input->type.is_state() ? interface.states : interface.inputs).push_back(input_feature(*input));
  }
  for (const mil::Value* output : function.body.outputs) {
    interface.outputs.push_back(output_feature(*output));
    const mil::Op* producer = output->producer;
    if (producer == nullptr || producer->type() != "classify") continue;
    (output == producer->output() ? interface.predicted_feature
                                  : interface.predicted_probabilities) = output->name;
  }
  return interface;
}

Interface effective_interface(const Model& model, const mil::Function& function) {
  const auto stated = model.interfaces.find(function.name);
  return stated != model.interfaces.end() ? stated->second : interface_of(function);
}

void check_interface(const Interface& interface, const mil::Function& function) {
  std::vector<const mil::Value*> inputs;
  std::vector<const mil::Value*> states;
  for (const auto& input : function.inputs) {
    (input->type.is_state() ? states : inputs).push_back(input.get());
  }
  const Values outputs = by_name({function.body.outputs.begin(), function.body.outputs.end()});
  require_all(by_name(inputs), check_features(interface.inputs, "input", by_name(inputs)), "input");
  require_all(by_name(states), check_features(interface.states, "state", by_name(states)), "state");
  const auto described = check_features(interface.outputs, "output", outputs);
  for (const std::string* predicted :
       {&interface.predicted_feature, &interface.predicted_probabilities}) {
    if (!predicted->empty() && !described.contains(*predicted)) {
      throw Error(Code::kBadInput, "names " + in_quotes(*predicted) +
                                       " as predicted, but has no such output feature");
    }
  }
}

// Source: coremltools 9.0, mlmodel/src/Utils.cpp; its rows for the ML Program type. It looks at
// `main` alone, we at every function.
int needed_specification(const Model& model) {
  int version = mil::info(mil::Opset::kIos15).specification_version;
  const auto need = [&](mil::Opset opset) {
    version = std::max(version, mil::info(opset).specification_version);
  };
  if (model.is_multifunction) need(mil::Opset::kIos18);
  const auto need_for = [&](const Feature& feature) {
    if (std::holds_alternative<StateFeature>(feature.type)) need(mil::Opset::kIos18);
    const auto* array = std::get_if<ArrayFeature>(&feature.type);
    if (array != nullptr && array->dtype == DType::kF16) need(mil::Opset::kIos16);
    if (array != nullptr && array->dtype == DType::kI8) need(mil::Opset::kIos26);
    const auto* image = std::get_if<ImageFeature>(&feature.type);
    if (image != nullptr && image->color_space == ColorSpace::kGrayscaleF16) {
      need(mil::Opset::kIos16);
    }
  };
  for (const auto& function : model.program.functions) {
    need(function->opset);
    if (!model.is_multifunction && function->name != model.default_function) continue;
    const Interface interface = within([&] { return "function " + in_quotes(function->name); },
                                       [&] { return effective_interface(model, *function); });
    if (interface.inputs.empty()) need(mil::Opset::kIos18);
    for (const auto* features : {&interface.inputs, &interface.outputs, &interface.states}) {
      for (const Feature& feature : *features) need_for(feature);
    }
  }
  return version;
}

}  // namespace anemone::package
