#include "anemone/package/features.h"

#include <unordered_set>

#include "anemone/base/check.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

// Source: coremltools 9.0, mlmodel/format/FeatureTypes.proto (ArrayDataType, ColorSpace).
constexpr std::pair<DType, int> kArrayTypes[] = {
    {DType::kF32, 65568}, {DType::kF64, 65600}, {DType::kI32, 131104},
    {DType::kF16, 65552}, {DType::kI8, 131080},
};
constexpr std::pair<ColorSpace, int> kColorSpaces[] = {
    {ColorSpace::kGrayscale, 10},
    {ColorSpace::kRgb, 20},
    {ColorSpace::kBgr, 30},
    {ColorSpace::kGrayscaleF16, 40},
};

// --- Reading. ---

std::int64_t read_extent(std::int64_t extent, const char* of) {
  // As much as a tensor's extent may be (types.cc).
  if (extent < 0 || extent > std::int64_t{1} << 48) {
    throw Error(Code::kBadInput,
                std::string(of) + " is " + std::to_string(extent) + "; allowed: 0 to 2^48");
  }
  return extent;
}

SizeRange read_range(const spec::SizeRange& from) {
  if (from.lower_bound() > std::uint64_t{1} << 48) {
    throw Error(Code::kBadInput,
                "a size's lower bound is " + std::to_string(from.lower_bound()) + "; at most 2^48");
  }
  SizeRange range{static_cast<std::int64_t>(from.lower_bound()),
                  from.upper_bound() < 0 ? -1 : from.upper_bound()};
  if (range.upper >= 0 && range.upper < range.lower) {
    throw Error(Code::kBadInput, "a size ranges from " + std::to_string(range.lower) + " to " +
                                     std::to_string(range.upper));
  }
  return range;
}

template <typename Extents>
Shape read_shape(const Extents& from) {
  constexpr int kMaxRank = 64;  // as much as a tensor's may be (types.cc)
  if (from.size() > kMaxRank) {
    throw Error(Code::kLimit, "has a shape of rank " + std::to_string(from.size()) + "; at most " +
                                  std::to_string(kMaxRank) + " are handled");
  }
  Shape shape;
  for (const std::int64_t extent : from) shape.push_back(read_extent(extent, "an extent"));
  return shape;
}

ArrayFeature read_array(const spec::ArrayFeatureType& from) {
  ArrayFeature array;
  const auto* row = std::find_if(std::begin(kArrayTypes), std::end(kArrayTypes),
                                 [&](const auto& r) { return r.second == from.data_type(); });
  if (row == std::end(kArrayTypes)) {
    throw Error(Code::kBadInput,
                "is a multi-array of the unknown data type " + std::to_string(from.data_type()));
  }
  array.dtype = row->first;
  array.shape = read_shape(from.shape());
  const auto require_rank = [&](std::size_t rank) {
    if (rank == array.shape.size()) return;
    throw Error(Code::kBadInput, "has the default shape " + anemone::to_string(array.shape) +
                                     ", but allows shapes of rank " + std::to_string(rank));
  };
  for (const auto& shape : from.enumerated_shapes().shapes()) {
    array.enumerated_shapes.push_back(read_shape(shape.shape()));
    require_rank(array.enumerated_shapes.back().size());
  }
  for (const auto& range : from.shape_range().size_ranges()) {
    array.ranges.push_back(read_range(range));
  }
  if (!array.ranges.empty()) require_rank(array.ranges.size());
  switch (from.default_optional_value_case()) {
    case spec::ArrayFeatureType::kIntDefaultValue:
      array.default_value = from.int_default_value();
      break;
    case spec::ArrayFeatureType::kFloatDefaultValue:
      array.default_value = from.float_default_value();
      break;
    case spec::ArrayFeatureType::kDoubleDefaultValue:
      array.default_value = from.double_default_value();
      break;
    case spec::ArrayFeatureType::DEFAULT_OPTIONAL_VALUE_NOT_SET:
      break;
  }
  return array;
}

ImageFeature read_image(const spec::ImageFeatureType& from) {
  ImageFeature image;
  image.width = read_extent(from.width(), "an image's width");
  image.height = read_extent(from.height(), "an image's height");
  const auto* row = std::find_if(std::begin(kColorSpaces), std::end(kColorSpaces),
                                 [&](const auto& r) { return r.second == from.color_space(); });
  if (row == std::end(kColorSpaces)) {
    throw Error(Code::kBadInput,
                "is an image of the unknown color space " + std::to_string(from.color_space()));
  }
  image.color_space = row->first;
  for (const auto& size : from.enumerated_sizes().sizes()) {
    image.enumerated_sizes.emplace_back(
        read_extent(static_cast<std::int64_t>(size.width()), "an image's width"),
        read_extent(static_cast<std::int64_t>(size.height()), "an image's height"));
  }
  if (from.has_image_size_range()) {
    image.range = {read_range(from.image_size_range().width_range()),
                   read_range(from.image_size_range().height_range())};
  }
  return image;
}

decltype(Feature::type) read_feature_type(const spec::FeatureType& from) {
  switch (from.type_case()) {
    case spec::FeatureType::kInt64Type:
      return Int64Feature{};
    case spec::FeatureType::kDoubleType:
      return DoubleFeature{};
    case spec::FeatureType::kStringType:
      return StringFeature{};
    case spec::FeatureType::kImageType:
      return read_image(from.image_type());
    case spec::FeatureType::kMultiArrayType:
      return read_array(from.multi_array_type());
    case spec::FeatureType::kDictionaryType:
      switch (from.dictionary_type().key_type_case()) {
        case spec::DictionaryFeatureType::kInt64KeyType:
          return DictionaryFeature{KeyType::kInt64};
        case spec::DictionaryFeatureType::kStringKeyType:
          return DictionaryFeature{KeyType::kString};
        case spec::DictionaryFeatureType::KEY_TYPE_NOT_SET:
          break;
      }
      throw Error(Code::kBadInput, "is a dictionary whose keys are neither int64 nor string");
    case spec::FeatureType::kSequenceType: {
      const auto& sequence = from.sequence_type();
      const SizeRange length = read_range(sequence.size_range());
      switch (sequence.type_case()) {
        case spec::SequenceFeatureType::kInt64Type:
          return SequenceFeature{KeyType::kInt64, length};
        case spec::SequenceFeatureType::kStringType:
          return SequenceFeature{KeyType::kString, length};
        case spec::SequenceFeatureType::TYPE_NOT_SET:
          break;
      }
      throw Error(Code::kBadInput, "is a sequence whose elements are neither int64 nor string");
    }
    case spec::FeatureType::kStateType:
      return StateFeature{read_array(from.state_type().array_type())};
    case spec::FeatureType::TYPE_NOT_SET:
      break;
  }
  throw Error(Code::kBadInput, "is of no type that Core ML's features have");
}

// `repeats` says whether a description that stands there once more, the same in everything, is left
// out: coremltools writes the outputs of a graph that gives a value twice so, and Core ML takes
// them. Source: coremltools 9.0, passes/tests/test_reduce_transposes_pass.py
// (test_input_duplicate_output).
enum class Repeats { kStay, kGo };
template <typename Descriptions>
std::vector<Feature> read_features(const Descriptions& from, const char* kind,
                                   Repeats repeats = Repeats::kStay) {
  std::vector<Feature> features;
  std::unordered_set<std::string> known;
  for (const spec::FeatureDescription& description : from) {
    if (repeats == Repeats::kGo && !known.insert(description.SerializeAsString()).second) continue;
    within([&] { return std::string(kind) + " feature " + in_quotes(description.name()); },
           [&] {
             Feature& feature = features.emplace_back();
             feature.name = description.name();
             feature.short_description = description.short_description();
             feature.type = read_feature_type(description.type());
             feature.is_optional = description.type().is_optional();
           });
  }
  return features;
}

// The same five fields stand in ModelDescription and in FunctionDescription.
template <typename Description>
Interface read_interface(const Description& from) {
  return {.inputs = read_features(from.input(), "input"),
          .outputs = read_features(from.output(), "output", Repeats::kGo),
          .states = read_features(from.state(), "state"),
          .predicted_feature = from.predicted_feature_name(),
          .predicted_probabilities = from.predicted_probabilities_name()};
}

// --- Writing. ---

void write_range(const SizeRange& range, spec::SizeRange* to) {
  to->set_lower_bound(static_cast<std::uint64_t>(range.lower));
  to->set_upper_bound(range.upper);
}

void write_array(const ArrayFeature& array, spec::ArrayFeatureType* to) {
  for (const std::int64_t extent : array.shape) to->add_shape(extent);
  const auto* row = std::find_if(std::begin(kArrayTypes), std::end(kArrayTypes),
                                 [&](const auto& r) { return r.first == array.dtype; });
  if (row == std::end(kArrayTypes)) {
    throw Error(Code::kUnsupported, "is a multi-array of " + std::string(name(array.dtype)) +
                                        "; allowed: fp16, fp32, fp64, int8, int32");
  }
  to->set_data_type(row->second);
  ANEMONE_CHECK(array.enumerated_shapes.empty() || array.ranges.empty());
  for (const Shape& shape : array.enumerated_shapes) {
    auto* written = to->mutable_enumerated_shapes()->add_shapes();
    for (const std::int64_t extent : shape) written->add_shape(extent);
  }
  for (const SizeRange& range : array.ranges) {
    write_range(range, to->mutable_shape_range()->add_size_ranges());
  }
  if (const auto* value = std::get_if<std::int32_t>(&array.default_value)) {
    to->set_int_default_value(*value);
  } else if (const auto* single = std::get_if<float>(&array.default_value)) {
    to->set_float_default_value(*single);
  } else if (const auto* wide = std::get_if<double>(&array.default_value)) {
    to->set_double_default_value(*wide);
  }
}

struct FeatureTypeWriter {
  spec::FeatureType* to;

  void operator()(const ArrayFeature& array) const {
    write_array(array, to->mutable_multi_array_type());
  }
  void operator()(const ImageFeature& image) const {
    auto* written = to->mutable_image_type();
    written->set_width(image.width);
    written->set_height(image.height);
    for (const auto& [color_space, code] : kColorSpaces) {
      if (color_space == image.color_space) written->set_color_space(code);
    }
    ANEMONE_CHECK(image.enumerated_sizes.empty() || !image.range);
    for (const auto& [width, height] : image.enumerated_sizes) {
      auto* size = written->mutable_enumerated_sizes()->add_sizes();
      size->set_width(static_cast<std::uint64_t>(width));
      size->set_height(static_cast<std::uint64_t>(height));
    }
    if (image.range) {
      write_range(image.range->first, written->mutable_image_size_range()->mutable_width_range());
      write_range(image.range->second, written->mutable_image_size_range()->mutable_height_range());
    }
  }
  void operator()(const Int64Feature&) const { to->mutable_int64_type(); }
  void operator()(const DoubleFeature&) const { to->mutable_double_type(); }
  void operator()(const StringFeature&) const { to->mutable_string_type(); }
  void operator()(const DictionaryFeature& dictionary) const {
    if (dictionary.key == KeyType::kInt64) {
      to->mutable_dictionary_type()->mutable_int64_key_type();
    } else {
      to->mutable_dictionary_type()->mutable_string_key_type();
    }
  }
  void operator()(const SequenceFeature& sequence) const {
    auto* written = to->mutable_sequence_type();
    if (sequence.element == KeyType::kInt64) {
      written->mutable_int64_type();
    } else {
      written->mutable_string_type();
    }
    write_range(sequence.length, written->mutable_size_range());
  }
  void operator()(const StateFeature& state) const {
    write_array(state.array, to->mutable_state_type()->mutable_array_type());
  }
};

void write_feature(const Feature& feature, const char* kind, spec::FeatureDescription* to) {
  to->set_name(feature.name);
  to->set_short_description(feature.short_description);
  within([&] { return std::string(kind) + " feature " + in_quotes(feature.name); },
         [&] { std::visit(FeatureTypeWriter{to->mutable_type()}, feature.type); });
  to->mutable_type()->set_is_optional(feature.is_optional);
}

template <typename Description>
void write_interface(const Interface& interface, Description* to) {
  for (const Feature& feature : interface.inputs) write_feature(feature, "input", to->add_input());
  for (const Feature& feature : interface.outputs) {
    write_feature(feature, "output", to->add_output());
  }
  for (const Feature& feature : interface.states) write_feature(feature, "state", to->add_state());
  to->set_predicted_feature_name(interface.predicted_feature);
  to->set_predicted_probabilities_name(interface.predicted_probabilities);
}

std::string function_names(const mil::Program& program) {
  std::string names;
  for (const auto& function : program.functions) {
    names += (names.empty() ? "" : ", ") + in_quotes(function->name);
  }
  return names;
}

void read_single(const spec::ModelDescription& from, Model& model) {
  // Without a list of functions the runtime calls `main`.
  const auto& functions = model.program.functions;
  if (model.program.find_function("main") != nullptr) {
    model.default_function = "main";
  } else if (functions.size() == 1) {
    model.default_function = functions.front()->name;
  } else {
    throw Error(Code::kBadInput, "describes one function, but the program has " +
                                     function_names(model.program) + " and no 'main'");
  }
  model.interfaces[model.default_function] = read_interface(from);
}

void read_multiple(const spec::ModelDescription& from, Model& model) {
  model.is_multifunction = true;
  if (from.input_size() + from.output_size() + from.state_size() > 0) {
    throw Error(Code::kBadInput,
                "has a list of functions as well as features outside of it; allowed is either");
  }
  for (const spec::FunctionDescription& description : from.functions()) {
    const std::string& name = description.name();
    if (model.program.find_function(name) == nullptr) {
      throw Error(Code::kBadInput, "describes a function " + in_quotes(name) +
                                       "; the program has " + function_names(model.program));
    }
    const auto [at, is_new] = model.interfaces.try_emplace(name);
    if (!is_new) throw Error(Code::kBadInput, "describes function " + in_quotes(name) + " twice");
    at->second = within([&] { return "function " + in_quotes(name); },
                        [&] { return read_interface(description); });
  }
  model.default_function = from.default_function_name();
  if (!model.interfaces.contains(model.default_function)) {
    throw Error(Code::kBadInput, "names " + in_quotes(model.default_function) +
                                     " as the default function, but describes no such function");
  }
}

}  // namespace

void read_description(const spec::ModelDescription& from, Model& model) {
  if (from.functions_size() > 0) {
    read_multiple(from, model);
  } else {
    read_single(from, model);
  }
  for (const auto& [name, interface] : model.interfaces) {
    within([&, &key = name] { return "function " + in_quotes(key); },
           [&, &known = interface, &key = name] {
             check_interface(known, *model.program.find_function(key));
           });
  }
  model.metadata = read_metadata(from);
}

Interface read_plain_interface(const spec::ModelDescription& from) {
  if (from.functions_size() > 0) {
    throw Error(Code::kBadInput, "has a list of functions, which only an ML Program may have");
  }
  return read_interface(from);
}

Metadata read_metadata(const spec::ModelDescription& from) {
  const spec::Metadata& metadata = from.metadata();
  Metadata read = {.short_description = metadata.short_description(),
                   .version = metadata.version_string(),
                   .author = metadata.author(),
                   .license = metadata.license()};
  for (const auto& [key, value] : metadata.user_defined()) read.user_defined[key] = value;
  return read;
}

void write_description(const Model& model, spec::ModelDescription* to) {
  const mil::Function* called = model.program.find_function(model.default_function);
  ANEMONE_CHECK(called != nullptr) << "no function " << model.default_function;
  const auto write_one = [&](const mil::Function& function, auto* description) {
    within([&] { return "function " + in_quotes(function.name); },
           [&] {
             const Interface interface = effective_interface(model, function);
             check_interface(interface, function);
             write_interface(interface, description);
           });
  };
  if (model.is_multifunction) {
    for (const auto& function : model.program.functions) {
      spec::FunctionDescription* description = to->add_functions();
      description->set_name(function->name);
      write_one(*function, description);
    }
    to->set_default_function_name(model.default_function);
  } else {
    write_one(*called, to);
  }
  spec::Metadata* metadata = to->mutable_metadata();
  metadata->set_short_description(model.metadata.short_description);
  metadata->set_version_string(model.metadata.version);
  metadata->set_author(model.metadata.author);
  metadata->set_license(model.metadata.license);
  for (const auto& [key, value] : model.metadata.user_defined) {
    (*metadata->mutable_user_defined())[key] = value;
  }
}

}  // namespace anemone::package
