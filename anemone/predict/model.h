#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "anemone/engine/callable.h"
#include "anemone/package/package.h"

// A Core ML model as an application meets it: features in, features out.
namespace anemone::predict {

// Pixels row by row, channels side by side.
struct Image {
  std::int64_t width = 0;
  std::int64_t height = 0;
  int channels = 3;          // 1: gray, 3: red, green, blue, 4: with alpha
  DType dtype = DType::kU8;  // kU8; kF16 or kF32 for gray alone
  std::shared_ptr<const Bytes> pixels = nullptr;
};

// What a classifier says of every class, in the order of its classes.
struct Dictionary {
  std::vector<std::pair<std::variant<std::int64_t, std::string>, double>> entries = {};
};

using Value = std::variant<Tensor, Image, std::int64_t, std::string, Dictionary>;
using Values = std::map<std::string, Value, std::less<>>;

struct Options {
  std::string function = {};  // empty: the package's default
  engine::Arithmetic arithmetic = engine::Arithmetic::kFloat16;
  std::shared_ptr<ThreadPool> pool = nullptr;  // null: the calling thread alone
  bool fuse = true;  // false runs every op by itself; the results have the same bits
  engine::Limits limits = {};
  const StopFlag* stop = nullptr;  // as engine::Options has it
};

// What will run of one model.
struct ModelPlan {
  std::string model;  // of a pipeline; empty where there is but one
  engine::PlanReport report;
};

// Sees what an op gives. `model` is the model of a pipeline that the op belongs to ("b", or "a/b"
// for one in a pipeline in a pipeline), or empty.
using Watch = std::function<void(std::string_view model, const mil::Op& op, const mil::Value& value,
                                 const Tensor& tensor)>;

// What a stateful model remembers from one prediction to the next; zeros at first. Goes with every
// function of its package. Calls on one State take turns.
class State {
 public:
  ~State();

  std::vector<std::string> names() const;
  // All states back to zero.
  void reset();
  // In the dtype that the state is stored in (states typed fp16 are fp32 in kFloat32). Throws
  // Error(kNotFound) if there is no such state and Error(kBadInput) for another shape.
  Tensor read_tensor(std::string_view name) const;
  void write_tensor(std::string_view name, const Tensor& value);

 private:
  friend class Model;
  State() = default;
  engine::State& holder(std::string_view name) const;
  std::vector<std::unique_ptr<engine::State>> parts_;  // one a program
  mutable std::mutex turn_;                            // of a pipeline's whole run
};

// One function of a package, or its pipeline. Immutable as far as callers can tell: several threads
// may call predict(), each with a State of its own.
class Model {
 public:
  // Reads, checks and prepares; shapes are planned when they are first seen. Throws Error that
  // begins with the package's path.
  static std::shared_ptr<Model> load(const std::filesystem::path& package,
                                     const Options& options = {});
  ~Model();

  const package::Interface& interface() const;
  const package::Metadata& metadata() const;
  int specification_version() const;
  // "mlProgram", "pipeline", "pipelineClassifier", "pipelineRegressor"
  std::string_view type() const;
  // Empty for a pipeline, which runs the default function of each of its models.
  const std::string& function() const;
  // All functions of the package; none for a pipeline.
  const std::vector<std::string>& functions() const;

  // All states of the package at zero; null if it has none.
  std::unique_ptr<State> make_state() const;

  // Computes the outputs. Arrays may have any numeric dtype whose values the feature's dtype holds;
  // a rank-0 input takes shapes [] and [1], a rank-0 output has shape [1]. fp16 features come as
  // fp16, or as fp32 in Arithmetic::kFloat32. A null `state` means one that starts at zero and is
  // forgotten. Throws Error naming the feature, what was found and what is allowed.
  Values predict(const Values& inputs, State* state = nullptr) const;
  // The same, showing every intermediate value.
  Values trace(const Values& inputs, State* state, const Watch& watch) const;
  // Runs as far as the op of that name (or the op that gives the value of that name) and returns
  // what it gives. What comes after has no effect on states. In a pipeline the first model that has
  // it is meant; MODEL/OP says which. Throws Error(kNotFound).
  engine::Callable::Tensors until(const Values& inputs, State* state, std::string_view op,
                                  const Watch& watch = {}) const;
  // What will run for these inputs. The models of a pipeline before its last do run, to show the
  // shapes that the next ones see.
  std::vector<ModelPlan> plan(const Values& inputs) const;
  std::string plan_text(const Values& inputs) const;

 private:
  struct Parts;
  explicit Model(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace anemone::predict
