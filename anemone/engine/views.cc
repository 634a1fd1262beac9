#include <algorithm>

#include "anemone/engine/planner.h"
#include "anemone/mil/ops/slicing.h"

// Ops that move nothing: their outputs are their input seen otherwise.
namespace anemone::engine {
namespace {

using mil::Call;
using mil::Op;
using Views = std::vector<View>;

Views view_identity(Planner& planner, const Op& op, const Call&) {
  return {planner.view(*op.find_input("x"))};
}

// reshape, squeeze, expand_dims. What strides cannot say is made row-major first.
Views view_reshape(Planner& planner, const Op& op, const Call&) {
  const mil::Value& x = *op.find_input("x");
  const Shape& shape = op.output()->type.shape;
  if (auto view = reshaped(planner.view(x), shape)) return {*view};
  return {*reshaped(planner.dense(x), shape)};
}

Views view_transpose(Planner& planner, const Op& op, const Call& call) {
  if (call.find_tensor("perm") == nullptr) return {};
  const View& x = planner.view(*op.find_input("x"));
  std::vector<std::int64_t> perm = call.integers("perm");
  for (std::int64_t& axis : perm) axis += axis < 0 ? static_cast<std::int64_t>(perm.size()) : 0;
  return {transposed(x, perm)};
}

View slice_of(const View& x, const std::vector<mil::op::AxisSlice>& slices) {
  Shape begins, extents, steps;
  for (const auto& slice : slices) {
    begins.push_back(slice.start);
    extents.push_back(slice.count);
    steps.push_back(slice.step);
  }
  return sliced(x, begins, extents, steps);
}

Views view_slice(Planner& planner, const Op& op, const Call& call) {
  const auto part = part_of(op, call, planner.view(*op.find_input("x")));
  if (!part) return {};
  return {*part};
}

Views view_split(Planner& planner, const Op& op, const Call& call) {
  if (call.find_tensor("axis") == nullptr) return {};
  const View& x = planner.view(*op.find_input("x"));
  const auto axis =
      static_cast<std::size_t>(call.axis("axis", static_cast<std::int64_t>(x.shape.size())));
  Views views;
  std::int64_t begin = 0;
  for (const auto& output : op.outputs) {
    views.push_back(sliced(x, axis, begin, output->type.shape[axis]));
    begin += output->type.shape[axis];
  }
  return views;
}

// A cast that changes no element as it is stored: between floats, but for a rounding to fp16.
Views view_cast(Planner& planner, const Op& op, const Call&) {
  const mil::Type& from = op.find_input("x")->type;
  const mil::Type& to = op.output()->type;
  const bool is_same = from.dtype == to.dtype;
  const bool is_widened = is_float(from.dtype) && is_float(to.dtype) &&
                          (to.dtype == DType::kF32 || !planner.rounds(to));
  if (!is_same && !is_widened) return {};
  return {planner.view(*op.find_input("x"))};
}

// Copies along an axis of extent 1 are that axis standing still.
Views view_tile(Planner& planner, const Op& op, const Call& call) {
  if (call.find_tensor("reps") == nullptr) return {};
  View x = planner.view(*op.find_input("x"));
  const std::vector<std::int64_t> reps = call.integers("reps");
  if (reps.size() != x.shape.size()) return {};
  for (std::size_t i = 0; i < reps.size(); ++i) {
    if (reps[i] == 1) continue;
    if (x.shape[i] != 1 || reps[i] < 1) return {};
    x.shape[i] = reps[i];
    x.strides[i] = 0;
  }
  return {x};
}

Views view_concat(Planner& planner, const Op& op, const Call&) {
  return {planner.view(*op.find_inputs("values").front())};
}

struct Row {
  std::string_view op;
  Views (*make)(Planner&, const Op&, const Call&);
};
constexpr Row kRows[] = {
    {"cast", view_cast},           {"concat", view_concat},       {"expand_dims", view_reshape},
    {"identity", view_identity},   {"reshape", view_reshape},     {"slice_by_index", view_slice},
    {"slice_by_size", view_slice}, {"split", view_split},         {"squeeze", view_reshape},
    {"tile", view_tile},           {"transpose", view_transpose},
};

const Row* find_row(std::string_view op) {
  const auto* found = std::find_if(std::begin(kRows), std::end(kRows),
                                   [&](const Row& row) { return row.op == op; });
  return found == std::end(kRows) ? nullptr : found;
}

}  // namespace

std::optional<View> part_of(const Op& op, const Call& call, const View& x) {
  if (call.find_tensor("begin") == nullptr) return std::nullopt;
  if (op.type() == "slice_by_size") {
    std::vector<std::int64_t> begins = call.integers("begin");
    for (std::size_t i = 0; i < begins.size(); ++i) begins[i] += begins[i] < 0 ? x.shape[i] : 0;
    const Shape steps(begins.size(), 1);
    return sliced(x, begins, op.output()->type.shape, steps);
  }
  if (call.find_tensor("end") == nullptr) return std::nullopt;
  const auto slices = mil::op::solve_slices(call);
  const View whole = slice_of(x, slices);
  View out = whole;
  out.shape.clear();
  out.strides.clear();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (slices[i].squeezed) continue;
    out.shape.push_back(whole.shape[i]);
    out.strides.push_back(whole.strides[i]);
  }
  return out;
}

const mil::Value* viewed(const Op& op) {
  if (find_row(op.type()) == nullptr) return nullptr;
  if (op.type() != "concat") return op.find_input("x");
  const auto values = op.find_inputs("values");
  return values.size() == 1 ? values.front() : nullptr;
}

std::vector<View> views_of(Planner& planner, const Op& op, const Call& call) {
  return find_row(op.type())->make(planner, op, call);
}

}  // namespace anemone::engine
