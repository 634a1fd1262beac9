#include "anemone/mil/cost.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

// Hostile types may multiply to more than 64 bits hold; sums and products stop at the largest.
std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}
std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

std::uint64_t elements(const Shape& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent >= 0) count = times(count, static_cast<std::uint64_t>(extent));
  }
  return count;
}
std::uint64_t elements(const Value* value) { return value ? elements(value->type.shape) : 0; }

std::uint64_t extent(const Value* value, std::int64_t axis) {
  if (value == nullptr) return 1;
  const Shape& shape = value->type.shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return 1;
  const std::int64_t n = shape[static_cast<std::size_t>(axis)];
  return n < 0 ? 1 : static_cast<std::uint64_t>(n);
}

bool flag(const Op& op, std::string_view parameter) {
  const Value* value = op.find_input(parameter);
  return value != nullptr && value->constant != nullptr && value->constant->count() == 1 &&
         value->constant->integer(0) != 0;
}

template <std::size_t n>
bool is_one_of(std::string_view type, const std::array<std::string_view, n>& types) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

// They give a value another type or name and touch no element.
constexpr std::array<std::string_view, 6> kRenaming = {"reshape",  "expand_dims", "squeeze",
                                                       "identity", "read_state",  "write_state"};
// They read no more than they write.
constexpr std::array<std::string_view, 5> kPartial = {"slice_by_index", "slice_by_size", "gather",
                                                      "gather_along_axis", "gather_nd"};
// They move elements and compute nothing.
constexpr std::array<std::string_view, 26> kMoving = {
    "const",     "concat",         "split",          "stack",  "transpose",    "pad",
    "tile",      "fill",           "fill_like",      "gather", "gather_nd",    "gather_along_axis",
    "shape",     "slice_by_index", "slice_by_size",  "cast",   "range_1d",     "reverse",
    "band_part", "space_to_depth", "depth_to_space", "crop",   "slice_update", "pixel_shuffle",
    "flatten2d", "reshape_like"};
// What the others do to each element of their largest operand, roughly.
struct PerElement {
  std::string_view type;
  std::uint64_t flops;
};
constexpr std::array<PerElement, 12> kPerElement = {{{"softmax", 5},
                                                     {"layer_norm", 8},
                                                     {"instance_norm", 8},
                                                     {"batch_norm", 4},
                                                     {"l2_norm", 4},
                                                     {"local_response_norm", 8},
                                                     {"silu", 5},
                                                     {"sigmoid", 4},
                                                     {"tanh", 4},
                                                     {"gelu", 8},
                                                     {"softplus", 4},
                                                     {"erf", 4}}};

// Of a product: two for each output and each element that is summed over.
std::uint64_t product_flops(const Op& op) {
  const std::string_view type = op.type();
  const Value* out = op.outputs.empty() ? nullptr : op.output();
  const Value* x = op.find_input("x");
  std::uint64_t summed = 0;
  if (type == "linear") {
    summed = extent(x, -1);
  } else if (type == "matmul") {
    summed = extent(x, flag(op, "transpose_x") ? -2 : -1);
  } else if (type == "conv") {
    const Value* weight = op.find_input("weight");
    summed = elements(weight) / std::max<std::uint64_t>(1, extent(weight, 0));
  } else if (type == "conv_transpose") {
    // Every input element meets a kernel for each output channel of its group.
    const Value* weight = op.find_input("weight");
    return times(
        2, times(elements(x), elements(weight) / std::max<std::uint64_t>(1, extent(weight, 0))));
  } else if (type == "einsum") {
    // Both equations that MIL knows sum over the last axis of the first operand.
    const auto values = op.find_inputs("values");
    if (values.size() == 2) summed = extent(values[0], -1);
  } else if (type == "scaled_dot_product_attention") {
    const Value* query = op.find_input("query");
    const Value* key = op.find_input("key");
    const Value* value = op.find_input("value");
    const std::uint64_t scores =
        times(elements(query) / std::max<std::uint64_t>(1, extent(query, -1)), extent(key, -2));
    return times(scores, plus(times(2, plus(extent(query, -1), extent(value, -1))), 5));
  }
  return times(2, times(elements(out), summed));
}

bool is_product(std::string_view type) {
  return is_one_of(
      type, std::array<std::string_view, 6>{"linear", "matmul", "conv", "conv_transpose", "einsum",
                                            "scaled_dot_product_attention"});
}

// Axes, shapes and flags are parameters, not data.
bool is_data(DType dtype) {
  return dtype != DType::kI32 && dtype != DType::kBool && dtype != DType::kString;
}

std::uint64_t flops_of(const Op& op) {
  const std::string_view type = op.type();
  if (is_product(type)) return product_flops(op);
  if (is_one_of(type, kMoving) || is_one_of(type, kRenaming) || type.starts_with("constexpr_")) {
    return 0;
  }
  std::uint64_t largest = 0;
  for (const auto& output : op.outputs) largest = std::max(largest, elements(output.get()));
  for (const Input& input : op.inputs) {
    for (const Value* value : input.values) {
      if (!value->is_constant()) largest = std::max(largest, elements(value));
    }
  }
  for (const PerElement& row : kPerElement) {
    if (row.type == type) return times(row.flops, largest);
  }
  return largest;
}

}  // namespace

Cost& Cost::operator+=(const Cost& other) {
  read_bytes = plus(read_bytes, other.read_bytes);
  written_bytes = plus(written_bytes, other.written_bytes);
  weight_bytes = plus(weight_bytes, other.weight_bytes);
  flops = plus(flops, other.flops);
  is_exact = is_exact && other.is_exact;
  return *this;
}

std::uint64_t size_bytes(const Type& type) {
  if (type.kind != Type::Kind::kTensor && type.kind != Type::Kind::kState) return 0;
  const auto bits = static_cast<std::uint64_t>(width_bits(type.dtype));
  return (plus(times(elements(type.shape), bits), 7)) / 8;
}

bool is_fixed(const Value& value) {
  return value.is_constant() ||
         (value.producer != nullptr && value.producer->type().starts_with("constexpr_"));
}

std::uint64_t stored_bytes(const Value& value) {
  if (value.producer != nullptr && value.producer->type().starts_with("constexpr_")) {
    std::uint64_t sum = 0;
    for (const Input& input : value.producer->inputs) {
      for (const Value* part : input.values) sum = plus(sum, stored_bytes(*part));
    }
    return sum;
  }
  return value.is_constant() ? size_bytes(value.type) : 0;
}

Cost cost_of(const Op& op) {
  Cost cost;
  const std::string_view type = op.type();
  if (type == "const" || type.starts_with("constexpr_")) return cost;
  const bool renames = is_one_of(type, kRenaming);
  const bool is_partial = is_one_of(type, kPartial);
  std::uint64_t outputs = 0;
  for (const auto& output : op.outputs) {
    outputs = plus(outputs, size_bytes(output->type));
    cost.is_exact = cost.is_exact && output->type.is_static();
  }
  if (!renames) cost.written_bytes = outputs;
  for (const Input& input : op.inputs) {
    for (const Value* value : input.values) {
      if (value->type.is_tensor()) cost.is_exact = cost.is_exact && value->type.is_static();
      if (renames || value->type.is_state()) continue;
      const bool is_partly_read = is_partial && input.name == "x";
      if (is_fixed(*value)) {
        if (!is_data(value->type.dtype)) continue;
        const std::uint64_t stored = stored_bytes(*value);
        cost.weight_bytes =
            plus(cost.weight_bytes, is_partly_read ? std::min(stored, outputs) : stored);
      } else if (type == "slice_update" && input.name == "x") {
        continue;  // only the rows that are replaced are touched
      } else {
        const std::uint64_t size = size_bytes(value->type);
        cost.read_bytes = plus(cost.read_bytes, is_partly_read ? std::min(size, outputs) : size);
      }
    }
  }
  if (type == "slice_update") {
    const Value* update = op.find_input("update");
    cost.written_bytes = update != nullptr ? size_bytes(update->type) : 0;
  }
  cost.flops = flops_of(op);
  for (const auto& block : op.blocks) {
    for (const auto& nested : block->ops) cost += cost_of(*nested);
  }
  return cost;
}

}  // namespace anemone::mil
