#include "anemone/generate/runner.h"

#include "anemone/base/error.h"
#include "anemone/base/files.h"

namespace anemone::generate {
namespace {

std::optional<Tokenizer> load_tokenizer(const Bundle& bundle) {
  if (!bundle.has_tokenizer) return std::nullopt;
  const auto path = bundle.folder / "tokenizer.json";
  const MappedFile file(path);
  return Tokenizer::from_json(as_text(file.view()), path.string());
}

}  // namespace

std::unique_ptr<const Runner> Runner::load(const std::filesystem::path& folder,
                                           const Options& options) {
  std::unique_ptr<Runner> runner(new Runner(load_bundle(folder), options));
  runner->tokenizer_ = load_tokenizer(runner->bundle_);
  switch (runner->bundle_.kind) {
    case Bundle::Kind::kParts:
      runner->open_parts();
      break;
    case Bundle::Kind::kSingle:
      runner->open_single();
      break;
    case Bundle::Kind::kRanged:
      runner->open_ranged();
      return runner;  // made ready by each call, for its shapes
  }
  runner->prepare();
  return runner;
}

Runner::Runner(Bundle bundle, const Options& options)
    : bundle_(std::move(bundle)), options_(options) {
  if (options_.open) return;
  engine::Options engine_options{.arithmetic = options_.arithmetic,
                                 .pool = std::make_shared<ThreadPool>(options_.threads)};
  options_.open = [engine_options](const std::filesystem::path& package) {
    return open_cpu_predictor(package, engine_options);
  };
}

Runner::Stage Runner::open_stage(const std::string& package, std::int64_t layers) {
  Stage stage;
  stage.predictor = options_.open(bundle_.folder / package);
  stage.layers = layers;
  const bool single = bundle_.kind == Bundle::Kind::kSingle;
  const auto plan = [&](std::string_view function, std::int64_t rows) {
    std::vector<Role> required{single ? Role::kInputIds : Role::kHidden};
    std::vector<ExpectedOutput> outputs;
    if (!single) {
      outputs.push_back({"hidden_out", {1, rows, bundle_.hidden_size}});
    } else if (function == "score") {
      outputs.push_back({bundle_.model_output, {1, rows, bundle_.vocab_size}});
    } else {
      outputs.push_back({bundle_.model_output, {1, 1, bundle_.vocab_size}});
      if (function == "prefill") required.push_back(Role::kLast);
    }
    if (bundle_.kv == "host") {
      required.push_back(Role::kCache);
      outputs.push_back(
          {"kv_new", {2 * layers, bundle_.num_key_value_heads, rows, bundle_.head_dim}});
    }
    return plan_call(*stage.predictor, bundle_, package, function, rows, layers, required, outputs);
  };
  stage.decode = plan("decode", 1);
  stage.prefill = plan("prefill", bundle_.prefill);
  if (single) stage.score = plan("score", bundle_.prefill);
  return stage;
}

void Runner::open_parts() {
  embedding_.emplace(bundle_);
  for (const Part& part : bundle_.parts) {
    stages_.push_back(open_stage(part.package, part.layers));
  }
  head_ = options_.open(bundle_.folder / bundle_.head_package);
  const auto plan = [&](std::string_view function, std::int64_t rows) {
    std::vector<ExpectedOutput> outputs;
    for (const HeadTile& tile : bundle_.head_tiles) {
      outputs.push_back({tile.output, {1, rows, tile.rows}});
    }
    return plan_call(*head_, bundle_, bundle_.head_package, function, rows, 0, {Role::kHidden},
                     outputs);
  };
  head_decode_ = plan("decode", 1);
  head_score_ = plan("score", bundle_.prefill);
}

void Runner::open_single() {
  stages_.push_back(open_stage(bundle_.model_package, bundle_.num_hidden_layers));
}

void Runner::open_ranged() {
  Stage stage;
  stage.predictor = options_.open(bundle_.folder / bundle_.model_package);
  stage.layers = bundle_.num_hidden_layers;
  ranged_masks_ = require_ranged(*stage.predictor, bundle_);
  stages_.push_back(std::move(stage));
}

void Runner::prepare() const {
  const bool blocks = options_.path == Path::kAuto && bundle_.prefill > 1;
  for (const Stage& stage : stages_) {
    stage.predictor->prepare("decode");
    if (blocks) stage.predictor->prepare(stage.score && options_.scores ? "score" : "prefill");
  }
  if (head_) head_->prepare("decode");
  if (head_ && blocks && options_.scores) head_->prepare("score");
}

}  // namespace anemone::generate
