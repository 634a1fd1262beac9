#include "anemone/convert/convert.h"

#include <chrono>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/base/thread_pool.h"
#include "anemone/base/version.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/convert/fp16_safety.h"
#include "anemone/convert/side_files.h"
#include "anemone/generate/bundle.h"
#include "anemone/models/architecture.h"
#include "anemone/models/decoder.h"
#include "anemone/package/package.h"

namespace anemone::converter {
namespace {

namespace fs = std::filesystem;

constexpr char kHeadPackage[] = "head.mlpackage";
constexpr char kSinglePackage[] = "model.mlpackage";
constexpr char kEmbeddingFile[] = "embedding.bin";
constexpr char kWeightFile[] = "Data/com.apple.CoreML/weights/weight.bin";
constexpr std::int64_t kContextStep = 64;
constexpr std::int64_t kDefaultContext = 1024;
// Room for what the plan does not count: folder entries, the file system's own blocks.
constexpr std::uint64_t kSlackBytes = 1 << 20;

[[noreturn]] void refuse(const std::string& why) { throw Error(Code::kUsage, why); }

std::int64_t settled_context(std::int64_t asked, std::int64_t limit,
                             std::vector<std::string>& warnings) {
  if (asked == 0) {
    const std::int64_t rounded = std::min(kDefaultContext, limit) / kContextStep * kContextStep;
    if (rounded > 0) return rounded;
    warnings.push_back("the model's own limit is " + std::to_string(limit) +
                       " positions; the context is " + std::to_string(kContextStep) +
                       ", of which those beyond it were never trained");
    return kContextStep;
  }
  if (asked < kContextStep || asked % kContextStep != 0) {
    refuse("--context " + std::to_string(asked) + ": must be a multiple of " +
           std::to_string(kContextStep));
  }
  if (asked > limit && asked > kContextStep) {
    refuse("--context " + std::to_string(asked) + ": the model's own limit " +
           "(max_position_embeddings) is " + std::to_string(limit));
  }
  return asked;
}

models::Form settled_form(const Options& options, const models::DecoderConfig& config,
                          std::vector<std::string>& warnings) {
  models::Form form = options.form;
  form.context = settled_context(form.context, config.max_position_embeddings, warnings);
  if (form.prefill < 1 || form.prefill > form.context) {
    refuse("--prefill " + std::to_string(form.prefill) + ": must be from 1 to the context, " +
           std::to_string(form.context));
  }
  if (form.target < mil::Opset::kIos18) {
    refuse("--target " + std::string(mil::info(form.target).target) +
           ": a package with several functions needs ios18 (macos15) or later");
  }
  if (options.single && form.head_tiles > 1) {
    refuse("--head-tiles " + std::to_string(form.head_tiles) +
           ": with --single the head is one tile, which the embedding shares");
  }
  if (form.head_tiles < 0 || models::cut_head(config.vocab_size, form.head_tiles).empty()) {
    refuse("--head-tiles " + std::to_string(form.head_tiles) + ": " +
           std::to_string(config.vocab_size) +
           " outputs cannot be cut into so many tiles of a multiple of 32");
  }
  if (options.parts < 0 || options.parts > config.num_hidden_layers) {
    refuse("--parts " + std::to_string(options.parts) + ": the model has " +
           std::to_string(config.num_hidden_layers) + " layers");
  }
  if (options.interface == Interface::kSwiftTransformers) {
    const auto refuse_with = [](const char* option) {
      refuse(std::string(option) + ": with --interface swift-transformers the form is fixed");
    };
    if (options.single) refuse_with("--single");
    if (options.parts > 0) refuse_with("--parts");
    if (form.head_tiles > 0) refuse_with("--head-tiles");
    if (form.kv != models::KvWrite::kSlice) refuse_with("--kv");
    form.layout = models::Layout::kBsc;
    warnings.push_back(
        "this interface has flexible shapes, which keep a model off the Neural Engine: expect CPU "
        "and GPU");
  }
  if (options.single && options.parts > 1) {
    refuse("--parts " + std::to_string(options.parts) + ": --single makes one package");
  }
  return form;
}

std::string part_name(std::size_t index) {
  const std::string number = std::to_string(index);
  return "layers_" + std::string(number.size() < 2 ? "0" : "") + number + ".mlpackage";
}

package::Model to_model(mil::Program program, const models::DecoderConfig& config,
                        const std::string& says) {
  package::Model model;
  model.program = std::move(program);
  model.specification_version =
      mil::info(model.program.functions.front()->opset).specification_version;
  for (const auto& function : model.program.functions) {
    model.interfaces[function->name] = package::interface_of(*function);
  }
  model.default_function = models::kDecode;
  model.is_multifunction = true;
  model.metadata.short_description = config.model_type + " decoder: " + says;
  return model;
}

// Sizes that a ranged package's inputs may have, and the name that the library looks for.
// Source: huggingface/swift-transformers Sources/Models/LanguageModel.swift (modelName,
// contextRange), 2026.
void describe_ranges(package::Model& model, std::int64_t context, const std::string& name) {
  package::Interface& interface = model.interfaces.at(models::kMain);
  for (package::Feature& input : interface.inputs) {
    auto& array = std::get<package::ArrayFeature>(input.type);
    for (package::SizeRange& range : array.ranges) {
      if (range.upper < 0) range.upper = context;
    }
  }
  model.default_function = models::kMain;
  model.is_multifunction = false;
  model.metadata.user_defined["co.huggingface.exporters.name"] = name;
}

std::string layers_text(models::Range layers) {
  return "layers " + std::to_string(layers.first) + " to " +
         std::to_string(layers.first + layers.count - 1);
}

// A conversion under way: what is to be written, then writing it.
class Conversion {
 public:
  explicit Conversion(const Options& options)
      : options_(options),
        checkpoint_(Checkpoint::load(options.checkpoint)),
        config_(models::read_config(checkpoint_, options.ignored_keys, &architecture_)),
        weights_(checkpoint_, *architecture_, config_, {options.layers, options.tie_missing_head}),
        form_(settled_form(options, config_, report_.warnings)),
        side_(read_side_files(checkpoint_, options.pre_tokenizer)),
        pool_(options.threads) {
    const auto append = [&](const std::vector<std::string>& more) {
      report_.warnings.insert(report_.warnings.end(), more.begin(), more.end());
    };
    // A window as wide as the context hides nothing.
    if (config_.sliding_window >= form_.context) config_.sliding_window = 0;
    append(weights_.warnings());
    append(side_.warnings);
    if (side_.tokenizer_size > config_.vocab_size) {
      report_.warnings.push_back(
          "the tokenizer has ids up to " + std::to_string(side_.tokenizer_size - 1) +
          ", but the model only " + std::to_string(config_.vocab_size) + " rows");
    }
  }

  Report run() {
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    // Before the time that measuring takes; to the byte once there is a plan.
    require_free_space(options_.output, 2 * weights_.parameters());
    StagedOutput staged(options_.output, options_.replace);
    if (options_.fp16_safe == Fp16Safe::kAuto) {
      make_safe();
      report_.fp16_safe_seconds = seconds();
    }
    plan();
    require_free_space(options_.output, planned_bytes_ + kSlackBytes);
    write_bundle(staged.folder());
    staged.commit();
    if (report_.flushed_to_zero > 0) {
      report_.warnings.push_back(std::to_string(report_.flushed_to_zero) +
                                 " weights are too small for fp16 and became zero");
    }
    report_.parameters = weights_.parameters();
    report_.seconds = seconds();
    return std::move(report_);
  }

 private:
  // Everything, into a folder that is empty.
  void write_bundle(const fs::path& folder) {
    report_.packages.clear();
    report_.written_bytes = report_.weight_bytes = 0;
    for (auto& [name, model] : models_) {
      save_package(folder, name, model);
      weights_.require_finite();
    }
    bundle_ = described();
    if (makes_parts()) place_embedding(folder, bundle_);
    weights_.require_finite();
    for (const auto& [name, text] : side_.files) write(folder / name, text);
    report_.flushed_to_zero = weights_.flushed_to_zero();
    write_manifest(folder);
  }

  void write_manifest(const fs::path& folder) {
    bundle_.conversion = {{"parts", bundle_.parts.size()},
                          {"ignored_keys", options_.ignored_keys},
                          {"flushed_to_zero", report_.flushed_to_zero},
                          {"warnings", report_.warnings}};
    if (!report_.fp16_safe.is_null()) bundle_.conversion["fp16_safe"] = report_.fp16_safe;
    write(folder / "bundle.json",
          generate::to_json(bundle_).dump(2, ' ', false, OrderedJson::error_handler_t::replace) +
              "\n");
  }

  // Measures the checkpoint and chooses the form that fits.
  void make_safe() {
    SafetyOptions options{.layers = config_.num_hidden_layers,
                          .tie_missing_head = options_.tie_missing_head,
                          .context = form_.context,
                          .threads = options_.threads,
                          .stop = options_.stop};
    if (options_.progress) {
      options.progress = [this](std::string_view, std::uint64_t done, std::uint64_t total) {
        options_.progress("measuring ranges", done, total);
      };
    }
    if (side_.has_tokenizer) {
      const auto found = std::find_if(side_.files.begin(), side_.files.end(), [](const auto& file) {
        return file.first == "tokenizer.json";
      });
      options.tokenizer = found->second;
    }
    const Safety safety = measure_safety(checkpoint_, options);
    report_.fp16_safe = safety.to_json();
    if (safety.measured_on.empty()) {
      report_.warnings.push_back(
          "no ranges were measured, so nothing was done to keep fp16 from "
          "overflowing: " +
          safety.why_not);
    }
    form_.scales = safety.scales;
    if (safety.rescales_norms) form_.stream_norm = models::Norm::kPrescaled;
    weights_.set_scales(form_.scales);
  }

  bool makes_parts() const { return !options_.single && !is_ranged(); }
  bool is_ranged() const { return options_.interface == Interface::kSwiftTransformers; }

  // As the hub knows it, where the checkpoint says so.
  std::string model_name() const {
    if (!options_.model_name.empty()) return options_.model_name;
    const auto named = checkpoint_.config().find("_name_or_path");
    if (named != checkpoint_.config().end() && named->is_string() &&
        !named->get_ref<const std::string&>().empty()) {
      return named->get<std::string>();
    }
    const fs::path path = fs::absolute(options_.checkpoint / "").lexically_normal().parent_path();
    return (path.extension() == ".gguf" ? path.stem() : path.filename()).string();
  }

  void plan() {
    if (is_ranged()) {
      package::Model model = to_model(models::build_ranged(config_, form_, weights_), config_,
                                      "token ids to logits, any number of them");
      describe_ranges(model, form_.context, model_name());
      add(kSinglePackage, std::move(model));
      return;
    }
    if (options_.single) {
      add(kSinglePackage, models::build_single(config_, form_, weights_), "token ids to logits");
      return;
    }
    std::vector<std::int64_t> layer_bytes;
    for (std::int64_t layer = 0; layer < config_.num_hidden_layers; ++layer) {
      layer_bytes.push_back(weights_.parameter_bytes(layer));
    }
    parts_ = models::cut_layers(layer_bytes, options_.parts);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      add(part_name(i), models::build_layers(config_, form_, weights_, parts_[i]),
          layers_text(parts_[i]));
    }
    add(kHeadPackage, models::build_head(config_, form_, weights_), "head");
    if (!is_tied()) {
      planned_bytes_ += static_cast<std::uint64_t>(config_.vocab_size * config_.hidden_size * 2);
    }
  }

  bool is_tied() const { return weights_.head_role() == models::Role::kEmbedding; }

  void add(const std::string& name, mil::Program program, const std::string& says) {
    add(name, to_model(std::move(program), config_, says));
  }

  void add(const std::string& name, package::Model model) {
    models_.emplace_back(name, std::move(model));
    planned_bytes_ += package::planned_bytes(models_.back().second);
  }

  package::SaveOptions save_options(const std::string& name) {
    package::SaveOptions options;
    options.pool = &pool_;
    options.stop = options_.stop;
    if (options_.progress) {
      options.progress = [this, name](std::string_view, std::uint64_t done, std::uint64_t) {
        options_.progress(name, report_.written_bytes + done, planned_bytes_);
      };
    }
    return options;
  }

  void save_package(const fs::path& folder, const std::string& name, const package::Model& model) {
    if (options_.stop != nullptr) options_.stop->throw_if_set();
    const package::SaveReport saved = package::save(model, folder / name, save_options(name));
    report_.packages.emplace_back(name);
    report_.written_bytes += saved.bytes_written;
    std::error_code absent;
    const auto weight_bytes = fs::file_size(folder / name / kWeightFile, absent);
    if (!absent) report_.weight_bytes += weight_bytes;
    if (name == kHeadPackage) head_ = saved;
  }

  // bundle.json but for where the embedding lies.
  generate::Bundle described() const {
    generate::Bundle bundle;
    bundle.tool = std::string("anemone ") + kVersion;
    bundle.kind = makes_parts()     ? generate::Bundle::Kind::kParts
                  : options_.single ? generate::Bundle::Kind::kSingle
                                    : generate::Bundle::Kind::kRanged;
    bundle.architecture = config_.model_type;
    bundle.target = mil::info(form_.target).target;
    bundle.layout = models::name(form_.layout);
    bundle.kv = models::name(form_.kv);
    bundle.vocab_size = config_.vocab_size;
    bundle.hidden_size = config_.hidden_size;
    bundle.num_hidden_layers = config_.num_hidden_layers;
    bundle.num_attention_heads = config_.num_attention_heads;
    bundle.num_key_value_heads = config_.num_key_value_heads;
    bundle.head_dim = config_.head_dim;
    bundle.context = form_.context;
    bundle.prefill = form_.prefill;
    bundle.mask_value = models::kMaskValue;
    bundle.sliding_window = config_.sliding_window;
    bundle.inv_freq = config_.inv_freq;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      bundle.parts.push_back({part_name(i), parts_[i].first, parts_[i].count});
    }
    bundle.head_package = kHeadPackage;
    bundle.model_package = kSinglePackage;
    bundle.model_output = models::kLogits;
    bundle.has_tokenizer = side_.has_tokenizer;
    bundle.bos_token_id = side_.bos_token_id;
    bundle.eos_token_ids = side_.eos_token_ids;
    return bundle;
  }

  // The embedding's rows: inside the head's weight file when tied, else in a file of their own.
  void place_embedding(const fs::path& folder, generate::Bundle& bundle) {
    const auto tiles = models::cut_head(config_.vocab_size, form_.head_tiles);
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      bundle.head_tiles.push_back({models::logits_name(i), tiles[i].first, tiles[i].count});
    }
    if (is_tied()) {
      const bool as_conv = form_.layout == models::Layout::kBc1s;
      for (const models::Range tile : tiles) {
        const auto weight =
            weights_.rows(models::Role::kEmbedding, tile.first, tile.count, as_conv);
        bundle.embedding_tiles.push_back({std::string(kHeadPackage) + "/" + kWeightFile,
                                          head_.blobs.at(weight->bytes().get()).data_offset,
                                          tile.first, tile.count});
      }
      return;
    }
    const Tensor table = *weights_.matrix(models::Role::kEmbedding, 0, false);
    const package::SaveReport saved = package::write_blob_file(
        folder / kEmbeddingFile, std::span(&table, 1), save_options(kEmbeddingFile));
    report_.written_bytes += saved.bytes_written;
    report_.weight_bytes += saved.bytes_written;
    bundle.embedding_tiles.push_back(
        {kEmbeddingFile, saved.blobs.at(table.bytes().get()).data_offset, 0, config_.vocab_size});
  }

  void write(const fs::path& path, const std::string& text) {
    write_file(path, text);
    report_.written_bytes += text.size();
  }

  const Options& options_;
  Report report_;
  Checkpoint checkpoint_;
  const models::Architecture* architecture_ = nullptr;
  models::DecoderConfig config_;
  models::DecoderWeights weights_;
  models::Form form_;
  SideFiles side_;
  ThreadPool pool_;
  std::vector<models::Range> parts_;
  std::vector<std::pair<std::string, package::Model>> models_;
  std::uint64_t planned_bytes_ = 0;
  package::SaveReport head_;
  generate::Bundle bundle_;
};

}  // namespace

Report convert(const Options& options) { return Conversion(options).run(); }

}  // namespace anemone::converter
