#include "anemone/engine/run_time_slice.h"

#include "anemone/base/error.h"
#include "anemone/mil/ops/slicing.h"

namespace anemone::engine {
namespace {

bool can_read(DType stored) {
  return stored == DType::kI32 || stored == DType::kI16 || stored == DType::kI8;
}

std::vector<bool> mask(const mil::Call& call, std::string_view parameter, std::size_t rank) {
  std::vector<bool> bits(rank, false);
  if (call.def().find_input(parameter) == nullptr) return bits;
  if (const auto given = call.find_integers(parameter)) {
    for (std::size_t i = 0; i < rank; ++i) bits[i] = (*given)[i] != 0;
  }
  return bits;
}

}  // namespace

bool RunTimeSlice::can(const Lowering& l) {
  for (const std::string_view parameter : {"begin", "end"}) {
    if (!l.has(parameter) || l.constant(parameter) != nullptr) continue;
    if (!can_read(l.view(parameter).stored)) return false;
  }
  // A size that only a call brings would be an extent that only a call brings.
  return !l.has("size") || l.constant("size") != nullptr;
}

std::optional<RunTimeSlice::Bounds> RunTimeSlice::bounds(Lowering& l, std::string_view parameter) {
  Bounds bounds;
  if (const Tensor* known = l.constant(parameter)) {
    bounds.fixed = known->to_ints();
    return bounds;
  }
  const View view = l.dense(parameter);
  bounds.stored = view.stored;
  bounds.operand = l.read(view);
  return bounds;
}

std::optional<RunTimeSlice> RunTimeSlice::make(Lowering& l, const View& x, const Shape& extents) {
  if (!can(l)) return std::nullopt;
  const std::size_t rank = x.shape.size();
  RunTimeSlice slice;
  slice.where_ = l.call().where();
  slice.x_shape_ = x.shape;
  slice.extents_ = extents;
  slice.begin_ = *bounds(l, "begin");
  if (l.has("end")) slice.end_ = bounds(l, "end");
  slice.steps_.assign(rank, 1);
  if (l.has("stride")) slice.steps_ = l.call().integers("stride");
  slice.begin_masked_ = mask(l.call(), "begin_mask", rank);
  slice.end_masked_ = mask(l.call(), "end_mask", rank);
  slice.squeezed_ = mask(l.call(), "squeeze_mask", rank);
  slice.part_ = x;
  slice.part_.shape = extents;
  for (std::size_t i = 0; i < rank; ++i) {
    slice.x_strides_.push_back(x.strides[i] * (width_bits(x.stored) / 8));
    slice.part_.strides[i] = x.strides[i] * slice.steps_[i];
  }
  return slice;
}

std::int64_t RunTimeSlice::Bounds::at(const Run& run, std::size_t axis) const {
  if (operand < 0) return fixed[axis];
  switch (stored) {
    case DType::kI8:
      return run.in<std::int8_t>(operand)[axis];
    case DType::kI16:
      return run.in<std::int16_t>(operand)[axis];
    default:
      return run.in<std::int32_t>(operand)[axis];
  }
}

void RunTimeSlice::fail(std::size_t axis, std::int64_t begin, std::int64_t count) const {
  throw Error(Code::kBadInput, where_ + ": takes " + std::to_string(count) + " elements from " +
                                   std::to_string(begin) + " on along axis " +
                                   std::to_string(axis) + ", which has " +
                                   std::to_string(x_shape_[axis]) + "; the plan needs " +
                                   std::to_string(extents_[axis]));
}

std::int64_t RunTimeSlice::offset_bytes(const Run& run) const {
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < x_shape_.size(); ++i) {
    const std::int64_t begin = begin_.at(run, i);
    const std::int64_t extent = x_shape_[i];
    std::int64_t start = 0;
    if (!end_ || squeezed_[i]) {
      // slice_by_size, or one element.
      start = begin_masked_[i] ? 0 : begin < 0 ? begin + extent : begin;
      if (start < 0 || extents_[i] > extent - start) fail(i, begin, extents_[i]);
    } else {
      mil::op::AxisBounds bounds;
      bounds.begin = begin;
      bounds.end = end_->at(run, i);
      bounds.stride = steps_[i];
      bounds.begin_masked = begin_masked_[i];
      bounds.end_masked = end_masked_[i];
      const mil::op::AxisSlice slice = mil::op::solve_axis(bounds, extent);
      if (slice.count != extents_[i]) fail(i, begin, slice.count);
      start = slice.start;
    }
    offset += start * x_strides_[i];
  }
  return offset;
}

}  // namespace anemone::engine
