#include "anemone/convert/convert.h"

#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/options.h"
#include "anemone/cli/progress_bar.h"
#include "anemone/cli/words.h"

namespace anemone::cli {
extern const Command command_convert;
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 40;

struct Settings {
  std::string checkpoint;
  std::optional<std::string> output, pre_tokenizer;
  std::string layout = "bc1s";
  std::string kv = "slice";
  std::string interface = "anemone";
  std::optional<std::string> model_name;
  std::string fp16_safe = "auto";
  std::int64_t threads = 0;
  bool json = false;
  converter::Options convert;
};

void take_target(std::string_view value, mil::Opset& target) {
  const auto found = mil::find_opset_by_target(value);
  if (!found) {
    throw Error(Code::kUsage, "--target is '" + std::string(value) +
                                  "'; allowed: ios18 or macos15, ios26 or macos26");
  }
  target = *found;
}

void declare(Options& options, Settings& settings) {
  converter::Options& to = settings.convert;
  to.form.context = 0;
  options.about("Turns a checkpoint into a bundle of Core ML packages.");
  options.operand("CHECKPOINT", settings.checkpoint);
  options.text("-o OUT", settings.output, "the bundle's folder");
  options.flag("--force", to.replace, "replaces OUT if it exists");
  options.integer("--context N", to.form.context, 1, kMany,
                  "positions in the cache, a multiple of 64 (default: the smaller of 1024 and the "
                  "model's own limit)");
  options.integer("--prefill N", to.form.prefill, 1, kMany,
                  "positions that one call takes in (default: 64)");
  options.integer("--parts N|auto", to.parts, 1, kMany,
                  "packages that the layers are cut into; auto is the fewest of at most 500 MB "
                  "(default: auto)",
                  0);
  options.choice(
      "--layout L", settings.layout, {"bc1s", "bsc"},
      "bc1s is channels first with 1x1 convolutions, bsc the ordinary one (default: bc1s)");
  options.choice("--kv K", settings.kv, {"slice", "blend", "host"},
                 "how the cache is written: slice_update of a state, blend of a state with a mask, "
                 "or by the host (default: slice)");
  options.integer("--head-tiles N|auto", to.form.head_tiles, 1, kMany,
                  "pieces of the output projection; auto is the fewest of at most 16,384 outputs "
                  "(default: auto)",
                  0);
  options.integer("--layers K", to.layers, 1, kMany, "keeps the first K layers only");
  options.flag("--single", to.single, "one package from token ids to logits");
  options.choice("--interface I", settings.interface, {"anemone", "swift-transformers"},
                 "swift-transformers is one package of flexible shapes, as that library loads it; "
                 "flexible shapes keep a model off the Neural Engine (default: anemone)");
  options.text(
      "--model-name NAME", settings.model_name,
      "with --interface swift-transformers: the model's name on the hub, where the library "
      "looks for its tokenizer (default: the checkpoint's own name)");
  options.custom("--target OS", false, "ios18 or macos15, ios26 or macos26 (default: ios18)",
                 [&](std::string_view value) { take_target(value, to.form.target); });
  options.choice(
      "--fp16-safe M", settings.fp16_safe, {"off", "auto"},
      "auto measures ranges on a short text and, where fp16 would overflow, moves powers "
      "of two between weights; the arithmetic stays the same. off leaves the plain form (default: "
      "auto)");
  options.flag("--tie-missing-head", to.tie_missing_head,
               "an untied checkpoint without lm_head.weight may use the embedding");
  options.texts("--ignore-key KEY", to.ignored_keys,
                "goes on without a config key that is not known; repeatable");
  options.text("--pre-tokenizer NAME", settings.pre_tokenizer,
               "for a GGUF file whose tokenizer.ggml.pre is not known: the one to use");
  options.integer("--threads N", settings.threads, 1, 1024, "(default: all processors)");
  options.flag("--json", settings.json, "the summary, and errors, as JSON");
  options.example("anemone convert models/tiny-qwen3 -o tiny");
}

void print_summary(const Console& console, const Settings& settings,
                   const converter::Report& report) {
  if (settings.json) {
    OrderedJson packages = OrderedJson::array();
    for (const auto& package : report.packages) packages.push_back(package.string());
    console.print({{"output", *settings.output},
                   {"packages", packages},
                   {"parameters", report.parameters},
                   {"written_bytes", report.written_bytes},
                   {"weight_bytes", report.weight_bytes},
                   {"flushed_to_zero", report.flushed_to_zero},
                   {"warnings", report.warnings},
                   {"fp16_safe", report.fp16_safe},
                   {"fp16_safe_seconds", report.fp16_safe_seconds},
                   {"seconds", report.seconds}});
    console.flush_out();
    return;
  }
  for (const std::string& warning : report.warnings) {
    console.err << "anemone: warning: " << warning << '\n';
  }
  console.out << *settings.output << ": " << plural(report.packages.size(), "package") << ", "
              << count_text(report.parameters) << " parameters, "
              << bytes_text(report.written_bytes) << " in " << seconds_text(report.seconds) << '\n';
  for (const auto& package : report.packages) console.out << "  " << package.string() << '\n';
  if (!report.fp16_safe.is_null()) {
    const auto measured = report.fp16_safe.at("measured_on");
    console.out << "  fp16-safe: " << report.fp16_safe.at("done").get<std::string>();
    if (measured.is_string()) console.out << " (measured on " << measured.get<std::string>() << ")";
    console.out << ", " << seconds_text(report.fp16_safe_seconds) << " of the time\n";
  }
  console.flush_out();
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_convert);
  declare(options, settings);
  if (!options.parse(console, arguments)) return 0;
  if (!settings.output) throw Error(Code::kUsage, "convert needs a folder to write: -o OUT");
  converter::Options& to = settings.convert;
  to.checkpoint = settings.checkpoint;
  to.output = *settings.output;
  to.form.layout = settings.layout == "bsc" ? models::Layout::kBsc : models::Layout::kBc1s;
  to.form.kv = settings.kv == "blend"  ? models::KvWrite::kBlend
               : settings.kv == "host" ? models::KvWrite::kHost
                                       : models::KvWrite::kSlice;
  if (settings.interface == "swift-transformers") {
    to.interface = converter::Interface::kSwiftTransformers;
    to.model_name = settings.model_name.value_or("");
  } else if (settings.model_name) {
    throw Error(Code::kUsage, "--model-name needs --interface swift-transformers");
  }
  to.fp16_safe =
      settings.fp16_safe == "auto" ? converter::Fp16Safe::kAuto : converter::Fp16Safe::kOff;
  to.pre_tokenizer = settings.pre_tokenizer.value_or("");
  to.threads = static_cast<int>(settings.threads);
  to.stop = console.stop;
  console.stop_gently();
  converter::Report report;
  {
    ProgressBar bar(console);
    to.progress = [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
      bar.update(what, done, total);
    };
    report = converter::convert(to);
  }
  print_summary(console, settings, report);
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(convert) = {.name = "convert",
                                   .says = "a checkpoint to a Core ML bundle",
                                   .usage = "[options] CHECKPOINT -o OUT",
                                   .run = run};

}  // namespace anemone::cli
