#include <limits>

#include "anemone/engine/testing.h"

namespace anemone::engine {
namespace {

using Ints = std::vector<std::int64_t>;

// At most 36 terms in float, and a division or a root.
constexpr Tolerance kFew{3, 1};

void check_pools(const Tensor& x, const mil::Builder::Bindings& constants) {
  for (const char* op : {"avg_pool", "l2_pool", "max_pool"}) {
    check_op({op, "pool", {{"x", x}}, constants, kFew});
  }
}

TEST(PoolKernel, SlidesWindows) {
  Numbers numbers(1);
  for (const std::int64_t width : {2, 7, 16, 33, 130}) {
    const Tensor x = numbers.tensor(DType::kF16, {2, 3, 5, width}, -4, 4);
    check_pools(x, {{"kernel_sizes", Ints{2, 2}}, {"strides", Ints{2, 2}}, {"pad_type", "valid"}});
    check_pools(x, {{"kernel_sizes", Ints{3, 2}}, {"pad_type", "valid"}});
  }
  check_pools(numbers.tensor(DType::kF16, {1, 3, 64, 1}),
              {{"kernel_sizes", Ints{2, 1}}, {"strides", Ints{2, 1}}, {"pad_type", "valid"}});
  check_pools(numbers.tensor(DType::kF16, {1, 3, 64}),
              {{"kernel_sizes", Ints{5}}, {"strides", Ints{3}}, {"pad_type", "valid"}});
}

TEST(PoolKernel, PadsAndCeils) {
  Numbers numbers(2);
  const Tensor x = numbers.tensor(DType::kF16, {1, 2, 9, 11}, -4, -1);
  for (const char* pad_type : {"same", "same_lower", "valid"}) {
    check_pools(x, {{"kernel_sizes", Ints{3, 4}}, {"strides", Ints{2, 3}}, {"pad_type", pad_type}});
  }
  for (const bool ceil : {false, true}) {
    check_pools(x, {{"kernel_sizes", Ints{4, 3}},
                    {"strides", Ints{3, 2}},
                    {"pad_type", "custom"},
                    {"pad", Ints{1, 1, 2, 2}},
                    {"ceil_mode", ceil}});
    for (const bool exclude : {false, true}) {
      check_op({"avg_pool",
                "pool",
                {{"x", x}},
                {{"kernel_sizes", Ints{4, 3}},
                 {"strides", Ints{3, 2}},
                 {"pad_type", "custom"},
                 {"pad", Ints{2, 2, 2, 2}},
                 {"ceil_mode", ceil},
                 {"exclude_padding_from_average", exclude}},
                kFew});
    }
  }
  // With a last axis of one element, the other axis' padding still counts.
  for (const bool exclude : {false, true}) {
    check_op({"avg_pool",
              "pool",
              {{"x", numbers.tensor(DType::kF16, {1, 2, 9, 1})}},
              {{"kernel_sizes", Ints{4, 1}},
               {"strides", Ints{3, 1}},
               {"pad_type", "custom"},
               {"pad", Ints{2, 3, 0, 0}},
               {"exclude_padding_from_average", exclude}},
              kFew});
  }
}

TEST(PoolKernel, LetsNoNumberThatIsNoneWin) {
  std::vector<double> values = {1, std::numeric_limits<double>::quiet_NaN(), -3,
                                2, std::numeric_limits<double>::quiet_NaN(), -1};
  check_op({"max_pool",
            "pool",
            {{"x", Tensor::from_doubles(DType::kF16, {1, 1, 6}, values)}},
            {{"kernel_sizes", Ints{2}}, {"pad_type", "valid"}},
            {}});
}

TEST(PoolKernel, LeavesThreeSpatialAxesAlone) {
  Numbers numbers(3);
  check_op({"max_pool",
            "eval",
            {{"x", numbers.tensor(DType::kF16, {1, 2, 3, 4, 5})}},
            {{"kernel_sizes", Ints{2, 2, 2}}, {"pad_type", "valid"}},
            {}});
}

}  // namespace
}  // namespace anemone::engine
