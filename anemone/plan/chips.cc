#include "anemone/plan/chips.h"

#include <cctype>
#include <string>

#include "anemone/base/error.h"

namespace anemone::plan {
namespace {

constexpr std::string_view kBench =
    "Anemll/anemll-bench Results.MD at 5c434f2, llama_lm_head; its two columns disagree by up to "
    "15 %";
constexpr std::string_view kMobius =
    "FluidInference/mobius qwen3-0.6b: 1.19 GB of weights in a prefill of 12.5 ms";

// Weights per second: what the bench states, and 15 % to either side.
constexpr Constant bandwidth(double gb_per_s) {
  return {.value = {0.85 * gb_per_s, gb_per_s, 1.15 * gb_per_s}, .unit = "GB/s", .source = kBench};
}

constexpr std::string_view kM1 =
    "matrix products 2.7 to 4.3 (ANEForge ROOFLINES.md), peak about 12 (arXiv 2606.22283)";
constexpr std::string_view kM2 = "matrix products 3.4 on an M2 Pro (ANEForge ROOFLINES.md)";
constexpr std::string_view kM3 =
    "convolutions 9.98, 16.77 at larger extents, on an M3 Pro (maderix/ANE)";
constexpr std::string_view kM4 =
    "matrix products 5.4 (ANEForge ROOFLINES.md), convolutions 18.6 to 19 (maderix/ANE)";
constexpr std::string_view kM4Pro = "convolutions 12.57 (maderix/ANE); 18.6 to 19 on an M4";
constexpr std::string_view kM5 =
    "matrix products 8.7 (ANEForge ROOFLINES.md), convolutions 12.2 (maderix/ANE)";
constexpr std::string_view kM5Pro =
    "matrix products 10.0 (ANEForge ROOFLINES.md), peak 18.8 (maderix/ANE)";

constexpr Constant compute(Range tflops, std::string_view source, bool is_derived = false) {
  return {.value = tflops, .unit = "TFLOP/s", .source = source, .is_derived = is_derived};
}
constexpr Range kTflopsM1 = {2.7, 4.3, 12};
constexpr Range kTflopsM2 = {3.4, 3.4, 12};
constexpr Range kTflopsM3 = {9.98, 9.98, 16.77};
constexpr Range kTflopsM4 = {5.4, 12.57, 19};
constexpr bool kDerived = true;

constexpr Chip kChips[] = {
    {"M1", bandwidth(60.87), compute(kTflopsM1, kM1)},
    {"M1 Pro", bandwidth(54.90), compute(kTflopsM1, kM1, kDerived)},
    {"M1 Max", bandwidth(54.62), compute({2.7, 4.6, 12}, kM1, kDerived)},
    {"M1 Ultra", bandwidth(54.72), compute(kTflopsM1, kM1, kDerived)},
    {"M2", bandwidth(60.45), compute(kTflopsM2, kM2, kDerived)},
    {"M2 Max", bandwidth(62.01), compute(kTflopsM2, kM2, kDerived)},
    {"M2 Ultra", bandwidth(61.68), compute(kTflopsM2, kM2, kDerived)},
    {"M3", bandwidth(63.10), compute(kTflopsM3, kM3, kDerived)},
    {"M3 Max", bandwidth(120.22), compute(kTflopsM3, kM3, kDerived)},
    {"M4", bandwidth(64.18), compute(kTflopsM4, kM4)},
    {"M4 Pro", bandwidth(126.36), compute(kTflopsM4, kM4Pro)},
    {"M4 Max", bandwidth(118.88), compute(kTflopsM4, kM4Pro, kDerived)},
    {"M5", bandwidth(70.21), compute({8.7, 12.2, 12.2}, kM5)},
    {"M5 Pro",
     {.value = {70, 95, 125}, .unit = "GB/s", .source = kMobius, .is_derived = true},
     compute({9.0, 10.0, 18.8}, kM5Pro)},
};

constexpr Constant kDispatch = {
    .value = {0.1, 0.3, 0.5},
    .unit = "ms",
    .source =
        "0.1 without Core ML (maderix/ANE, M4); 0.2 to 0.38 for a small head in Core ML "
        "(aosama/astronomical issue 540); under 0.5 a chunk (john-rocky/CoreML-LLM)"};

std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != ' ' && c != '-' && c != '_') {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return text.starts_with("apple") ? text.substr(5) : text;
}

}  // namespace

std::span<const Chip> all_chips() { return kChips; }

const Chip& chip_named(std::string_view name) {
  std::string names;
  for (const Chip& chip : kChips) {
    if (plain(chip.name) == plain(name)) return chip;
    names += (names.empty() ? "" : ", ") + std::string(chip.name);
  }
  throw Error(Code::kUsage, "nothing is known of the Neural Engine of '" + std::string(name) +
                                "'; known: " + names);
}

const Constant& dispatch_ms() { return kDispatch; }

}  // namespace anemone::plan
