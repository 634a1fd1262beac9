#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/generate/bundle.h"
#include "anemone/generate/predictor.h"

namespace anemone::generate {

// What an input of a function means, whatever its place.
enum class Role : std::uint8_t {
  kHidden,       // hidden
  kInputIds,     // input_ids
  kPosition,     // position
  kCos,          // cos
  kSin,          // sin
  kMask,         // mask
  kSlidingMask,  // sliding_mask
  kWrite,        // write
  kCache,        // kv, owned by the host
  kLast,         // last
};

// How one function of one package is called. Only what the function asks for is fed, so that
// programs that make their masks or rotary rows inside run as well.
struct CallPlan {
  std::string function = {};
  std::int64_t rows = 1;  // S
  std::vector<Role> inputs = {};
  bool takes(Role role) const;
};

// The shape of an input of that meaning. `layers` are those of the package.
Shape shape_of(Role role, const Bundle& bundle, std::int64_t rows, std::int64_t layers);
std::string_view name(Role role);

struct ExpectedOutput {
  std::string name;
  Shape shape;
};

// Holds a function against docs/formats/bundle.md: throws Error(kBadInput) naming package,
// function, input or output, what was found and what is allowed.
CallPlan plan_call(const Predictor& predictor, const Bundle& bundle, std::string_view package,
                   std::string_view function, std::int64_t rows, std::int64_t layers,
                   const std::vector<Role>& required, const std::vector<ExpectedOutput>& outputs);

// Function and features of a bundle of kind ranged.
inline constexpr char kRangedFunction[] = "main";
inline constexpr char kRangedIds[] = "inputIds";            // [1, S] int32
inline constexpr char kRangedMask[] = "fullAttentionMask";  // [1, 1, S, total]
// The same for layers that slide.
inline constexpr char kRangedSlidingMask[] = "slidingAttentionMask";

// The same for a bundle of kind ranged.
// Gives which of its masks it takes.
struct RangedMasks {
  bool full = false;
  bool sliding = false;
};
RangedMasks require_ranged(const Predictor& predictor, const Bundle& bundle);

}  // namespace anemone::generate
