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

// data, with each update worked into the element place(index of the update); later ones see what
// earlier ones made.
template <typename Place>
Tensor scattered(const Call& call, Place place) {
  const Tensor& data = call.tensor("data");
  const Tensor& updates = call.tensor("updates");
  const std::string mode = scatter_mode(call);
  std::vector<double> y = data.to_doubles();
  const std::vector<double> values = updates.to_doubles();
  std::size_t next = 0;
  for_each_index(updates.shape(), [&](const Shape& index) {
    double& element = y[static_cast<std::size_t>(place(index))];
    const double value = values[next++];
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
