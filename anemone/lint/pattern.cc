#include "anemone/lint/pattern.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <unordered_set>

namespace anemone::lint {

namespace {

bool is_transparent(const mil::Op& op) {
  return is_type(&op, {"reshape", "transpose", "expand_dims", "squeeze", "cast", "identity"});
}

// Enough for any path that a rule cares about; keeps a pass linear.
constexpr int kSteps = 4096;

bool is_small(const mil::Value* value, std::int64_t limit) {
  return value != nullptr && value->is_constant() && value->constant->dtype() != DType::kString &&
         value->constant->count() <= limit;
}

}  // namespace

bool is_type(const mil::Op* op, std::initializer_list<std::string_view> types) {
  return op != nullptr && std::find(types.begin(), types.end(), op->type()) != types.end();
}

const mil::Value* find_weight(const mil::Op& op) {
  if (is_type(&op, {"conv", "conv_transpose", "linear"})) {
    const mil::Value* weight = op.find_input("weight");
    return weight != nullptr && mil::is_fixed(*weight) ? weight : nullptr;
  }
  if (op.type() != "matmul") return nullptr;
  for (const std::string_view side : {"y", "x"}) {
    const mil::Value* value = op.find_input(side);
    if (value != nullptr && mil::is_fixed(*value) && value->type.rank() >= 2) return value;
  }
  return nullptr;
}

Granularity granularity(const mil::Value& data, const mil::Value& scale) {
  int axes = 0;
  for (std::size_t axis = 0; axis < scale.type.shape.size(); ++axis) {
    const std::int64_t scales = axis_extent(scale, axis);
    if (scales == 1) continue;
    if (scales != axis_extent(data, axis) || ++axes > 1) return Granularity::kBlocks;
  }
  return axes == 0 ? Granularity::kOne : Granularity::kPerSlice;
}

std::int64_t output_channels(const mil::Op& op) {
  if (find_weight(op) == nullptr || op.outputs.empty()) return 0;
  const bool is_conv = is_type(&op, {"conv", "conv_transpose"});
  return is_conv ? axis_extent(*op.output(), 1) : extent(*op.output(), -1);
}

std::int64_t summed_channels(const mil::Op& op) {
  const mil::Value* weight = find_weight(op);
  const mil::Value* x = op.find_input("x");
  if (weight == nullptr || x == nullptr) return 0;
  if (op.type() == "conv") {
    return elements(*weight) / std::max<std::int64_t>(1, axis_extent(*weight, 0));
  }
  if (op.type() != "matmul") return extent(*weight, op.type() == "linear" ? -1 : -4);
  const auto flag = find_number(op.find_input("transpose_x"));
  return extent(*x, flag.value_or(0) != 0 ? -2 : -1);
}

std::int64_t product_rows(const mil::Op& op) {
  const std::int64_t outputs = output_channels(op);
  if (outputs < 1) return 0;
  const auto& shape = op.output()->type.shape;
  if (std::any_of(shape.begin(), shape.end(), [](std::int64_t n) { return n < 0; })) {
    return kUnknown;
  }
  const std::int64_t batch = is_type(&op, {"conv"}) ? axis_extent(*op.output(), 0) : 1;
  return elements(*op.output()) / outputs / std::max<std::int64_t>(1, batch);
}

std::optional<double> find_number(const mil::Value* value) {
  if (!is_small(value, 1) || value->constant->count() != 1) return std::nullopt;
  return value->constant->resident().number(0);
}

std::optional<std::vector<std::int64_t>> find_integers(const mil::Value* value) {
  if (!is_small(value, 64)) return std::nullopt;
  if (is_float(value->constant->dtype())) return std::nullopt;
  return value->constant->resident().to_ints();
}

bool any_element(const mil::Value& value, std::int64_t limit, bool (*is)(double)) {
  if (!is_small(&value, limit)) return false;
  const std::vector<double> numbers = value.constant->resident().to_doubles();
  return std::any_of(numbers.begin(), numbers.end(), is);
}

std::int64_t extent(const mil::Value& value, std::int64_t from_end) {
  const std::int64_t at = value.type.rank() + from_end;
  return at < 0 || at >= value.type.rank() ? 1 : value.type.shape[static_cast<std::size_t>(at)];
}

std::int64_t axis_extent(const mil::Value& value, std::size_t axis) {
  return axis < value.type.shape.size() ? value.type.shape[axis] : 1;
}

std::int64_t times(std::int64_t a, std::int64_t b) {
  a = std::max<std::int64_t>(a, a < 0 ? 1 : 0);
  b = std::max<std::int64_t>(b, b < 0 ? 1 : 0);
  return b != 0 && a > INT64_MAX / b ? INT64_MAX : a * b;
}

std::int64_t elements(const mil::Value& value) {
  std::int64_t count = 1;
  for (const std::int64_t n : value.type.shape) count = times(count, n);
  return count;
}

std::int64_t absolute_axis(std::int64_t axis, const mil::Value& value) {
  return axis < 0 ? axis + value.type.rank() : axis;
}

const mil::Value* find_origin(const mil::Value* value) {
  for (int i = 0; i < kSteps && value != nullptr && value->producer != nullptr; ++i) {
    if (!is_transparent(*value->producer)) break;
    const mil::Value* before = value->producer->find_input("x");
    if (before == nullptr) break;
    value = before;
  }
  return value;
}

const mil::Op* find_maker(const mil::Value* value) {
  const mil::Value* origin = find_origin(value);
  return origin == nullptr || mil::is_fixed(*origin) ? nullptr : origin->producer;
}

std::vector<const mil::Op*> find_takers(const FunctionView& function, const mil::Value& value) {
  std::vector<const mil::Op*> takers;
  std::vector<const mil::Value*> todo = {&value};
  for (int i = 0; i < kSteps && !todo.empty(); ++i) {
    const mil::Value* next = todo.back();
    todo.pop_back();
    for (const Use& use : function.uses(*next)) {
      if (is_transparent(*use.op)) {
        if (use.parameter == "x") todo.push_back(use.op->output());
      } else {
        takers.push_back(use.op);
      }
    }
  }
  return takers;
}

const mil::Value* find_stored(const mil::Op& write_state) {
  const mil::Value* data = write_state.find_input("data");
  if (data == nullptr || !is_type(data->producer, {"slice_update"})) return data;
  const mil::Value* update = data->producer->find_input("update");
  return update != nullptr && update->type == data->type ? update : data;
}

bool comes_from(const mil::Value* value, bool (*is)(const mil::Value&)) {
  if (value == nullptr) return false;
  std::unordered_set<const mil::Value*> seen = {value};
  std::vector<const mil::Value*> todo = {value};
  for (int i = 0; i < kSteps && !todo.empty(); ++i) {
    const mil::Value* next = todo.back();
    todo.pop_back();
    if (is(*next)) return true;
    if (next->producer == nullptr || next->is_constant()) continue;
    for (const mil::Input& input : next->producer->inputs) {
      for (const mil::Value* before : input.values) {
        if (seen.insert(before).second) todo.push_back(before);
      }
    }
  }
  return false;
}

bool is_rotary_table(const mil::Value& value) {
  if (!value.is_constant() || !is_float(value.type.dtype) || value.type.rank() < 2) return false;
  const std::int64_t width = extent(value, -1);
  if (width < 2 || width > 1024 || elements(value) < 2 * width) return false;
  // Tables are small beside embeddings, whose bytes are better left in the file.
  if (!value.constant->is_resident() && elements(value) > (1 << 22)) return false;
  const Tensor table = value.constant->resident();
  const double first = table.number(0);
  if (first != 0 && first != 1) return false;
  bool changes = false;
  for (std::int64_t i = 0; i < width; ++i) {
    if (table.number(i) != first) return false;
    changes = changes || table.number(width + i) != first;
  }
  return changes;
}

bool is_float_op(const mil::Op& op) {
  return !op.outputs.empty() && op.output()->type.is_tensor() && is_float(op.output()->type.dtype);
}

bool is_boundary_cast(const FunctionView& function, const mil::Op& op) {
  if (op.type() != "cast" || op.outputs.empty()) return false;
  const mil::Value* x = op.find_input("x");
  const bool widens = op.output()->type.dtype == DType::kF32;
  if (x != nullptr && x->producer == nullptr && !widens) return true;
  return function.is_output(*op.output()) && function.uses(*op.output()).empty();
}

bool is_runtime_integer(const mil::Value& value) {
  return value.type.is_tensor() && value.type.dtype == DType::kI32 && !mil::is_fixed(value);
}

bool writes_state(const FunctionView& function) {
  return std::any_of(function.run_ops().begin(), function.run_ops().end(),
                     [](const mil::Op* op) { return op->type() == "write_state"; });
}

std::string shape_text(const mil::Value& value) {
  return value.type.has_rank ? anemone::to_string(value.type.shape) : "[...]";
}

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string megabytes(std::uint64_t bytes) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f MB", static_cast<double>(bytes) / 1e6);
  return text.data();
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return grouped(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace anemone::lint
