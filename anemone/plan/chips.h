#pragma once

#include <span>
#include <string_view>

// What others measured of Apple's Neural Engines, as far as a roofline needs it. Nothing here was
// measured by anemone.
namespace anemone::plan {

// A figure with what it may as well be.
struct Range {
  double low = 0;
  double likely = 0;
  double high = 0;
};

// A constant and where it comes from.
struct Constant {
  Range value;
  std::string_view unit = {};
  std::string_view source = {};
  // True if no source states it for this chip: taken from a near one, or worked out from others.
  bool is_derived = false;
};

struct Chip {
  std::string_view name = {};  // "M4 Pro"
  Constant bandwidth = {};     // GB/s at which weights reach the engine
  Constant compute = {};       // TFLOP/s in fp16
};

// In the order of their generations.
std::span<const Chip> all_chips();
// Upper and lower case, spaces and a leading "Apple" do not count. Throws Error(kUsage) that names
// those that are known.
const Chip& chip_named(std::string_view name);

// What one call of a model costs before it computes, ms.
const Constant& dispatch_ms();

}  // namespace anemone::plan
