#include "anemone/mil/ops/lists.h"

namespace anemone::mil {
namespace op::make_list {

constexpr InputDef kInputs[] = {
    {.name = "init_length", .dtypes = kInt32, .max_rank = 0, .otherwise = std::int64_t{1}},
    {.name = "dynamic_length",
     .dtypes = kBools,
     .max_rank = 0,
     .is_const = true,
     .otherwise = true},
    // Extents; a word stands for one that is not known.
    {.name = "elem_shape",
     .dtypes = kInt32 | kStrings,
     .max_rank = 0,
     .is_const = true,
     .is_variadic = true},
    {.name = "dtype",
     .dtypes = kStrings,
     .max_rank = 0,
     .is_const = true,
     .otherwise = std::string_view("fp32")},
};

std::vector<Type> infer(const Call& call) {
  constexpr std::string_view kAllowed[] = {"fp16", "fp32", "int32", "bool"};
  const DType dtype = *find_dtype_by_name(one_of(call, "dtype", kAllowed));
  Shape shape;
  for (const Argument& extent : call.arguments("elem_shape")) {
    if (extent.value->dtype() == DType::kString) {
      shape.push_back(kUnknown);
      continue;
    }
    const std::int64_t known = extent.value->resident().integer(0);
    if (known < -1) {
      call.fail("parameter 'elem_shape' holds " + std::to_string(known));
    }
    shape.push_back(known);
  }
  std::int64_t length = kUnknown;
  const bool is_known = !call.has("init_length") || call.find_tensor("init_length") != nullptr;
  if (is_known) length = call.integer("init_length");
  if (is_known && length < 0) call.fail("parameter 'init_length' is " + std::to_string(length));
  if (call.boolean("dynamic_length")) length = kUnknown;
  return {Type::list(dtype, shape, length)};
}

}  // namespace op::make_list

ANEMONE_DEFINE_OP(make_list) = {
    .name = "make_list",
    .says = "a list of init_length tensors, which may grow if dynamic_length",
    .inputs = op::make_list::kInputs,
    .infer = op::make_list::infer,
};

}  // namespace anemone::mil
