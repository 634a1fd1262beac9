#include "anemone/cli/lint_subject.h"

#include <algorithm>

namespace anemone::cli {

lint::Subject lint_subject(const package::Model& model) {
  using Kind = lint::FlexibleInput::Kind;
  lint::Subject subject{.program = &model.program};
  const auto& facts = model.metadata.user_defined;
  if (const auto made = facts.find("com.github.apple.coremltools.version"); made != facts.end()) {
    subject.coremltools = made->second;
  }
  for (const auto& [function, interface] : model.interfaces) {
    for (const package::Feature& feature : interface.inputs) {
      lint::FlexibleInput input{.function = function, .input = feature.name};
      if (const auto* array = std::get_if<package::ArrayFeature>(&feature.type)) {
        const auto varies = [](const package::SizeRange& range) {
          return range.lower != range.upper;
        };
        const auto is_unbounded = [](const package::SizeRange& range) { return range.upper < 0; };
        if (array->enumerated_shapes.size() > 1) {
          input.kind = Kind::kEnumerated;
          input.shapes = static_cast<std::int64_t>(array->enumerated_shapes.size());
        } else if (std::any_of(array->ranges.begin(), array->ranges.end(), is_unbounded)) {
          input.kind = Kind::kUnboundedRange;
        } else if (std::none_of(array->ranges.begin(), array->ranges.end(), varies)) {
          continue;
        }
      } else if (const auto* image = std::get_if<package::ImageFeature>(&feature.type)) {
        if (image->enumerated_sizes.size() > 1) {
          input.kind = Kind::kEnumerated;
          input.shapes = static_cast<std::int64_t>(image->enumerated_sizes.size());
        } else if (!image->range) {
          continue;
        } else if (image->range->first.upper < 0 || image->range->second.upper < 0) {
          input.kind = Kind::kUnboundedRange;
        }
      } else {
        continue;
      }
      subject.flexible.push_back(std::move(input));
    }
  }
  return subject;
}

}  // namespace anemone::cli
