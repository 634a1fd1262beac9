#include "anemone/ladder/record.h"

#include <unistd.h>

#include <algorithm>
#include <random>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/ladder/child.h"
#include "anemone/predict/model.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;
using evidence::Outcome;

constexpr std::string_view kInputs = "inputs";
constexpr std::string_view kOutputs = "outputs";

// Golden figures lie here while a package is measured.
class Scratch {
 public:
  Scratch()
      : path_(fs::temp_directory_path() / ("anemone-evidence-" + std::to_string(::getpid()))) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    for (const std::string_view part : {kInputs, kOutputs}) {
      std::error_code error;
      fs::create_directories(path_ / part, error);
      if (error) throw Error(Code::kIo, path_.string() + ": " + error.message());
    }
  }
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Tensor made_up(const package::ArrayFeature& array) {
  std::vector<float> values(static_cast<std::size_t>(element_count(array.shape)), 0.0f);
  if (is_float(array.dtype)) {
    std::mt19937 random(20261130);
    // Not std::normal_distribution, which differs between libraries.
    for (float& value : values) {
      value = static_cast<float>(random() >> 8) / static_cast<float>(1 << 23) - 1;
    }
    // What an fp16 input can hold serves any float input.
    return Tensor::from_floats(DType::kF16, array.shape, values);
  }
  return Tensor::from_ints(DType::kI32, array.shape, std::vector<std::int64_t>(values.size(), 0));
}

predict::Arrays inputs_of(const RecordOptions& options, const predict::Model& model) {
  const auto& features = model.interface().inputs;
  for (const auto& [name, given] : options.inputs) {
    const bool is_known = std::any_of(features.begin(), features.end(),
                                      [&, &want = name](const auto& f) { return f.name == want; });
    if (is_known) continue;
    // It may belong to another function.
    if (!options.function.empty()) {
      throw Error(Code::kBadInput, options.package.string() + ": function '" + model.function() +
                                       "' has no input '" + name + "'");
    }
  }
  predict::Arrays inputs;
  for (const package::Feature& feature : features) {
    if (std::holds_alternative<package::StateFeature>(feature.type)) continue;
    if (const auto given = options.inputs.find(feature.name); given != options.inputs.end()) {
      inputs[feature.name] = given->second;
      continue;
    }
    const auto* array = std::get_if<package::ArrayFeature>(&feature.type);
    if (array == nullptr) {
      throw Error(Code::kUnsupported, options.package.string() + ": the input '" + feature.name +
                                          "' of function '" + model.function() +
                                          "' is no array; evidence is recorded with arrays alone");
    }
    inputs[feature.name] = made_up(*array);
  }
  return inputs;
}

void write_arrays(const fs::path& folder, const predict::Arrays& arrays) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  fs::create_directories(folder);
  for (const auto& [name, array] : arrays) {
    write_file(folder / (name + ".npy"), predict::npy_bytes(array));
  }
}

void write_figures(const RecordOptions& options, const std::string& function,
                   const fs::path& folder) {
  predict::Options settings{.function = function, .arithmetic = engine::Arithmetic::kFloat32};
  if (options.threads > 1) settings.pool = std::make_shared<ThreadPool>(options.threads);
  const auto model = predict::Model::load(options.package, settings);
  const predict::Arrays inputs = inputs_of(options, *model);
  predict::Values values;
  for (const auto& [name, array] : inputs) values[name] = array;
  predict::Arrays outputs;
  for (const auto& [name, value] : model->predict(values)) {
    const auto* array = std::get_if<Tensor>(&value);
    if (array == nullptr) {
      throw Error(Code::kUnsupported, options.package.string() + ": the output '" + name +
                                          "' of function '" + function +
                                          "' is no array; evidence is recorded with arrays alone");
    }
    outputs[name] = convert(*array, DType::kF32);
  }
  write_arrays(folder / kInputs, inputs);
  write_arrays(folder / kOutputs, outputs);
}

}  // namespace

std::vector<evidence::Record> record_package(const RecordOptions& options) {
  ANEMONE_CHECK(!options.command.empty());
  if (!options.runner.script.empty()) load_json(options.runner.script);  // refuses before all work
  const std::string name = options.package.filename().string();
  const evidence::Package package = evidence::describe_package(options.package);
  std::vector<std::string> functions =
      predict::Model::load(options.package, {.function = options.function})->functions();
  if (functions.empty()) {
    throw Error(Code::kUnsupported,
                options.package.string() + ": is a pipeline; record each of its models by itself");
  }
  if (!options.function.empty()) functions = {options.function};
  std::vector<evidence::Record> records;
  for (const std::string& function : functions) {
    if (options.progress) {
      options.progress(name + ", " + function, records.size(), functions.size());
    }
    evidence::Record record = new_record(name, "", options.runner.name, options.steps);
    record.function = function;
    record.package = package;
    const Scratch scratch;
    write_figures(options, function, scratch.path());
    const fs::path output = scratch.path() / "record.json";
    std::vector<std::string> command = options.command;
    for (std::string& word : child_arguments(PackageJob{.package = options.package,
                             .function = function,
                             .figures = scratch.path(),
                             .runner = options.runner,
                             .output = output,
                             .steps = options.steps})) {
      command.push_back(std::move(word));
    }
    measure_in_child(command, options.timeout_seconds, options.stop, output, record);
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<std::string> child_arguments(const PackageJob& job) {
  return {job.package.string(),  job.function,        job.figures.string(),
          to_string(job.runner), job.output.string(), std::to_string(job.steps)};
}

PackageJob parse_package_arguments(const std::vector<std::string>& arguments) {
  const std::int64_t steps = child_steps(arguments);
  return {.package = arguments[0],
          .function = arguments[1],
          .figures = arguments[2],
          .runner = parse_runner(arguments[3]),
          .output = arguments[4],
          .steps = steps};
}

int run_child(const PackageJob& job) {
  evidence::Record record =
      new_record(job.package.filename().string(), "", job.runner.name, job.steps);
  record.function = job.function;
  record.package = {.name = job.package.filename().string(), .hash = "none: running"};
  Bench bench =
      load_bench(job.figures,
                 {.package = "", .inputs = std::string(kInputs), .outputs = std::string(kOutputs)});
  bench.package = job.package;
  return measure_here(bench, job.runner, job.output, std::move(record));
}

}  // namespace anemone::ladder
