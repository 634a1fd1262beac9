#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "anemone/engine/engine.h"
#include "anemone/engine/reference.h"
#include "anemone/engine/target.h"
#include "anemone/mil/builder.h"

// For the engine's tests: programs run by plans, by every target of this machine, and by the
// reference.
namespace anemone::engine {

// Numbers from a fixed seed, evenly spread over [low, high) and rounded to the dtype.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : generator_(seed) {}
  Tensor tensor(DType dtype, const Shape& shape, double low = -1, double high = 1) {
    std::uniform_real_distribution<double> spread(low, high);
    std::vector<double> values(static_cast<std::size_t>(element_count(shape)));
    for (double& value : values) value = spread(generator_);
    if (!is_float(dtype)) {
      for (double& value : values) value = std::floor(value);
    }
    return Tensor::from_doubles(dtype, shape, values);
  }

 private:
  std::mt19937 generator_;
};

using Tensors = Reference::Tensors;

// Runs a plan on tensors; floats come back as fp32, the rest as declared.
inline Tensors run_plan(const Executable& executable, State* state, const Tensors& inputs) {
  std::vector<Feed> feeds;
  for (const auto& [name, tensor] : inputs) {
    feeds.push_back({name, tensor.dtype(), tensor.data().data(), tensor.count()});
  }
  const auto& outputs = executable.function().body.outputs;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<Fetch> fetches;
  std::vector<DType> dtypes;
  for (const mil::Value* output : outputs) {
    const DType dtype = is_float(output->type.dtype) ? DType::kF32 : output->type.dtype;
    const std::int64_t count = element_count(output->type.shape);
    bytes.emplace_back(size_bytes(dtype, static_cast<std::uint64_t>(count)));
    dtypes.push_back(dtype);
    fetches.push_back({output->name, dtype, bytes.back().data(), count});
  }
  executable.run(feeds, state, fetches);
  Tensors results;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    results[outputs[i]->name] =
        Tensor(dtypes[i], outputs[i]->type.shape, own_bytes(std::move(bytes[i])));
  }
  return results;
}

// How far a result may be from the reference's: `ulps` units in the last place of the dtype at
// max(|expected|, floor). The floor is for sums, whose error goes with their terms.
struct Tolerance {
  double ulps = 0;
  double floor = 0;
};

inline void expect_close(const Tensor& actual, const Tensor& expected, DType rounded_to,
                         const Tolerance& tolerance, const std::string& what) {
  ASSERT_EQ(actual.shape(), expected.shape()) << what;
  const auto a = actual.to_doubles();
  const auto e = expected.to_doubles();
  const double epsilon = rounded_to == DType::kF16 ? std::ldexp(1.0, -11) : std::ldexp(1.0, -24);
  // Below the smallest normal number the last place no longer shrinks.
  const double least = rounded_to == DType::kF16 ? std::ldexp(1.0, -14) : std::ldexp(1.0, -126);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(e[i]) && std::isnan(a[i])) continue;
    if (a[i] == e[i]) continue;
    const double scale = std::max({std::abs(e[i]), tolerance.floor, least});
    ASSERT_LE(std::abs(a[i] - e[i]), 2 * tolerance.ulps * epsilon * scale)
        << what << ": element " << i << " is " << a[i] << ", expected " << e[i];
  }
}

// One op on given inputs (bound as function inputs) and constants, by every target, in both
// arithmetics and with one and with three threads, against the reference. `kernel` must be what the
// plan says it uses.
struct OpCase {
  std::string op;
  std::string kernel;
  std::vector<std::pair<std::string, Tensor>> inputs;
  mil::Builder::Bindings constants;
  Tolerance tolerance;
  DType declared = DType::kF16;  // what inputs that are floats are declared as
};

inline void check_op(const OpCase& c) {
  auto program = std::make_shared<mil::Program>();
  mil::Builder b(program->add_function("main", mil::Opset::kIos18));
  mil::Builder::Bindings bindings = c.constants;
  Tensors inputs;
  for (const auto& [parameter, tensor] : c.inputs) {
    const DType dtype = is_float(tensor.dtype()) ? c.declared : tensor.dtype();
    inputs["in_" + parameter] = convert(tensor, dtype);
    bindings.push_back(
        {parameter, b.input("in_" + parameter, mil::Type::tensor(dtype, tensor.shape()))});
  }
  b.set_outputs({b.add(c.op, "y", std::move(bindings))});
  for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
    const Tensor expected = Reference(program, arithmetic).run("main", inputs).at("y");
    for (const std::string& target : supported_targets()) {
      set_target_for_test(target);
      std::vector<Tensor> results;
      for (const int threads : {1, 3}) {
        Options options;
        options.arithmetic = arithmetic;
        if (threads > 1) options.pool = std::make_shared<ThreadPool>(threads);
        const auto executable = Executable::compile(program, "main", options);
        const std::string text = executable->plan_text();
        const std::string what = c.op + " on " + target + "\n" + text;
        ASSERT_NE(text.find("y " + c.op + ": " + c.kernel), std::string::npos) << what;
        results.push_back(run_plan(*executable, nullptr, inputs).at("y"));
        if (is_float(expected.dtype())) {
          expect_close(results.back(), expected, expected.dtype(), c.tolerance, what);
        } else {
          ASSERT_EQ(results.back().to_ints(), expected.to_ints()) << what;
        }
      }
      ASSERT_EQ(results[0], results[1]) << c.op << ": threads change bits on " << target;
    }
  }
  set_target_for_test("");
}

}  // namespace anemone::engine
