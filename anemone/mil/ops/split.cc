#include "anemone/mil/ops/slicing.h"

namespace anemone::mil {
namespace op::split {

constexpr InputDef kInputs[] = {
    {.name = "x", .dtypes = kMovable, .min_rank = 1},
    {.name = "num_splits", .dtypes = kInt32, .max_rank = 0, .is_const = true, .is_optional = true},
    {.name = "split_sizes",
     .dtypes = kInt32,
     .min_rank = 1,
     .max_rank = 1,
     .is_const = true,
     .is_optional = true},
    {.name = "axis", .dtypes = kInt32, .max_rank = 0, .is_const = true},
};

constexpr std::int64_t kMostParts = 65536;

// The extent of each part along the axis.
std::vector<std::int64_t> sizes(const Call& call, std::int64_t extent) {
  auto given = call.find_integers("split_sizes");
  if (!given && !call.has("num_splits")) {
    call.fail("lacks both parameters 'num_splits' and 'split_sizes'");
  }
  const std::int64_t count = call.has("num_splits") ? call.integer("num_splits")
                                                    : static_cast<std::int64_t>(given->size());
  if (count < 1 || count > kMostParts) {
    call.fail("splits into " + std::to_string(count) + " parts; allowed: 1 to " +
              std::to_string(kMostParts));
  }
  if (!given) {
    if (extent != kUnknown && extent % count != 0) {
      call.fail("splits an axis of " + std::to_string(extent) + " into " + std::to_string(count) +
                " equal parts");
    }
    return Shape(static_cast<std::size_t>(count), extent == kUnknown ? kUnknown : extent / count);
  }
  std::int64_t sum = 0;
  for (const std::int64_t size : *given) {
    if (size < 0) call.fail("parameter 'split_sizes' holds " + std::to_string(size));
    sum += size;
  }
  if (count != static_cast<std::int64_t>(given->size()) || !may_equal(sum, extent)) {
    call.fail("parameter 'split_sizes' has " + std::to_string(given->size()) +
              " values that add up to " + std::to_string(sum) + "; expected " +
              std::to_string(count) + " that add up to " + std::to_string(extent));
  }
  return *given;
}

std::vector<Type> infer(const Call& call) {
  const Type& x = call.type("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  std::vector<Type> parts;
  for (const std::int64_t size : sizes(call, x.shape[axis])) {
    parts.push_back(x);
    parts.back().shape[axis] = size;
  }
  return parts;
}

std::vector<Tensor> eval(const Call& call) {
  const Tensor& x = call.tensor("x");
  const auto axis = static_cast<std::size_t>(call.axis("axis", x.rank()));
  const Shape strides = row_major_strides(x.shape());
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes(call, x.shape()[axis])) {
    Shape shape = x.shape();
    shape[axis] = size;
    parts.push_back(rearranged(
        x, shape, [&](const Shape& index) { return dot(index, strides) + start * strides[axis]; }));
    start += size;
  }
  return parts;
}

}  // namespace op::split

ANEMONE_DEFINE_OP(split) = {
    .name = "split",
    .says = "x cut along axis into num_splits equal parts or parts of split_sizes",
    .inputs = op::split::kInputs,
    .infer = op::split::infer,
    .eval = op::split::eval,
};

}  // namespace anemone::mil
