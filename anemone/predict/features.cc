#include "anemone/predict/features.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "anemone/base/error.h"
#include "anemone/base/half.h"

namespace anemone::predict {
namespace {

using package::ArrayFeature;
using package::ColorSpace;
using package::Feature;
using package::ImageFeature;

[[noreturn]] void fail(const Feature& feature, const std::string& why) {
  throw Error(Code::kBadInput, "'" + feature.name + "' " + why);
}

// "1 x 3 x 29 x 29", as Core ML words it.
std::string by(const Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) {
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  }
  return text.empty() ? "scalar" : text;
}

std::string range_text(const package::SizeRange& range) {
  if (range.lower == range.upper) return std::to_string(range.lower);
  return std::to_string(range.lower) + ".." + (range.upper < 0 ? "" : std::to_string(range.upper));
}

bool is_color(ColorSpace space) { return space == ColorSpace::kRgb || space == ColorSpace::kBgr; }

std::string_view color_word(ColorSpace space) {
  switch (space) {
    case ColorSpace::kGrayscale:
      return "a grayscale image";
    case ColorSpace::kGrayscaleF16:
      return "a grayscale image of fp16";
    case ColorSpace::kRgb:
      return "an RGB image";
    case ColorSpace::kBgr:
      return "a BGR image";
  }
  return "an image";
}

std::string sizes_text(const ImageFeature& image) {
  std::string text = std::to_string(image.width) + " x " + std::to_string(image.height);
  for (const auto& [width, height] : image.enumerated_sizes) {
    if (width == image.width && height == image.height) continue;
    text += ", " + std::to_string(width) + " x " + std::to_string(height);
  }
  if (image.range) {
    text = range_text(image.range->first) + " x " + range_text(image.range->second);
  }
  return text;
}

// What a caller could have meant: the messages keep the words that Core ML itself uses.
void check_shape(const Shape& shape, const Feature& feature, const ArrayFeature& array) {
  if (!array.enumerated_shapes.empty()) {
    const auto& allowed = array.enumerated_shapes;
    if (shape == array.shape || std::find(allowed.begin(), allowed.end(), shape) != allowed.end()) {
      return;
    }
    std::string list;
    for (const Shape& one : allowed) list += (list.empty() ? "" : ", ") + by(one);
    fail(feature, "is given a MultiArray Shape (" + by(shape) +
                      ") was not in enumerated set of allowed shapes: " + list);
  }
  if (!array.ranges.empty()) {
    if (shape.size() != array.ranges.size()) {
      fail(feature, "has rank " + std::to_string(shape.size()) + "; allowed: " +
                        std::to_string(array.ranges.size()) + ", " + describe(feature));
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const package::SizeRange& range = array.ranges[i];
      if (shape[i] >= range.lower && (range.upper < 0 || shape[i] <= range.upper)) continue;
      fail(feature, "is given a MultiArray Shape (" + by(shape) + "): Size (" +
                        std::to_string(shape[i]) + ") of dimension (" + std::to_string(i) +
                        ") is not in allowed range (" + range_text(range) + ")");
    }
    return;
  }
  if (!array.shape.empty() && shape != array.shape) {
    fail(feature, "is given a MultiArray Shape (" + by(shape) +
                      "), which does not match the shape (" + by(array.shape) +
                      ") in the model's description");
  }
}

// The shortest decimal that reads back as the same number.
std::string shortest(double number) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

// Refuses values that the feature's integers cannot hold.
Tensor to_ints(const Tensor& given, const Feature& feature, DType dtype) {
  const std::vector<double> values = given.to_doubles();
  const double limit =
      std::ldexp(1.0, info(dtype).is_signed ? width_bits(dtype) - 1 : width_bits(dtype));
  const double low = info(dtype).is_signed ? -limit : 0;
  const bool is_int64 = is_int(given.dtype());  // beyond 2^53 a double has lost the last digits
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == std::trunc(values[i]) && values[i] >= low && values[i] < limit) continue;
    fail(feature, "is " + std::string(name(dtype)) + "; element " + std::to_string(i) +
                      " of what is given (" + std::string(name(given.dtype())) + ") is " +
                      (is_int64 ? std::to_string(given.to_ints()[i]) : shortest(values[i])));
  }
  return convert(given, dtype);
}

Tensor array_input(const Tensor& given, const Feature& feature, const ArrayFeature& array,
                   const mil::Type& declared) {
  if (given.dtype() == DType::kString) fail(feature, "is given text; allowed: numbers");
  Tensor tensor = given.resident();
  const bool is_scalar = declared.has_rank && declared.rank() == 0;
  if (is_scalar && tensor.count() == 1 && tensor.rank() <= 1) {
    tensor = tensor.reshaped({});
  } else {
    // Features have no rank 0: a lone number is [1].
    if (tensor.rank() == 0) tensor = tensor.reshaped({1});
    check_shape(tensor.shape(), feature, array);
    if (is_scalar) tensor = tensor.reshaped({});
  }
  if (is_int(array.dtype) && array.dtype != tensor.dtype()) {
    tensor = to_ints(tensor, feature, array.dtype);
  }
  if (tensor.dtype() == declared.dtype) return tensor;
  if (is_float(declared.dtype)) {
    const bool is_fed = tensor.dtype() == DType::kF16 || tensor.dtype() == DType::kF32;
    return is_fed ? tensor : convert(tensor, DType::kF32);
  }
  return convert(tensor, declared.dtype);
}

// [1, C, H, W] with the channels in the order that the model wants.
Tensor image_input(const Image& given, const Feature& feature, const ImageFeature& image) {
  const auto is_allowed = [&](std::int64_t width, std::int64_t height) {
    if (image.range) {
      const auto& [widths, heights] = *image.range;
      return width >= widths.lower && (widths.upper < 0 || width <= widths.upper) &&
             height >= heights.lower && (heights.upper < 0 || height <= heights.upper);
    }
    if (width == image.width && height == image.height) return true;
    return std::find(image.enumerated_sizes.begin(), image.enumerated_sizes.end(),
                     std::pair(width, height)) != image.enumerated_sizes.end();
  };
  if (!is_allowed(given.width, given.height)) {
    fail(feature, "is given an image of " + std::to_string(given.width) + " x " +
                      std::to_string(given.height) + "; allowed: " + sizes_text(image));
  }
  const bool wants_color = is_color(image.color_space);
  if (wants_color != (given.channels >= 3)) {
    fail(feature, "is given an image of " + std::to_string(given.channels) +
                      (given.channels == 1 ? " channel" : " channels") +
                      "; allowed: " + std::string(color_word(image.color_space)));
  }
  const std::int64_t channels = wants_color ? 3 : 1;
  const std::int64_t area = given.width * given.height;
  std::vector<float> values(static_cast<std::size_t>(channels * area));
  const Tensor pixels(given.dtype, {area, given.channels}, given.pixels);
  const Tensor here = pixels.resident();
  if (given.dtype != DType::kU8) {
    values = here.to_floats();
  } else {
    const auto bytes = here.as<std::uint8_t>();
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t from = image.color_space == ColorSpace::kBgr ? 2 - c : c;
      for (std::int64_t i = 0; i < area; ++i) {
        values[static_cast<std::size_t>(c * area + i)] =
            bytes[static_cast<std::size_t>(i * given.channels + from)];
      }
    }
  }
  return Tensor::from_floats(DType::kF32, {1, channels, given.height, given.width}, values);
}

// The other way: 8 bits are rounded and kept within 0 to 255.
Image image_output(const Tensor& tensor, const Feature& feature, const ImageFeature& image) {
  const bool has_color = is_color(image.color_space);
  const Shape& shape = tensor.shape();
  if (shape.size() != 4 || shape[0] != 1 || shape[1] != (has_color ? 3 : 1)) {
    fail(feature, "is " + std::string(color_word(image.color_space)) +
                      ", but the program gives shape " + anemone::to_string(shape));
  }
  Image made{.width = shape[3], .height = shape[2], .channels = has_color ? 3 : 1};
  if (image.color_space == ColorSpace::kGrayscaleF16) {
    made.dtype = DType::kF16;
    made.pixels = convert(tensor, DType::kF16).resident().bytes();
    return made;
  }
  const std::vector<float> values = tensor.to_floats();
  const std::size_t area = static_cast<std::size_t>(made.width * made.height);
  const auto channels = static_cast<std::size_t>(made.channels);
  std::vector<std::byte> bytes(values.size());
  for (std::size_t c = 0; c < channels; ++c) {
    const std::size_t to = image.color_space == ColorSpace::kBgr ? 2 - c : c;
    for (std::size_t i = 0; i < area; ++i) {
      const float value = values[c * area + i];
      const float kept = std::isnan(value) ? 0 : std::clamp(value, 0.0f, 255.0f);
      bytes[i * channels + to] = static_cast<std::byte>(std::nearbyint(kept));
    }
  }
  made.pixels = own_bytes(std::move(bytes));
  return made;
}

[[noreturn]] void fail_kind(const Value& value, const Feature& feature) {
  constexpr std::string_view kWords[] = {"an array", "an image", "a number", "text",
                                         "a dictionary"};
  fail(feature, "is " + describe(feature) + "; it is given " + std::string(kWords[value.index()]));
}

}  // namespace

std::string describe(const Feature& feature) {
  if (const auto* array = std::get_if<ArrayFeature>(&feature.type)) {
    std::string text = std::string(name(array->dtype)) + " ";
    if (array->ranges.empty()) {
      text += anemone::to_string(array->shape);
      for (const Shape& shape : array->enumerated_shapes) {
        if (shape != array->shape) text += " or " + anemone::to_string(shape);
      }
      return text;
    }
    text += "[";
    for (std::size_t i = 0; i < array->ranges.size(); ++i) {
      text += (i > 0 ? ", " : "") + range_text(array->ranges[i]);
    }
    return text + "]";
  }
  if (const auto* image = std::get_if<ImageFeature>(&feature.type)) {
    return std::string(color_word(image->color_space)) + ", " + sizes_text(*image);
  }
  if (std::holds_alternative<package::DictionaryFeature>(feature.type)) return "a dictionary";
  if (std::holds_alternative<package::StringFeature>(feature.type)) return "text";
  if (std::holds_alternative<package::SequenceFeature>(feature.type)) return "a sequence";
  if (const auto* state = std::get_if<package::StateFeature>(&feature.type)) {
    return "a state of " + std::string(name(state->array.dtype)) + " " +
           anemone::to_string(state->array.shape);
  }
  return "a number";
}

void check_names(const Values& inputs, const package::Interface& interface) {
  std::string known;
  for (const Feature& feature : interface.inputs) {
    known += (known.empty() ? "" : ", ") + feature.name;
  }
  for (const auto& [name, value] : inputs) {
    const bool is_known = std::any_of(interface.inputs.begin(), interface.inputs.end(),
                                      [&key = name](const Feature& f) { return f.name == key; });
    if (is_known) continue;
    throw Error(Code::kBadInput,
                "there is no input '" + name + "'; allowed: " + (known.empty() ? "none" : known));
  }
}

Tensor to_tensor(const Value& value, const Feature& feature, const mil::Type& declared) {
  if (const auto* array = std::get_if<ArrayFeature>(&feature.type)) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
      return array_input(*tensor, feature, *array, declared);
    }
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      const std::int64_t one[] = {*number};
      return array_input(Tensor::from_ints(DType::kI64, {1}, one), feature, *array, declared);
    }
  } else if (const auto* image = std::get_if<ImageFeature>(&feature.type)) {
    if (const auto* given = std::get_if<Image>(&value)) {
      return image_input(*given, feature, *image);
    }
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
      fail(feature, "is " + describe(feature) + "; it is given an array " +
                        anemone::to_string(tensor->shape()));
    }
  }
  fail_kind(value, feature);
}

void check_value(const Value& value, const Feature& feature) {
  const auto* tensor = std::get_if<Tensor>(&value);
  if (const auto* array = std::get_if<ArrayFeature>(&feature.type)) {
    if (std::holds_alternative<std::int64_t>(value)) return;
    if (tensor == nullptr) fail_kind(value, feature);
    // A rank-0 input is [1] here.
    const bool is_one = array->shape == Shape{1} && tensor->shape().empty();
    if (!is_one) check_shape(tensor->shape(), feature, *array);
    return;
  }
  const bool fits = std::holds_alternative<ImageFeature>(feature.type)
                        ? std::holds_alternative<Image>(value)
                    : std::holds_alternative<package::StringFeature>(feature.type)
                        ? std::holds_alternative<std::string>(value)
                    : std::holds_alternative<package::DictionaryFeature>(feature.type)
                        ? std::holds_alternative<Dictionary>(value)
                        : std::holds_alternative<package::Int64Feature>(feature.type) &&
                              std::holds_alternative<std::int64_t>(value);
  if (!fits) fail_kind(value, feature);
}

Value handed_out(const Value& value, const Feature& feature, bool keeps_fp32) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    if (std::holds_alternative<ArrayFeature>(feature.type)) {
      return to_value(*tensor, feature, keeps_fp32);
    }
  }
  check_value(value, feature);
  return value;
}

Tensor default_tensor(const Feature& feature, const mil::Type& declared) {
  const auto* array = std::get_if<ArrayFeature>(&feature.type);
  if (array == nullptr || !feature.is_optional) {
    fail(feature, "(" + describe(feature) + ") is missing");
  }
  double number = 0;
  if (const auto* i = std::get_if<std::int32_t>(&array->default_value)) number = *i;
  if (const auto* f = std::get_if<float>(&array->default_value)) number = *f;
  if (const auto* d = std::get_if<double>(&array->default_value)) number = *d;
  const bool is_scalar = declared.has_rank && declared.rank() == 0;
  const Shape shape = is_scalar ? Shape{} : array->shape;
  const std::vector<double> values(static_cast<std::size_t>(element_count(shape)), number);
  return Tensor::from_doubles(declared.dtype, shape, values);
}

Value to_value(const Tensor& tensor, const Feature& feature, bool keeps_fp32) {
  if (const auto* image = std::get_if<ImageFeature>(&feature.type)) {
    return image_output(tensor, feature, *image);
  }
  const auto* array = std::get_if<ArrayFeature>(&feature.type);
  Tensor made = tensor.rank() == 0 ? tensor.reshaped({1}) : tensor;
  if (array == nullptr) return made;
  const bool is_flexible =
      array->shape.empty() || !array->ranges.empty() || !array->enumerated_shapes.empty();
  if (!is_flexible && made.shape() != array->shape) {
    fail(feature, "comes with the shape (" + by(made.shape()) +
                      "), which does not match the shape (" + by(array->shape) +
                      ") in the model's description");
  }
  const bool stays = keeps_fp32 && array->dtype == DType::kF16 && made.dtype() == DType::kF32;
  return made.dtype() == array->dtype || stays ? made : convert(made, array->dtype);
}

}  // namespace anemone::predict
