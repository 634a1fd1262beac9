#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "anemone/lint/lint.h"
#include "anemone/mil/cost.h"
#include "anemone/mil/op.h"

namespace anemone::lint {

struct Use {
  const mil::Op* op = nullptr;
  std::string_view parameter = {};
};

// A function with everything looked up once: who uses what, what an op costs.
class FunctionView {
 public:
  FunctionView(const mil::Function& function, const Subject& subject, const Options& options);

  const mil::Function& function() const { return *function_; }
  mil::Opset opset() const { return opset_; }    // that it was written in
  mil::Opset target() const { return target_; }  // that it will run on
  // Every op, nested ones after the op that holds them; constants and constexpr_* among them. Each
  // has an output, but for write_state.
  const std::vector<const mil::Op*>& ops() const { return ops_; }
  // Neither constant nor constexpr_*.
  const std::vector<const mil::Op*>& run_ops() const { return run_ops_; }
  const std::vector<Use>& uses(const mil::Value& value) const;
  bool is_output(const mil::Value& value) const;
  const mil::Cost& cost() const { return cost_; }
  const mil::Cost& cost(const mil::Op& op) const;

  std::vector<const mil::Value*> states() const;
  // Inputs of unknown extent or described as flexible.
  const std::vector<FlexibleInput>& flexible() const { return flexible_; }
  bool has_flexible(FlexibleInput::Kind kind) const;
  // Integer arithmetic that ends in the begin and end of state updates and nowhere else.
  bool is_state_position(const mil::Op& op) const;
  // Whether anything is computed in fp16, and how many ops compute in fp32. Ops that only move data
  // (casts, updates of an fp16 state) count where nothing computes.
  bool has_half_op() const { return half_ops_ > 0; }
  std::uint64_t fp32_ops() const { return fp32_ops_; }
  // How many query rows a call takes in: the largest row count of a projection; 0 without one,
  // kUnknown where a call decides it.
  std::int64_t rows() const { return rows_; }

 private:
  void count_floats();
  void find_state_positions();

  const mil::Function* function_;
  mil::Opset opset_, target_;
  std::vector<const mil::Op*> ops_, run_ops_;
  std::unordered_map<const mil::Value*, std::vector<Use>> uses_;
  std::unordered_map<const mil::Op*, mil::Cost> costs_;
  std::unordered_map<const mil::Op*, bool> is_state_position_;
  std::vector<FlexibleInput> flexible_;
  mil::Cost cost_;
  std::int64_t rows_ = 0;
  std::uint64_t half_ops_ = 0, fp32_ops_ = 0;
};

struct ProgramView {
  ProgramView(const Subject& subject, const Options& options);

  const Subject* subject;
  Options options;
  std::vector<FunctionView> functions;
  mil::Cost cost;                  // of all functions
  std::uint64_t weight_bytes = 0;  // of the file
  std::uint64_t weight_count = 0;  // elements of all weights, each counted once, as if decompressed
};

// What a rule sees when it is asked, and how it answers.
class Check {
 public:
  Check(const ProgramView& view, std::vector<Finding>& findings)
      : view_(view), findings_(findings) {}

  const ProgramView& program() const { return view_; }
  // Not for `Rule::program`.
  const FunctionView& function() const { return *function_; }

  // Reports at the op that is looked at (its first output), at another op or value, or about the
  // function or program as a whole.
  void report(std::string message);
  void report(const mil::Value& tensor, std::string message);
  void report_at(const mil::Op& op, std::string message);

  // How often the function changes between units if the findings so far are right. Rules of the
  // program and of ops have been asked before those of a function.
  std::uint64_t crossings() const;

  // For the driver.
  void set(const Rule* rule, const FunctionView* function, const mil::Op* op) {
    rule_ = rule;
    function_ = function;
    op_ = op;
  }

 private:
  void add(const mil::Op* op, const mil::Value* tensor, std::string message);

  const ProgramView& view_;
  std::vector<Finding>& findings_;
  const Rule* rule_ = nullptr;
  const FunctionView* function_ = nullptr;
  const mil::Op* op_ = nullptr;
};

}  // namespace anemone::lint
