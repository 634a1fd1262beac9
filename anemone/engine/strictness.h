#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace anemone::engine {

// What is reported of the Neural Engine's arithmetic beyond rounding each op's result to fp16. Each
// can be switched on by itself; together they are a pessimist's view, not a model of the hardware.
enum class Hazard : std::uint8_t {
  kProductRange,
  kInnerOverflow,
  kSubnormals,
  kSliceRange,
  kInt8Range,
  kMaskedInfinity,
};

struct HazardDef {
  Hazard hazard;
  std::string_view name;    // "product-range"
  std::string_view says;    // what the engine does under it
  std::string_view source;  // who says so, and of which hardware
};
std::span<const HazardDef> all_hazards();
const HazardDef* find_hazard(std::string_view name);

// In Arithmetic::kFloat16 only: how much stricter the engine is than fp16 results alone ask for.
// Anything here makes it slow: ops run one by one, with scalar loops.
struct Strictness {
  // Sums inside conv (with a kernel of one element), linear, matmul, layer_norm, softmax and the
  // reduce ops are rounded to fp16 after every addition, in rising order: no hardware is known to
  // do worse.
  bool rounds_sums = false;
  std::uint32_t hazards = 0;  // a bit for each

  bool has(Hazard hazard) const { return (hazards >> static_cast<unsigned>(hazard) & 1u) != 0; }
  void add(Hazard hazard) { hazards |= 1u << static_cast<unsigned>(hazard); }
  bool any() const { return rounds_sums || hazards != 0; }
};

}  // namespace anemone::engine
