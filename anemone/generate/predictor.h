#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/engine/engine.h"
#include "anemone/mil/program.h"

namespace anemone::generate {

// Something that crosses a package's boundary: an input, a state or an output of a function.
struct Port {
  std::string name = {};
  mil::Type type;  // a state's is the tensor inside
};

// What one function takes and gives.
struct FunctionInterface {
  std::string name = {};
  std::vector<Port> inputs = {};
  std::vector<Port> states = {};
  std::vector<Port> outputs = {};

  const Port* find_input(std::string_view input) const;
  const Port* find_output(std::string_view output) const;
};

// The states of one package for one stream of tokens, zero at first. Made by a Predictor and given
// to no other.
class PredictorState {
 public:
  virtual ~PredictorState() = default;
  // Back to zero.
  virtual void reset() = 0;
  virtual std::size_t size_bytes() const = 0;
};

// One loaded package, whoever runs it: the CPU engine here, Core ML on a Mac. Several threads may
// call predict() at the same time, each with a state of its own.
class Predictor {
 public:
  virtual ~Predictor() = default;
  // In the order of their names.
  virtual const std::vector<FunctionInterface>& functions() const = 0;
  // Does what the first predict() of the function would do before it computes: compile, mostly.
  virtual void prepare(std::string_view function) = 0;
  // Serves all functions of the package. Never null.
  virtual std::unique_ptr<PredictorState> make_state() = 0;
  // `state` may be null if the function has none. Throws Error.
  virtual void predict(std::string_view function, std::span<const engine::Feed> feeds,
                       PredictorState* state, std::span<const engine::Fetch> fetches) = 0;

  const FunctionInterface* find_function(std::string_view function) const;
};

using OpenPredictor =
    std::function<std::unique_ptr<Predictor>(const std::filesystem::path& package)>;

// Looks at values inside a package as it runs.
class Observer {
 public:
  virtual ~Observer() = default;
  // Asked once for every float tensor that an op of `function` computes.
  virtual bool wants(const mil::Function& function, const mil::Value& value) = 0;
  // Told after each call what a wanted value held, row-major. May come from several threads at
  // once.
  virtual void saw(std::string_view function, const mil::Value& value,
                   std::span<const float> elements) = 0;
};

// Runs packages on this machine's CPU, for an observer: nothing is fused, and every wanted value is
// kept until the call ends. `observer` must outlive the predictor.
std::unique_ptr<Predictor> open_observed_predictor(const std::filesystem::path& package,
                                                   engine::Options options, Observer& observer);

// Runs packages on this machine's CPU. Loads, verifies at once, compiles each function when it is
// first asked for; weights stay mapped.
std::unique_ptr<Predictor> open_cpu_predictor(const std::filesystem::path& package,
                                              const engine::Options& options);

}  // namespace anemone::generate
