#include "anemone/engine/cone.h"

#include <algorithm>

#include "anemone/engine/kernels/row_functions.h"
#include "anemone/engine/row_program.h"

namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

// More than this gains nothing any more, and plans stay quick to make.
constexpr std::size_t kMostOps = 24;

// Beside those that unary rows are for.
constexpr std::string_view kElementwise[] = {"add",     "cast",    "greater", "greater_equal",
                                             "maximum", "minimum", "mul",     "real_div",
                                             "select",  "sub"};
constexpr std::string_view kReductions[] = {"reduce_l2_norm", "reduce_max", "reduce_mean",
                                            "reduce_min",     "reduce_sum", "reduce_sum_square"};
constexpr std::string_view kParts[] = {"concat", "slice_by_index", "slice_by_size", "split"};
constexpr std::string_view kReshapes[] = {"expand_dims", "reshape", "squeeze"};
constexpr std::string_view kCores[] = {"conv", "conv_transpose", "linear", "matmul"};

template <std::size_t kCount>
bool is_one_of(const Op& op, const std::string_view (&types)[kCount]) {
  return std::find(std::begin(types), std::end(types), op.type()) != std::end(types);
}

bool is_float_op(const Op& op) {
  return std::all_of(op.outputs.begin(), op.outputs.end(), [](const auto& output) {
    return output->type.is_tensor() && is_float(output->type.dtype);
  });
}

class Grower {
 public:
  Grower(const FusionGraph& graph, const ConeRules& rules) : graph_(graph), rules_(rules) {}

  Cone grow(const Op& last) {
    if (!graph_.is_free(last) || last.outputs.size() != 1 || !is_float_op(last)) return {};
    shape_ = last.output()->type.shape;
    if (!may_join(last)) return {};
    take(last);
    // The latest op first: all who use what it gives are in by then, or never will be.
    while (!todo_.empty() && cone_.rows.size() < kMostOps) {
      const auto latest = std::max_element(todo_.begin(), todo_.end(), [&](auto* a, auto* b) {
        return graph_.position(*a) < graph_.position(*b);
      });
      const Op& op = **latest;
      todo_.erase(latest);
      if (!is_closed(op)) continue;
      if (may_be_core(op)) {
        cone_.core = &op;
      } else if (graph_.is_free(op) && may_join(op)) {
        take(op);
      }
    }
    drop_open();
    return std::move(cone_);
  }

 private:
  bool is_in(const Op* op) const {
    return std::find(cone_.rows.begin(), cone_.rows.end(), op) != cone_.rows.end();
  }

  bool is_closed(const Op& op) const {
    for (const auto& output : op.outputs) {
      if (graph_.is_output(*output)) return false;
      for (const Op* user : graph_.users(*output)) {
        if (!is_in(user)) return false;
      }
    }
    return true;
  }

  bool may_join(const Op& op) const {
    if (op.type() == "greater" || op.type() == "greater_equal") {
      return has_shape(op) && is_float(op.find_input("x")->type.dtype) && only_selects(op);
    }
    if (!is_float_op(op)) return false;
    if (is_elementwise(op)) {
      const Value* x = op.find_input("x");
      if (x != nullptr && !is_float(x->type.dtype)) return false;
      return rules_.by_rows ? op.output()->type.shape.size() == shape_.size() : has_shape(op);
    }
    // Between a product of matrices and what is done to it, as two axes made three.
    if (rules_.takes_core && is_one_of(op, kReshapes)) {
      return has_shape(op) && are_same_but_units(op.find_input("x")->type.shape, shape_);
    }
    return rules_.by_rows &&
           (is_one_of(op, kReductions) || is_one_of(op, kParts) || repeats_sums(op));
  }

  // A tile that puts what was summed up back to its length, as divisors of norms are written.
  bool repeats_sums(const Op& op) const {
    if (op.type() != "tile") return false;
    const Value* x = op.find_input("x");
    const Shape& from = x->type.shape;
    const Shape& to = op.output()->type.shape;
    if (from.size() != shape_.size() || to.size() != from.size()) return false;
    // Up to the sum, through ops on what it gives.
    const Value* at = x;
    while (at->producer != nullptr && is_elementwise(*at->producer) &&
           at->producer->find_input("x") != nullptr) {
      at = at->producer->find_input("x");
    }
    if (at->producer == nullptr || !is_one_of(*at->producer, kReductions)) return false;
    return at->type.shape == from && at->producer->find_input("x")->type.shape == to;
  }

  bool only_selects(const Op& op) const {
    const auto users = graph_.users(*op.output());
    return std::all_of(users.begin(), users.end(),
                       [](const Op* user) { return user->type() == "select"; });
  }

  bool may_be_core(const Op& op) const {
    if (!rules_.takes_core || cone_.core != nullptr || !is_one_of(op, kCores)) return false;
    const Group* group = graph_.group_of(op);
    if (group != nullptr && (group->padding == nullptr || !group->rows.empty())) return false;
    return is_float_op(op) && has_shape(op);
  }

  // The last op's, but for axes of one element, which only those that take a core may have others
  // of.
  bool has_shape(const Op& op) const {
    const Shape& shape = op.output()->type.shape;
    return shape == shape_ || (rules_.takes_core && are_same_but_units(shape, shape_));
  }

  void take(const Op& op) {
    cone_.rows.push_back(&op);
    for (const mil::Input& input : op.inputs) {
      for (const Value* value : input.values) {
        const Op* producer = value->producer;
        if (producer == nullptr || graph_.known(*value) != nullptr) continue;
        if (std::find(todo_.begin(), todo_.end(), producer) == todo_.end() && !is_in(producer)) {
          todo_.push_back(producer);
        }
      }
    }
  }

  // Comparisons that stayed outside leave their selects without a condition: then nothing is fused.
  void drop_open() {
    for (const Op* op : cone_.rows) {
      if (op->type() != "select") continue;
      const Op* test = op->find_input("cond")->producer;
      if (test == nullptr || !is_in(test)) {
        cone_ = {};
        return;
      }
    }
  }

  const FusionGraph& graph_;
  ConeRules rules_;
  Shape shape_;
  Cone cone_;
  std::vector<const Op*> todo_;
};

}  // namespace

int Cone::count(std::string_view type) const {
  return static_cast<int>(
      std::count_if(rows.begin(), rows.end(), [&](const Op* op) { return op->type() == type; }));
}

int Cone::count_reductions() const {
  return static_cast<int>(std::count_if(rows.begin(), rows.end(),
                                        [](const Op* op) { return is_one_of(*op, kReductions); }));
}

bool is_elementwise(const Op& op) {
  return is_one_of(op, kElementwise) || has_unary_row(op.type());
}

Cone cone_of(const FusionGraph& graph, const Op& last, const ConeRules& rules) {
  return Grower(graph, rules).grow(last);
}

void find_cones(FusionGraph& graph, std::string_view name, const ConeRules& rules,
                const std::function<bool(const Cone&)>& accepts) {
  const auto& ops = graph.ops();
  for (auto at = ops.rbegin(); at != ops.rend(); ++at) {
    if (!graph.is_free(**at) || !(is_elementwise(**at) || (*at)->type() == "concat")) continue;
    const Cone cone = cone_of(graph, **at, rules);
    if (cone.rows.empty() || !accepts(cone)) continue;
    Group group{.fusion = name, .ops = cone.rows};
    group.core = cone.core;
    group.rows = cone.rows;
    if (cone.core != nullptr) group.ops.push_back(cone.core);
    graph.add(std::move(group));
  }
}

}  // namespace anemone::engine
