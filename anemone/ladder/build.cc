#include "anemone/ladder/build.h"

#include <chrono>
#include <cstring>

#include "anemone/base/bytes.h"
#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/base/thread_pool.h"
#include "anemone/base/version.h"
#include "anemone/ladder/stock.h"
#include "anemone/models/architecture.h"
#include "anemone/predict/model.h"
#include "anemone/predict/npz.h"

namespace anemone::ladder {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFilledWidth = 4;  // times the tiny form's
// More than the largest tile of a head, so that there is something to split.
constexpr std::int64_t kLeastVocabulary = 16'640;
constexpr char kWeightFile[] = "Data/com.apple.CoreML/weights/weight.bin";

std::int64_t rounded_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

StockSizes stock_sizes(const Sizes& sizes, bool is_filled, bool is_random) {
  StockSizes stock{.hidden = sizes.hidden,
                   .layers = std::max<std::int64_t>(sizes.layers, 4),
                   .vocabulary = kLeastVocabulary,
                   .context = sizes.context,
                   .is_random = is_random};
  if (is_filled) {
    stock.hidden *= kFilledWidth;
    stock.layers = std::max(stock.layers, 2 * filled_layers(sizes));
    stock.vocabulary =
        std::max(stock.vocabulary,
                 rounded_up((sizes.filled_bytes + 2 * stock.hidden - 1) / (2 * stock.hidden), 32));
  }
  return stock;
}

bool are_equal(const fs::path& a, const fs::path& b) {
  const MappedFile first(a);
  const MappedFile second(b);
  return first.size_bytes() == second.size_bytes() &&
         std::memcmp(first.view().data(), second.view().data(), first.size_bytes()) == 0;
}

// Those that are asked for, and what they presuppose, in their order.
std::vector<Experiment> selected(std::vector<Experiment> all,
                                 const std::vector<std::string>& only) {
  if (only.empty()) return all;
  std::vector<std::string> wanted = only;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Experiment& one) { return one.id == wanted[i]; });
    if (found == all.end()) {
      throw Error(Code::kUsage, "there is no experiment '" + wanted[i] + "'");
    }
    wanted.insert(wanted.end(), found->prerequisites.begin(), found->prerequisites.end());
  }
  const auto is_unwanted = [&](const Experiment& one) {
    return std::find(wanted.begin(), wanted.end(), one.id) == wanted.end();
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_unwanted), all.end());
  return all;
}

// A stocked checkpoint, opened. Weights point into `checkpoint` and are checked against `config`.
struct Stock {
  explicit Stock(const fs::path& folder)
      : checkpoint(Checkpoint::load(folder)),
        config(models::read_config(checkpoint, {}, &architecture)),
        weights(checkpoint, *architecture, config, {}) {}

  Checkpoint checkpoint;
  const models::Architecture* architecture = nullptr;
  models::DecoderConfig config;
  models::DecoderWeights weights;
};

}  // namespace

std::int64_t filled_layers(const Sizes& sizes) {
  const std::int64_t bytes = mlp_bytes(kFilledWidth * sizes.hidden);
  return std::max<std::int64_t>(2, (sizes.filled_bytes + bytes - 1) / bytes);
}

struct Workshop::Parts {
  fs::path folder;
  Sizes sizes;
  std::shared_ptr<ThreadPool> pool;
  std::map<std::string, std::unique_ptr<Stock>, std::less<>> stocks;
  std::multimap<std::uint64_t, fs::path> weight_files;  // by size
  std::uint64_t disk_bytes = 0;
  std::uint64_t shared_bytes = 0;

  Stock& stock(std::string_view form) {
    auto& one = stocks[std::string(form)];
    if (one == nullptr) one = std::make_unique<Stock>(folder / "stock" / form);
    return *one;
  }

  // Lets equal weight files be one on disk, where the file system can.
  void share(const fs::path& file) {
    std::error_code absent;
    const std::uint64_t size = fs::file_size(file, absent);
    if (absent) return;
    const auto [begin, end] = weight_files.equal_range(size);
    for (auto other = begin; other != end; ++other) {
      if (!are_equal(other->second, file)) continue;
      // Linked beside, then renamed over: the package is whole at any moment.
      const fs::path link = file.string() + ".link";
      std::error_code error;
      fs::create_hard_link(other->second, link, error);
      if (!error) fs::rename(link, file, error);
      if (error) break;
      shared_bytes += size;
      return;
    }
    weight_files.emplace(size, file);
    disk_bytes += size;
  }

  void note_existing() {
    const fs::path packages = folder / "packages";
    std::error_code absent;
    for (const auto& form : fs::directory_iterator(packages, absent)) {
      for (const auto& package : fs::directory_iterator(form.path(), absent)) {
        std::error_code none;
        const std::uint64_t size = fs::file_size(package.path() / kWeightFile, none);
        if (!none) weight_files.emplace(size, package.path() / kWeightFile);
      }
    }
  }
};

Workshop::Workshop(fs::path folder, const Sizes& sizes, int threads)
    : parts_(std::make_unique<Parts>()) {
  parts_->folder = std::move(folder);
  parts_->sizes = sizes;
  if (threads > 1) parts_->pool = std::make_shared<ThreadPool>(threads);
  parts_->note_existing();
}

Workshop::~Workshop() = default;
std::uint64_t Workshop::disk_bytes() const { return parts_->disk_bytes; }
std::uint64_t Workshop::shared_bytes() const { return parts_->shared_bytes; }

Files Workshop::make(const Experiment& experiment, std::string_view form) {
  Stock& stock = parts_->stock(form);
  const Graph graph = graph_of(experiment.id, form, parts_->sizes, filled_layers(parts_->sizes));
  package::Model model = to_model(build_graph(graph, stock.config, stock.weights), graph,
                                  experiment.id + ": " + experiment.says);
  const predict::Arrays inputs =
      example_inputs(graph, stock.config, *model.program.functions.front());

  const fs::path at = fs::path(form) / experiment.id;
  const Files files{
      .package = ("packages" / fs::path(form) / (experiment.id + ".mlpackage")).string(),
      .inputs = ("golden" / at / "inputs").string(),
      .outputs = ("golden" / at / "outputs").string()};
  const fs::path package = parts_->folder / files.package;
  std::error_code ignored;
  fs::remove_all(package, ignored);  // half-made by a run that was interrupted
  for (const fs::path& folder :
       {package.parent_path(), parts_->folder / files.inputs, parts_->folder / files.outputs}) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw Error(Code::kIo, folder.string() + ": " + error.message());
  }
  package::SaveOptions save;
  save.pool = parts_->pool.get();
  // Matrices alone lie in the weight file, in an order that all forms share, so that its bytes are
  // the same for most.
  save.blob_threshold_elements = static_cast<int>(4 * stock.config.hidden_size + 1);
  const package::SaveReport saved = package::save(model, package, save);
  parts_->share(package / kWeightFile);
  std::error_code absent;
  const auto weights = fs::file_size(package / kWeightFile, absent);
  parts_->disk_bytes += saved.bytes_written - (absent ? 0 : weights);

  const auto write = [&](const std::string& folder, const std::string& name, const Tensor& tensor) {
    const std::string bytes = predict::npy_bytes(tensor);
    write_file(parts_->folder / folder / (name + ".npy"), bytes);
    parts_->disk_bytes += bytes.size();
  };
  predict::Values values;
  for (const auto& [name, tensor] : inputs) {
    write(files.inputs, name, tensor);
    values[name] = tensor;
  }
  const auto runs = predict::Model::load(
      package, {.arithmetic = engine::Arithmetic::kFloat32, .pool = parts_->pool});
  for (const auto& [name, value] : runs->predict(values)) {
    write(files.outputs, name, convert(std::get<Tensor>(value), DType::kF32));
  }
  return files;
}

BuildReport build(const BuildOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const Checkpoint checkpoint = Checkpoint::load(options.checkpoint);
  std::vector<std::string_view> forms = {kForms[0]};
  if (options.sizes.filled_bytes > 0) forms.push_back(kForms[1]);
  StagedOutput staged(options.output, options.replace);
  const fs::path& folder = staged.folder();

  Ladder ladder{.tool = std::string("anemone ") + kVersion,
                .checkpoint = (options.checkpoint / "").parent_path().filename().string(),
                .weights = options.is_random ? "random" : "real",
                .sizes = options.sizes,
                .experiments = selected(planned_experiments(options.sizes), options.only)};
  BuildReport report;
  report.experiments = ladder.experiments.size();
  // A package takes about what its stock takes.
  std::map<std::string_view, std::uint64_t> stock_bytes;
  for (const std::string_view form : forms) {
    if (options.stop != nullptr) options.stop->throw_if_set();
    const fs::path stock = folder / "stock" / form;
    fs::create_directories(stock);
    write_stock(checkpoint, stock_sizes(options.sizes, form == "filled", options.is_random), stock);
    stock_bytes[form] = fs::file_size(stock / "model.safetensors");
    report.disk_bytes += stock_bytes[form];
  }
  std::uint64_t total_bytes = 0;
  for (const auto& [form, bytes] : stock_bytes) total_bytes += bytes * ladder.experiments.size();
  std::uint64_t done_bytes = 0;
  Workshop workshop(folder, options.sizes, options.threads);
  for (const std::string_view form : forms) {
    for (Experiment& experiment : ladder.experiments) {
      if (options.stop != nullptr) options.stop->throw_if_set();
      if (options.progress) {
        options.progress(experiment.id + ", " + std::string(form), done_bytes, total_bytes);
      }
      experiment.forms[std::string(form)] = workshop.make(experiment, form);
      done_bytes += stock_bytes[form];
      ++report.packages;
    }
  }
  save_ladder(ladder, folder);
  staged.commit();
  report.disk_bytes += workshop.disk_bytes();
  report.shared_bytes = workshop.shared_bytes();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return report;
}

}  // namespace anemone::ladder
