#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "anemone/base/json.h"

namespace anemone::gate {

// What the gate demands. Absent: reported, not judged.
struct Thresholds {
  // Below this margin between the reference's two best logits, either choice is right.
  double near_tie = 0.1;
  std::optional<double> min_cosine = 0.9999;                // of the logits, at every position
  std::optional<double> max_perplexity_change = 0.005;      // as a share of the reference's
  std::optional<double> min_boundary_cosine = 0.999;        // between parts, over all positions
  std::optional<double> max_kl = std::nullopt;              // nats, at every position
  std::optional<double> max_relative_error = std::nullopt;  // |error| / |reference|, every position
  std::optional<double> min_top5 = std::nullopt;            // mean share of the five best in common
};

// Changes what a JSON object names, by the fields' names; null switches a demand off. `what` (a
// file's name) starts the message of the Error(kBadInput) that an unknown key, a value of another
// type or one outside of what is possible is.
void read_thresholds(const Json& json, std::string_view what, Thresholds& thresholds);
void load_thresholds(const std::filesystem::path& path, Thresholds& thresholds);
OrderedJson to_json(const Thresholds& thresholds);

}  // namespace anemone::gate
