#pragma once

#include "anemone/mil/ops/indexing.h"

// What the three scatters share.
namespace anemone::mil::op {

inline constexpr InputDef kScatterData = {
    .name = "data", .dtypes = kNumbers, .min_rank = 1, .domain = 'T'};
inline constexpr InputDef kScatterIndices = {.name = "indices", .dtypes = kInt32};
inline constexpr InputDef kScatterUpdates = {.name = "updates", .dtypes = kNumbers, .domain = 'T'};
inline constexpr InputDef kScatterAxis = {.name = "axis",
                                          .dtypes = kInt32,
                                          .max_rank = 0,
                                          .is_const = true,
                                          .otherwise = std::int64_t{0}};
inline constexpr InputDef kScatterMode = {.name = "mode",
                                          .dtypes = kStrings,
                                          .max_rank = 0,
                                          .is_const = true,
                                          .otherwise = std::string_view("add")};

inline std::string scatter_mode(const Call& call) {
  constexpr std::string_view kModes[] = {"add", "div", "max", "min", "mul", "sub", "update"};
  return one_of(call, "mode", kModes);
}

// The element that an update's index means along an axis, or kNowhere. From iOS 17 on an index
// outside that nothing validates writes nothing, negative ones too: what they do is undefined in
// Core ML, and coremltools' tests and its torch front end (which adds the extent to negative
// indices itself) both hold that they do not count from the end there. Source: coremltools 9.0,
// ops/tests/iOS17/test_scatter_gather.py (test_ios17_invalid_indices).
inline constexpr std::int64_t kNowhere = -1;
inline std::int64_t written_index(const Call& call, std::int64_t index, std::int64_t extent) {
  const bool is_outside = index < 0 || index >= extent;
  const bool is_dropped = is_outside && call.opset() >= Opset::kIos17 && !validates_indices(call);
  return is_dropped ? kNowhere : placed_index(call, index, extent);
}

// data, with each update worked into the element place(index of the update), or left out where that
// is kNowhere; later ones see what earlier ones made.
template <typename Place>
Tensor scattered(const Call& call, Place place) {
  const Tensor& data = call.tensor("data");
  const Tensor& updates = call.tensor("updates");
  const std::string mode = scatter_mode(call);
  std::vector<double> y = data.to_doubles();
  const std::vector<double> values = updates.to_doubles();
  std::size_t next = 0;
  for_each_index(updates.shape(), [&](const Shape& index) {
    const double value = values[next++];
    const std::int64_t to = place(index);
    if (to == kNowhere) return;
    double& element = y[static_cast<std::size_t>(to)];
    if (mode == "add") {
      element += value;
    } else if (mode == "sub") {
      element -= value;
    } else if (mode == "mul") {
      element *= value;
    } else if (mode == "div") {
      element /= value;
    } else if (mode == "max") {
      element = std::max(element, value);
    } else if (mode == "min") {
      element = std::min(element, value);
    } else {
      element = value;
    }
  });
  return Tensor::from_doubles(promoted(data.dtype(), updates.dtype()), data.shape(), y);
}

}  // namespace anemone::mil::op
