#include <sstream>

#include "anemone/mil/ops/elements.h"

namespace anemone::mil {
namespace op::range_1d {

constexpr InputDef kInputs[] = {
    {.name = "end", .dtypes = kNumbers, .max_rank = 0, .domain = 'T'},
    {.name = "start", .dtypes = kNumbers, .max_rank = 0, .domain = 'T'},
    {.name = "step", .dtypes = kNumbers, .max_rank = 0, .domain = 'T'},
};

std::vector<Type> infer(const Call& call) {
  const DType dtype = call.dtype("start");
  for (const InputDef& input : kInputs) {
    if (call.find_tensor(input.name) == nullptr) return {Type::tensor(dtype, {kUnknown})};
  }
  // Each step rounded to the dtype, as the converter counts.
  // Source: coremltools 9.0, mil/ops/defs/iOS15/tensor_operation.py.
  const auto rounded = [&](double value) {
    return is_float(dtype) ? Tensor::scalar(dtype, value).number(0) : value;
  };
  const double step = call.number("step");
  const double span = rounded(call.number("end") - call.number("start"));
  const double count = std::ceil(rounded(span / step));
  if (step == 0 || !(count < 0x1p48)) {
    std::ostringstream text;
    text << "counts from " << call.number("start") << " to " << call.number("end") << " by "
         << step;
    call.fail(text.str());
  }
  return {Type::tensor(dtype, {count > 0 ? static_cast<std::int64_t>(count) : 0})};
}

std::vector<Tensor> eval(const Call& call) {
  const Type type = resolved_type(call);
  std::vector<double> y(static_cast<std::size_t>(type.shape[0]));
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = call.number("start") + static_cast<double>(i) * call.number("step");
  }
  return {Tensor::from_doubles(type.dtype, type.shape, y)};
}

}  // namespace op::range_1d

ANEMONE_DEFINE_OP(range_1d) = {
    .name = "range_1d",
    .says = "start, start + step, ... before end",
    .inputs = op::range_1d::kInputs,
    .infer = op::range_1d::infer,
    .eval = op::range_1d::eval,
};

}  // namespace anemone::mil
