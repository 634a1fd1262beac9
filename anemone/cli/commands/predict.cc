#include <chrono>
#include <cstdlib>
#include <iomanip>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/cli/command.h"
#include "anemone/cli/nearest.h"
#include "anemone/cli/options.h"
#include "anemone/cli/words.h"
#include "anemone/predict/model.h"
#include "anemone/predict/npz.h"

namespace anemone::cli {
extern const Command command_predict;
namespace {
namespace fs = std::filesystem;

struct Settings {
  std::string package;
  std::optional<std::string> input, output, function, state, trace, until;
  std::string arithmetic;
  std::string fusion = "on";
  std::int64_t threads = 0;
  std::int64_t max_memory_mb = 0;
  std::int64_t max_loop_iterations = engine::Limits{}.loop_iterations;
  bool plan = false;
  bool force = false;
  bool json = false;
};

constexpr std::string_view kArithmetics[] = {"float16", "float32"};

// The environment's, or float16.
std::string default_arithmetic() {
  const char* set = std::getenv("ANEMONE_ARITHMETIC");
  if (set == nullptr || *set == '\0') return "float16";
  if (std::find(std::begin(kArithmetics), std::end(kArithmetics), set) == std::end(kArithmetics)) {
    throw Error(Code::kUsage, "the environment variable ANEMONE_ARITHMETIC is '" +
                                  std::string(set) + "'; allowed: float16, float32");
  }
  return set;
}

// An array for an image: [height, width], or [height, width, channels], of 8 bits.
predict::Image image_of(const Tensor& array, const std::string& name) {
  const Shape& shape = array.shape();
  const bool has_channels = shape.size() == 3 && (shape[2] == 1 || shape[2] == 3 || shape[2] == 4);
  if (array.dtype() != DType::kU8 || !(shape.size() == 2 || has_channels)) {
    throw Error(Code::kBadInput, "input '" + name + "' is an image; it is given " +
                                     std::string(anemone::name(array.dtype())) + " " +
                                     to_string(shape) +
                                     "; allowed: uint8 [height, width] or [height, width, 3]");
  }
  return {.width = shape[1],
          .height = shape[0],
          .channels = has_channels ? static_cast<int>(shape[2]) : 1,
          .pixels = array.bytes()};
}

predict::Values inputs_of(const Settings& settings, const predict::Model& model) {
  predict::Values values;
  if (!settings.input) return values;
  for (auto& [name, array] : predict::load_npz(*settings.input)) {
    std::vector<std::string_view> known;
    const package::Feature* found = nullptr;
    for (const package::Feature& feature : model.interface().inputs) {
      known.push_back(feature.name);
      if (feature.name == name) found = &feature;
    }
    if (found == nullptr) {
      std::string allowed;
      for (const std::string_view one : known) {
        allowed += (allowed.empty() ? "" : ", ") + std::string(one);
      }
      throw Error(Code::kBadInput, *settings.input + ": '" + name + "' is no input of " +
                                       settings.package + suggestion(name, known) +
                                       "; allowed: " + (allowed.empty() ? "none" : allowed));
    }
    if (std::holds_alternative<package::ImageFeature>(found->type)) {
      values[name] = image_of(array, name);
    } else {
      values[name] = std::move(array);
    }
  }
  return values;
}

// What a plan depends on is shapes: inputs that were not given become zeros of their default shape.
void add_defaults(const package::Interface& interface, predict::Values& values) {
  for (const package::Feature& feature : interface.inputs) {
    if (feature.is_optional || values.count(feature.name) > 0) continue;
    if (const auto* array = std::get_if<package::ArrayFeature>(&feature.type)) {
      const auto count = static_cast<std::size_t>(element_count(array->shape));
      std::vector<std::byte> zeros(size_bytes(array->dtype, count));
      values[feature.name] = Tensor(array->dtype, array->shape, own_bytes(std::move(zeros)));
    } else if (const auto* image = std::get_if<package::ImageFeature>(&feature.type)) {
      const bool is_half = image->color_space == package::ColorSpace::kGrayscaleF16;
      const bool is_gray = is_half || image->color_space == package::ColorSpace::kGrayscale;
      predict::Image blank{.width = image->width, .height = image->height};
      blank.channels = is_gray ? 1 : 3;
      blank.dtype = is_half ? DType::kF16 : DType::kU8;
      const auto count = static_cast<std::size_t>(blank.width * blank.height * blank.channels);
      blank.pixels = own_bytes(std::vector<std::byte>(size_bytes(blank.dtype, count)));
      values[feature.name] = std::move(blank);
    }
  }
}

// Outputs as arrays: a dictionary becomes NAME.keys and NAME.values.
predict::Arrays arrays_of(const predict::Values& values) {
  predict::Arrays arrays;
  for (const auto& [name, value] : values) {
    if (const auto* tensor = std::get_if<Tensor>(&value)) {
      arrays[name] = *tensor;
    } else if (const auto* image = std::get_if<predict::Image>(&value)) {
      Shape shape = {image->height, image->width};
      if (image->channels > 1) shape.push_back(image->channels);
      arrays[name] = Tensor(image->dtype, shape, image->pixels);
    } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
      const std::int64_t one[] = {*number};
      arrays[name] = Tensor::from_ints(DType::kI64, {}, one);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      arrays[name] = Tensor::scalar_string(*text);
    } else {
      const auto& entries = std::get<predict::Dictionary>(value).entries;
      std::vector<std::string> words;
      std::vector<std::int64_t> ints;
      std::vector<double> numbers;
      for (const auto& [key, probability] : entries) {
        if (const auto* word = std::get_if<std::string>(&key)) words.push_back(*word);
        if (const auto* integer = std::get_if<std::int64_t>(&key)) ints.push_back(*integer);
        numbers.push_back(probability);
      }
      const Shape shape = {static_cast<std::int64_t>(entries.size())};
      arrays[name + ".keys"] = words.empty() ? Tensor::from_ints(DType::kI64, shape, ints)
                                             : Tensor::from_strings(shape, std::move(words));
      arrays[name + ".values"] = Tensor::from_doubles(DType::kF64, shape, numbers);
    }
  }
  return arrays;
}

// Every value as a file of its own, and an index in the order in which they were computed.
class Tracer {
 public:
  Tracer(const fs::path& folder, bool replace) : output_(folder, replace) {}

  void saw(std::string_view model, const mil::Op& op, const mil::Value& value,
           const Tensor& tensor) {
    // Values of loops come again and again, and names may hold any character.
    std::ostringstream file;
    file << std::setw(5) << std::setfill('0') << index_.size() << '_'
         << mil::to_identifier(value.name) << ".npy";
    write_file(output_.folder() / file.str(), predict::npy_bytes(tensor));
    index_.push_back({{"file", file.str()},
                      {"value", value.name},
                      {"op", op.name},
                      {"type", op.type()},
                      {"dtype", name(tensor.dtype())},
                      {"shape", tensor.shape()}});
    if (!model.empty()) index_.back()["model"] = model;
  }

  std::size_t finish() {
    write_file(output_.folder() / "index.json", index_.dump(1) + "\n");
    output_.commit();
    return index_.size();
  }

 private:
  StagedOutput output_;
  OrderedJson index_ = OrderedJson::array();
};

void load_state(const std::string& file, predict::State& state) {
  const predict::Arrays arrays = predict::load_npz(file);
  const std::vector<std::string> names = state.names();
  try {
    for (const auto& [name, array] : arrays) state.write_tensor(name, array);
  } catch (const Error& error) {
    throw Error(error.code(), file + ": " + error.what());
  }
  for (const std::string& name : names) {
    if (arrays.count(name) == 0) {
      throw Error(Code::kBadInput, file + ": lacks the state '" + name + "'");
    }
  }
}

void save_state(const std::string& file, const predict::State& state) {
  predict::Arrays arrays;
  for (const std::string& name : state.names()) arrays[name] = state.read_tensor(name);
  predict::save_npz(file, arrays);
}

OrderedJson description(const predict::Arrays& arrays) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, array] : arrays) {
    list.push_back(
        {{"name", name}, {"dtype", anemone::name(array.dtype())}, {"shape", array.shape()}});
  }
  return list;
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  settings.arithmetic = default_arithmetic();
  Options options(command_predict);
  options.about(
      "Runs a function of a Core ML package, or its pipeline, on arrays. An image is uint8 "
      "[height, width, 3] or [height, width];\na dictionary of a classifier is written as "
      "NAME.keys and NAME.values.");
  options.operand("PACKAGE", settings.package);
  options.text("-i IN.npz", settings.input, "the inputs by name (default: none)");
  options.text("-o OUT.npz", settings.output, "where the outputs go (default: nowhere)");
  options.text("--function NAME", settings.function, "(default: the package's own)");
  options.text("--state FILE.npz", settings.state,
               "states start from this file, if it is there, and are written to it afterwards "
               "(default: they start at zero)");
  options.choice("--arithmetic A", settings.arithmetic, {"float16", "float32"},
                 "float16 rounds as the program says, float32 keeps activations exact (default: "
                 "$ANEMONE_ARITHMETIC, or float16)");
  options.text("--trace DIR", settings.trace,
               "writes every value that an op gives to a new folder, as .npy with an index.json");
  options.flag("--force", settings.force, "replaces the folder of --trace if it exists");
  options.text("--until OP", settings.until,
               "runs as far as this op (or value) and gives what it gives; in a pipeline MODEL/OP");
  options.flag(
      "--plan", settings.plan,
      "prints what would run for these inputs (or their default shapes), kernels, fusions and "
      "memory, and runs nothing (of a pipeline: nothing of its last model)");
  options.choice("--fusion F", settings.fusion, {"on", "off"},
                 "off runs every op by itself; the results are the same (default: on)");
  options.integer("--threads N", settings.threads, 1, 1024, "(default: all processors)",
                  std::nullopt);
  options.integer("--max-memory MB", settings.max_memory_mb, 1, std::int64_t{1} << 40,
                  "working memory that a call may take; what asks for more is named and refused "
                  "(default: the machine's memory)",
                  std::nullopt);
  options.integer("--max-loop-iterations N", settings.max_loop_iterations, 1, std::int64_t{1} << 62,
                  "of all while loops of a call together (default: 1000000)");
  options.flag("--json", settings.json, "what was computed, and errors, as JSON");
  options.example("anemone predict model.mlpackage -i in.npz -o out.npz");
  if (!options.parse(console, arguments)) return 0;

  const int processors = ThreadPool::available();
  const int threads = settings.threads == 0 ? processors : static_cast<int>(settings.threads);
  const auto model = predict::Model::load(
      settings.package,
      {.function = settings.function.value_or(""),
       .arithmetic = settings.arithmetic == "float32" ? engine::Arithmetic::kFloat32
                                                      : engine::Arithmetic::kFloat16,
       .pool = threads > 1 ? std::make_shared<ThreadPool>(threads) : nullptr,
       .fuse = settings.fusion == "on",
       .limits = {.memory_bytes = static_cast<std::uint64_t>(settings.max_memory_mb) << 20,
                  .loop_iterations = settings.max_loop_iterations},
       .stop = console.stop});
  predict::Values inputs = inputs_of(settings, *model);
  if (settings.plan) {
    add_defaults(model->interface(), inputs);
    if (settings.json) {
      for (const predict::ModelPlan& plan : model->plan(inputs)) {
        OrderedJson json = {{"package", settings.package}};
        if (!plan.model.empty()) json["model"] = plan.model;
        json.update(plan.report.json());
        console.print(json);
      }
    } else {
      console.out << model->plan_text(inputs);
    }
    console.flush_out();
    return 0;
  }
  auto state = model->make_state();
  if (settings.state && state == nullptr) {
    throw Error(Code::kUsage, settings.package + ": has no states, so --state has no use");
  }
  std::error_code ignored;
  if (settings.state && fs::exists(*settings.state, ignored)) load_state(*settings.state, *state);

  // Before anything is computed.
  if (settings.output) predict::require_writable(*settings.output);
  if (settings.state) predict::require_writable(*settings.state);
  console.stop_gently();
  std::optional<Tracer> tracer;
  predict::Watch watch;
  if (settings.trace) {
    tracer.emplace(*settings.trace, settings.force);
    watch = [&](std::string_view of, const mil::Op& op, const mil::Value& value,
                const Tensor& tensor) {
      console.stop->throw_if_set();
      tracer->saw(of, op, value, tensor);
    };
  }
  const auto start = std::chrono::steady_clock::now();
  predict::Arrays outputs;
  if (settings.until) {
    outputs = model->until(inputs, state.get(), *settings.until, watch);
  } else {
    outputs = arrays_of(watch ? model->trace(inputs, state.get(), watch)
                              : model->predict(inputs, state.get()));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (settings.output) predict::save_npz(*settings.output, outputs);
  if (settings.state) save_state(*settings.state, *state);
  const std::size_t traced = tracer ? tracer->finish() : 0;

  if (settings.json) {
    OrderedJson json = {{"package", settings.package}, {"type", model->type()}};
    if (!model->function().empty()) json["function"] = model->function();
    json["arithmetic"] = settings.arithmetic;
    json["outputs"] = description(outputs);
    if (settings.output) json["file"] = *settings.output;
    if (settings.state) json["state"] = *settings.state;
    if (settings.trace) {
      json["trace"] = *settings.trace;
      json["traced"] = traced;
    }
    json["seconds"] = took.count();
    console.print(json);
  } else {
    for (const auto& [name, array] : outputs) {
      console.out << name << ": " << anemone::name(array.dtype()) << ' ' << to_string(array.shape())
                  << '\n';
    }
    if (settings.trace) console.out << *settings.trace << ": " << plural(traced, "value") << '\n';
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(predict) = {.name = "predict",
                                   .says = "run any Core ML package on arrays",
                                   .usage = "[options] PACKAGE -i IN.npz -o OUT.npz",
                                   .run = run};

}  // namespace anemone::cli
