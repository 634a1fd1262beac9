#include "anemone/engine/strictness.h"

namespace anemone::engine {
namespace {

constexpr HazardDef kHazards[] = {
    {Hazard::kProductRange, "product-range",
     "results of conv, linear and matmul from 32,752 on, half of what fp16 holds, become infinite",
     "ANEForge docs/numeric-cliffs.md, measured on M1 to M5 through private interfaces"},
    {Hazard::kInnerOverflow, "inner-overflow",
     "squares inside layer_norm and reduce_sum_square, and sums inside the reduce ops, that pass "
     "65,504 become infinite",
     "apple/ml-ane-transformers reference/layer_norm.py (clip_mag); coremltools 9.0, comment on "
     "rms_norm"},
    {Hazard::kSubnormals, "subnormals", "results and constants below 2^-14 become zero",
     "derived, measured by nobody we know: an epsilon of 1e-6 is subnormal in fp16"},
    {Hazard::kSliceRange, "slice-range",
     "elements beyond 4,094 that are sliced off the last axis from anywhere but its start become "
     "infinite",
     "ANEForge _op_catalog.py, measured on M1"},
    {Hazard::kInt8Range, "int8-range", "inputs of products with int8 weights are cut off at 4,094",
     "ANEForge _targets.py, measured on M1 Max, M2 Pro, M5 Pro"},
    {Hazard::kMaskedInfinity, "masked-infinity", "a softmax over a row that holds -inf gives NaN",
     "apple/coreai-models neural_engine_rules.md, which says so without details"},
};

}  // namespace

std::span<const HazardDef> all_hazards() { return kHazards; }

const HazardDef* find_hazard(std::string_view name) {
  for (const HazardDef& def : kHazards) {
    if (def.name == name) return &def;
  }
  return nullptr;
}

}  // namespace anemone::engine
