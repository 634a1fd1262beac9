#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anemone/coreml/coreml.h"
#include "anemone/coreml/observe.h"

// The calls into Core ML, and nothing else: coreml.mm makes them on macOS, runner_none.cc says that
// there is none elsewhere. Nothing here throws; an answer is a value or a Failure.
namespace anemone::coreml::framework {

// The codes of failures whose domain is "anemone".
inline constexpr std::int64_t kTimedOut = 1;
inline constexpr std::int64_t kNoAnswer = 2;    // neither a result nor an error
inline constexpr std::int64_t kUnexpected = 3;  // features that are not what the package declares

template <typename T>
struct Answer {
  T value = {};
  std::optional<Failure> failure = {};
};

// An MLState.
class Memory {
 public:
  virtual ~Memory() = default;
};

// An MLModel: one function, loaded. Neither it nor a Memory takes two calls at a time.
class Model {
 public:
  virtual ~Model() = default;
  // The states of the function at zero. A function without any gives an empty one.
  virtual Answer<std::unique_ptr<Memory>> make_memory() = 0;
  // `memory` may be null. Feeds and fetches have been held against the function's interface.
  virtual std::optional<Failure> predict(std::span<const engine::Feed> feeds, Memory* memory,
                                         std::span<const engine::Fetch> fetches) = 0;
};

// Gives the compiled package, a folder in a temporary place that now is the caller's.
Answer<std::filesystem::path> compile(const std::filesystem::path& package, double timeout_seconds);
// `function` is empty for a package of one function, which older systems' packages do not name.
Answer<std::unique_ptr<Model>> load(const std::filesystem::path& compiled,
                                    const std::string& function, ComputeUnits units,
                                    double timeout_seconds);
Answer<std::vector<OpPlacement>> read_plan(const std::filesystem::path& compiled,
                                           const std::string& function, ComputeUnits units,
                                           double timeout_seconds);

}  // namespace anemone::coreml::framework
