#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "anemone/base/error.h"
#include "anemone/generate/predictor.h"

// Core ML as it is on macOS 15 and later: what runs packages on the Neural Engine. Everywhere else
// the same functions are there and refuse. docs/macos.md says what was tried and what was not.
namespace anemone::coreml {

// Which processors Core ML may use. The names are those of evidence and of the command line.
enum class ComputeUnits : std::uint8_t { kCpu, kCpuAndGpu, kCpuAndAne, kAll };
// "cpu", "cpu+gpu", "cpu+ane", "all".
std::string_view name(ComputeUnits units);
std::optional<ComputeUnits> find_compute_units(std::string_view name);

// False in a build for another system.
bool is_available();
// Throws Error(kUnsupported) that says so, unless is_available().
void require_available();

// What Core ML answered in place of a result.
struct Failure {
  std::string stage = {};   // "compile", "load", "plan", "state", "predict"
  std::string domain = {};  // of the NSError; "NSException"; "anemone" for what this side found
  std::int64_t code = 0;
  // Of an exception "name: reason". Errors underneath follow, each with domain and code.
  std::string message = {};
};

// The Error that a Failure becomes.
class FrameworkError : public Error {
 public:
  FrameworkError(Code code, const std::string& what, Failure failure)
      : Error(code, what), failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

struct Options {
  ComputeUnits units = ComputeUnits::kCpuAndAne;
  // Where compiled packages are kept, one folder a package. Core ML knows a model that it prepared
  // before by the path of its compiled form, so a new folder makes for a cold load. Empty:
  // default_compiled_folder().
  std::filesystem::path compiled_folder = {};
  // The longest that compiling, loading or planning may take. Nothing can end a prediction that
  // hangs but the end of the process.
  double timeout_seconds = 1800;
};

// Library/Caches/anemone/compiled in the user's home.
std::filesystem::path default_compiled_folder();

// Runs packages by Core ML. Compiles the package, unless it was, and loads each function, as a
// model of its own, when it is first asked for. One state, made by the first function that has any,
// serves all; calls on one state, and calls of one function, take turns. Throws Error.
std::unique_ptr<generate::Predictor> open_predictor(const std::filesystem::path& package,
                                                    const Options& options);
// The same, as generate::Runner takes it. Throws at once where Core ML is not available.
generate::OpenPredictor opener(const Options& options);

}  // namespace anemone::coreml
