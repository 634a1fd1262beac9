#include "anemone/engine/finish.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "anemone/base/check.h"
#include "anemone/base/half.h"
#include "anemone/engine/planner.h"

namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;

struct Matched {
  FinishStep step;
  const Value* operand = nullptr;
};

// Follows one value through ops; each gives the next.
class Matcher {
 public:
  Matcher(Planner& planner, const std::vector<const Op*>& ops, const Value& result)
      : planner_(planner), ops_(ops), now_(&result) {}

  std::optional<std::vector<Matched>> match() {
    for (const Op* op : ops_) {
      if (!add(*op)) return std::nullopt;
    }
    if (comparison_ != nullptr || product_ != nullptr) return std::nullopt;
    return std::move(steps_);
  }

 private:
  bool add(const Op& op) {
    const std::string_view type = op.type();
    if (op.output()->type.shape != now_->type.shape) return false;
    if (type == "greater_equal") {
      if (comparison_ != nullptr || op.find_input("x") != now_ || !is_zero(op.find_input("y"))) {
        return false;
      }
      comparison_ = &op;
      return true;
    }
    if (op.output()->type.dtype != now_->type.dtype) return false;
    if (type == "mul") {
      if (product_ != nullptr) return false;
      slope_ = other(op);
      product_ = &op;
      return slope_ != nullptr;
    }
    if (type == "select") return add_slope(op);
    // The operands of a slope must be the same value.
    if (comparison_ != nullptr || product_ != nullptr) return false;
    if (type == "add") return add_sum(op);
    if (type == "leaky_relu") return add_leak(op);
    return add_clamp(op);
  }

  bool is_zero(const Value* value) const {
    const Tensor* known = value == nullptr ? nullptr : planner_.constant(*value);
    return known != nullptr && known->count() == 1 && known->number(0) == 0;
  }

  // The operand of x and y that is not the value that is followed, if the other one is.
  const Value* other(const Op& op) const {
    const Value* x = op.find_input("x");
    const Value* y = op.find_input("y");
    if (x == nullptr || y == nullptr || (x == now_) == (y == now_)) return nullptr;
    const Value* found = x == now_ ? y : x;
    return is_float(found->type.dtype) ? found : nullptr;
  }

  void put(const Op& op, FinishStep step, const Value* operand) {
    step.rounds = planner_.rounds(op.output()->type);
    steps_.push_back({step, operand});
    now_ = op.output();
  }

  bool add_slope(const Op& op) {
    if (comparison_ == nullptr || product_ == nullptr ||
        op.find_input("cond") != comparison_->output() || op.find_input("a") != now_ ||
        op.find_input("b") != product_->output() || planner_.constant(*slope_) == nullptr) {
      return false;
    }
    // One for all, or one for each channel.
    const Shape& shape = slope_->type.shape;
    const Shape& all = now_->type.shape;
    if (shape.size() > all.size()) return false;
    const std::size_t skipped = all.size() - shape.size();
    FinishStep step{.kind = FinishStep::Kind::kSlope};
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] == 1) continue;
      if (skipped + i != 1) return false;
      step.by_channel = true;
    }
    const Value* slope = slope_;
    comparison_ = product_ = nullptr;
    put(op, step, slope);
    return true;
  }

  bool add_leak(const Op& op) {
    const Value* slope = op.find_input("alpha");
    if (op.find_input("x") != now_ || planner_.constant(*slope) == nullptr) return false;
    put(op, {.kind = FinishStep::Kind::kSlope}, slope);
    return true;
  }

  bool add_sum(const Op& op) {
    const Value* addend = other(op);
    if (addend == nullptr || addend->type.shape != now_->type.shape) return false;
    const auto is_result_of = [&](const Op* one) { return one == addend->producer; };
    if (std::any_of(ops_.begin(), ops_.end(), is_result_of)) return false;
    put(op, {.kind = FinishStep::Kind::kAdd}, addend);
    return true;
  }

  bool add_clamp(const Op& op) {
    if (op.find_input("x") != now_) return false;
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    FinishStep step{.kind = FinishStep::Kind::kClamp, .low = 0, .high = kInfinity};
    if (op.type() == "relu6") {
      step.high = 6;
    } else if (op.type() == "clip") {
      const mil::Call call = planner_.call_of(op);
      step.low = bound(op, call.number("alpha"));
      step.high = bound(op, call.number("beta"));
    } else if (op.type() != "relu") {
      return false;
    }
    put(op, step, nullptr);
    return true;
  }

  // What has been rounded stays rounded between bounds that are.
  float bound(const Op& op, double value) const {
    const auto exact = static_cast<float>(value);
    return planner_.rounds(op.output()->type) ? round_to_f16(exact) : exact;
  }

  Planner& planner_;
  const std::vector<const Op*>& ops_;
  const Value* now_;
  const Op* comparison_ = nullptr;
  const Op* product_ = nullptr;
  const Value* slope_ = nullptr;
  std::vector<Matched> steps_;
};

}  // namespace

bool plan_finish(Lowering& lowering, Planner& planner, Kernel& kernel,
                 const std::vector<const Op*>& ops, const Value& result) {
  const std::string_view type = lowering.op().type();
  // Results whose axis 1 are channels.
  if (type != "conv" && type != "conv_transpose") return false;
  const auto matched = Matcher(planner, ops, result).match();
  if (!matched || matched->empty()) return false;
  std::vector<FinishStep> steps;
  auto next = static_cast<int>(lowering.operands().size());
  for (const Matched& one : *matched) {
    steps.push_back(one.step);
    if (one.operand != nullptr) steps.back().operand = next++;
  }
  if (!kernel.finish_with(steps)) return false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Value* operand = (*matched)[i].operand;
    if (operand == nullptr) continue;
    const int number = lowering.read(lowering.dense(*operand));
    ANEMONE_CHECK(number == steps[i].operand) << number;
  }
  planner.set_view(*ops.back()->output(), planner.view(result));
  return true;
}

}  // namespace anemone::engine
