#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

// Two mixtures in float of numbers of at most 1.
constexpr Tolerance kMixed{3, 1};

TEST(ResampleKernel, ResizesBilinearlyInEveryMode) {
  Numbers numbers(1);
  for (const char* mode :
       {"STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "UNALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS"}) {
    for (const auto& [height, width] : {std::pair<int, int>{1, 1}, {9, 40}, {3, 5}, {2, 3}}) {
      check_op(
          {"resize_bilinear",
           "resample",
           {{"x", numbers.tensor(DType::kF16, {2, 3, 5, 17})}},
           {{"target_size_height", height}, {"target_size_width", width}, {"sampling_mode", mode}},
           kMixed});
    }
  }
}

TEST(ResampleKernel, Upsamples) {
  Numbers numbers(2);
  const Tensor x = numbers.tensor(DType::kF16, {1, 4, 6, 6});
  for (const bool align : {false, true}) {
    check_op({"upsample_bilinear",
              "resample",
              {{"x", x}},
              {{"scale_factor_height", 2}, {"scale_factor_width", 3}, {"align_corners", align}},
              kMixed});
    check_op({"upsample_bilinear",
              "resample",
              {{"x", x}},
              {{"scale_factor_height", 2},
               {"scale_factor_width", 2},
               {"align_corners", false},
               {"half_pixel_centers", align}},
              kMixed});
  }
  check_op({"upsample_nearest_neighbor",
            "resample",
            {{"x", x}},
            {{"scale_factor_height", 2}, {"scale_factor_width", 3}},
            {}});
  check_op({"resize_nearest_neighbor",
            "resample",
            {{"x", x}},
            {{"target_size_height", 4}, {"target_size_width", 9}},
            {}});
}

}  // namespace
}  // namespace anemone::engine
