#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "anemone/models/config.h"

namespace anemone::models {

// What a tensor is for.
enum class Role : std::uint8_t {
  kEmbedding,
  kInputNorm,
  kQ,
  kK,
  kV,
  kO,
  kQBias,
  kKBias,
  kVBias,
  kOBias,
  kQNorm,
  kKNorm,
  kPostNorm,
  kGate,
  kUp,
  kDown,
  kGateBias,
  kUpBias,
  kDownBias,
  kFinalNorm,
  kHead,
};
inline constexpr int kRoles = static_cast<int>(Role::kHead) + 1;

// Extents in a config's words; kNone ends a shape of rank 1.
enum class Extent : std::uint8_t { kNone, kHidden, kQuery, kKv, kHead, kFeedForward, kVocabulary };
// The block variant that has the tensor.
enum class When : std::uint8_t { kAlways, kUntied, kQkNorm, kQkvBias, kOBias, kMlpBias };

struct TensorDef {
  std::string_view name;  // "{}" stands for the layer's number
  Role role;
  Extent rows;
  Extent columns = Extent::kNone;
  When when = When::kAlways;
};

// What is done about a key of config.json.
struct KeyDef {
  enum class Use : std::uint8_t {
    kRead,     // taken into DecoderConfig
    kIgnored,  // changes no arithmetic of inference
    kOneOf,    // anything but the values in `allowed` is refused
  };
  std::string_view name;
  Use use = Use::kRead;
  std::string_view allowed = {};  // a JSON array
};

// One architecture: a file in arch/ each.
struct Architecture {
  std::string_view model_type;
  std::array<std::span<const KeyDef>, 2> keys;        // shared ones and its own
  std::array<std::span<const TensorDef>, 3> tensors;  // likewise
  // Fills in what the shared reader does not: defaults and block variants.
  void (*read)(const ConfigReader& config, DecoderConfig& decoder);
};

const Architecture* find_architecture(std::string_view model_type);
std::span<const Architecture* const> all_architectures();

bool applies(When when, const DecoderConfig& config);
std::int64_t extent(Extent which, const DecoderConfig& config);

}  // namespace anemone::models
