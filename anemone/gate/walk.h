#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "anemone/base/thread_pool.h"
#include "anemone/engine/engine.h"
#include "anemone/gate/expectations.h"
#include "anemone/gate/locate.h"
#include "anemone/mil/program.h"

namespace anemone::gate {

// States of one package, kept from call to call.
using States = std::map<std::string, Tensor, std::less<>>;

// Runs a function op by op. Wherever it is known what a value should hold, the result is compared
// and then replaced, so that the next op starts from what is right.
class Walk {
 public:
  struct Place {
    std::string package;
    std::int64_t position = 0;
    engine::Arithmetic arithmetic = engine::Arithmetic::kFloat16;
    double tolerance = 0;
    std::shared_ptr<ThreadPool> pool = {};
  };

  // All must outlive the walk. States that are not there yet are made, zero.
  Walk(const mil::Function& function, Place place, Expectations& expectations, States& states,
       Location& location);

  // The inputs that the function asks for, but for states.
  std::vector<const mil::Value*> inputs() const;
  void feed(const mil::Value& input, Tensor value);
  // Judges what the host made for an input. `expected` is in the input's shape.
  void check_input(const mil::Value& input, std::span<const float> found, const Expected& expected);

  // Runs up to the op of that name and with it. False, and nothing is run, if there is none.
  bool run_through(std::string_view op);
  void run_to_end();
  // Of a value that was computed.
  const Tensor& value(std::string_view name) const;

 private:
  // What fp16 cannot resolve however small a number is: the distance of its subnormals.
  double step() const;
  DType held_as(DType declared) const;
  const Tensor& get(const mil::Value& value);
  void run_op(const mil::Op& op);
  std::vector<Tensor> evaluate(const mil::Op& op);
  Tensor run_by_engine(const mil::Op& op);
  bool is_large(const mil::Op& op);
  void settle(const mil::Op& op, const mil::Value& output, Tensor found);
  void probe(const mil::Op& op, const mil::Value& output);
  void report(const mil::Op& op, const mil::Value& output, std::span<const float> found,
              const Expected& expected, double error, std::string note);
  Fault fault(std::string op, const Shape& shape, std::span<const float> found,
              const Expected& expected, double error) const;

  const mil::Function& function_;
  Place place_;
  Expectations& expectations_;
  States& states_;
  Location& location_;
  std::size_t next_ = 0;  // op
  std::unordered_map<const mil::Value*, Tensor> values_;
  std::unordered_map<const mil::Value*, std::set<std::string>>
      unproven_;  // ops since the last check
  std::unordered_map<std::string_view, const mil::Value*> by_name_;
};

// The largest relative error of any lane; infinite if something that should be finite is not. What
// is small beside the other lanes is held against a tenth of their root mean square. Elements that
// are off by no more than `step` are right.
double lane_error(std::span<const float> found, const Expected& expected, double step = 0);

}  // namespace anemone::gate
