#include "anemone/plan/traffic.h"

#include <set>

#include "anemone/mil/cost.h"

namespace anemone::plan {
namespace {

using mil::Op;
using mil::Value;

bool is_view(std::string_view type) {
  return type == "reshape" || type == "expand_dims" || type == "squeeze" || type == "identity" ||
         type == "transpose" || type == "slice_by_index" || type == "slice_by_size" ||
         type == "split" || type == "read_state" || type == "write_state" || type == "const" ||
         type.starts_with("constexpr_");
}

// The state that a value of the whole cache comes from: read from it, or made by an update of what
// was. Null if it comes from elsewhere.
const Value* state_behind(const Value* value) {
  while (value != nullptr && value->producer != nullptr) {
    const Op& op = *value->producer;
    if (op.type() == "read_state") return op.find_input("input");
    if (op.type() != "slice_update" && op.type() != "identity") return nullptr;
    value = op.find_input("x");
  }
  return nullptr;
}

class Reader {
 public:
  explicit Reader(std::int64_t context) : context_(context) {}

  Traffic read(const mil::Function& function) {
    traffic_.function = function.name;
    for (const auto& input : function.inputs) {
      if (!input->type.is_state()) add(&Traffic::boundary_bytes, &Growing::boundary_bytes, *input);
    }
    for (const Value* output : function.body.outputs) {
      add(&Traffic::boundary_bytes, &Growing::boundary_bytes, *output);
      note_read(output);
    }
    read(function.body);
    for (const Value* state : read_states_) {
      add(&Traffic::cache_read_bytes, &Growing::cache_read_bytes, *state);
    }
    return std::move(traffic_);
  }

 private:
  using Growing = Traffic::Growing;

  bool grows(const Value& value) const {
    if (context_ == 0) return false;
    for (const std::int64_t extent : value.type.shape) {
      if (extent >= context_ && extent < context_ + 1024) return true;
    }
    return false;
  }

  void add(std::uint64_t Traffic::*all, std::uint64_t Growing::*growing, const Value& value) {
    const std::uint64_t bytes = mil::size_bytes(value.type);
    traffic_.*all += bytes;
    if (grows(value)) traffic_.growing.*growing += bytes;
  }

  void read(const mil::Block& block) {
    for (const auto& op : block.ops) {
      for (const auto& inner : op->blocks) read(*inner);
      if (op->type() == "write_state") {
        note_write(*op);
      } else if (op->blocks.empty()) {
        count(*op);  // cost_of() of an op with blocks counts them, too
      }
    }
  }

  void count(const Op& op) {
    const mil::Cost cost = mil::cost_of(op);
    traffic_.weight_bytes += cost.weight_bytes;
    traffic_.flops += cost.flops;
    traffic_.is_exact = traffic_.is_exact && cost.is_exact;
    if (op_grows(op)) traffic_.growing.flops += cost.flops;
    // The first is its own state's update, noted where it is written.
    if (op.type() == "slice_update" || op.type() == "read_state" || op.type() == "const") return;
    for (const mil::Input& input : op.inputs) {
      for (const Value* value : input.values) {
        note_read(value);
        if (!is_view(op.type()) && !mil::is_fixed(*value)) note_spill(*value);
      }
    }
    if (is_view(op.type())) return;
    for (const auto& output : op.outputs) note_spill(*output);
  }

  bool op_grows(const Op& op) const {
    for (const mil::Input& input : op.inputs) {
      for (const Value* value : input.values) {
        if (!mil::is_fixed(*value) && grows(*value)) return true;
      }
    }
    return !op.outputs.empty() && grows(*op.output());
  }

  void note_read(const Value* value) {
    const Value* state = state_behind(value);
    if (state != nullptr) read_states_.insert(state);
  }

  void note_write(const Op& op) {
    const Value* data = op.find_input("data");
    if (data == nullptr) return;
    const Op* update = data->producer;
    const bool is_rows = update != nullptr && update->type() == "slice_update";
    const Value* written = is_rows ? update->find_input("update") : data;
    if (written == nullptr) return;
    add(&Traffic::cache_written_bytes, &Growing::cache_written_bytes, *written);
  }

  void note_spill(const Value& value) {
    if (value.type.is_tensor() && mil::size_bytes(value.type) > kSpillBytes) {
      add(&Traffic::spilled_bytes, &Growing::spilled_bytes, value);
    }
  }

  std::int64_t context_;
  Traffic traffic_;
  std::set<const Value*> read_states_;
};

}  // namespace

Traffic traffic_of(const mil::Function& function, std::int64_t context) {
  return Reader(context).read(function);
}

Traffic with_context(Traffic traffic, double factor) {
  const auto grow = [factor](std::uint64_t& all, std::uint64_t& growing) {
    const auto grown = static_cast<std::uint64_t>(static_cast<double>(growing) * factor + 0.5);
    all += grown - growing;
    growing = grown;
  };
  Traffic::Growing& growing = traffic.growing;
  grow(traffic.cache_read_bytes, growing.cache_read_bytes);
  grow(traffic.cache_written_bytes, growing.cache_written_bytes);
  grow(traffic.boundary_bytes, growing.boundary_bytes);
  grow(traffic.spilled_bytes, growing.spilled_bytes);
  grow(traffic.flops, growing.flops);
  return traffic;
}

}  // namespace anemone::plan
