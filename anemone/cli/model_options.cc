#include "anemone/cli/model_options.h"

#include <sys/resource.h>

#include <fstream>

#include "anemone/base/error.h"
#include "anemone/coreml/coreml.h"

namespace anemone::cli {

void add_model_options(Options& options, ModelSettings& settings) {
  options.choice("--arithmetic A", settings.arithmetic, {"float16", "float32"},
                 "float16 rounds as the program says, float32 keeps activations exact (default: "
                 "float16)");
  options.integer("--threads N", settings.threads, 1, 1024, "(default: all processors)");
  options.choice("--path P", settings.path, {"auto", "decode"},
                 "auto takes prompts in by whole blocks, decode one position at a time (default: "
                 "auto)");
  add_strictness_options(options, settings);
  add_runner_options(options, settings);
}

void add_strictness_options(Options& options, ModelSettings& settings) {
  options.choice("--accumulate A", settings.accumulate, {"float32", "float16"},
                 "float16 rounds sums inside ops after every addition too: slow, and a bound from "
                 "below rather than what hardware does (default: float32)");
  std::string says =
      "comma-separated, or all: what is reported of the Neural Engine beyond rounding; slow";
  for (const engine::HazardDef& def : engine::all_hazards()) {
    says += "; " + std::string(def.name) + ": " + std::string(def.says) + " (" +
            std::string(def.source) + ")";
  }
  options.custom("--ane-hazards LIST", true, says, [&](std::string_view list) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      settings.hazards.emplace_back(list.substr(at, end - at));
      at = end + 1;
    }
    strictness_of(settings);  // refuses now, while the option's name is at hand
  });
}

engine::Strictness strictness_of(const ModelSettings& settings) {
  engine::Strictness strictness{.rounds_sums = settings.accumulate == "float16"};
  for (const std::string& name : settings.hazards) {
    const engine::HazardDef* found = engine::find_hazard(name);
    if (found != nullptr) {
      strictness.add(found->hazard);
      continue;
    }
    std::string known;
    for (const engine::HazardDef& def : engine::all_hazards()) {
      known += std::string(def.name) + ", ";
      if (name == "all") strictness.add(def.hazard);
    }
    if (name != "all") {
      throw Error(Code::kUsage, "--ane-hazards: '" + name + "' is none; allowed: " + known + "all");
    }
  }
  return strictness;
}

std::string arithmetic_text(const ModelSettings& settings) {
  std::string text = settings.arithmetic;
  const engine::Strictness strictness = strictness_of(settings);
  if (strictness.rounds_sums) text += ", sums in float16";
  std::string names;
  for (const engine::HazardDef& def : engine::all_hazards()) {
    if (strictness.has(def.hazard)) names += " " + std::string(def.name);
  }
  return names.empty() ? text : text + ", hazards" + names;
}

void add_runner_options(Options& options, ModelSettings& settings) {
  options.choice("--runner R", settings.runner, {"cpu", "coreml"},
                 "cpu is anemone's own engine; coreml is the system's, on macOS 15 or later "
                 "(default: cpu)");
  options.choice("--units U", settings.units, {"cpu", "cpu+gpu", "cpu+ane", "all"},
                 "the processors that Core ML may use (default: cpu+ane)");
}

namespace {

// Whatever is stricter than the program is the CPU engine's affair.
void require_no_strictness(const ModelSettings& settings, const std::string& why) {
  if (strictness_of(settings).any()) {
    throw Error(
        Code::kUsage,
        "--accumulate float16 and --ane-hazards make the CPU engine's fp16 stricter; " + why);
  }
}

generate::OpenPredictor opener(const ModelSettings& settings) {
  const engine::Strictness strictness = strictness_of(settings);
  if (settings.arithmetic != "float16") {
    require_no_strictness(settings,
                          "with --arithmetic " + settings.arithmetic + " nothing is fp16");
  }
  if (settings.runner != "coreml") {
    if (settings.units.empty() && !strictness.any()) return {};
    if (settings.units.empty()) {
      const engine::Options engine_options{
          .pool = std::make_shared<ThreadPool>(static_cast<int>(settings.threads)),
          .strictness = strictness};
      return [engine_options](const std::filesystem::path& package) {
        return generate::open_cpu_predictor(package, engine_options);
      };
    }
    throw Error(Code::kUsage,
                "--units says which processors Core ML may use; it goes with --runner coreml");
  }
  require_no_strictness(settings, "they do not go with --runner coreml");
  coreml::require_available();
  if (settings.arithmetic != "float16") {
    throw Error(Code::kUsage, "--arithmetic " + settings.arithmetic +
                                  " is the CPU engine's; Core ML computes as the program says");
  }
  coreml::Options options;
  if (!settings.units.empty()) options.units = coreml::find_compute_units(settings.units).value();
  return coreml::opener(options);
}

}  // namespace

generate::Runner::Options runner_options(const ModelSettings& settings, bool scores) {
  return {.arithmetic = settings.arithmetic == "float32" ? engine::Arithmetic::kFloat32
                                                         : engine::Arithmetic::kFloat16,
          .threads = static_cast<int>(settings.threads),
          .path = settings.path == "decode" ? generate::Path::kDecode : generate::Path::kAuto,
          .scores = scores,
          .open = opener(settings)};
}

std::uint64_t peak_bytes() {
  // getrusage's figure would count what the parent process held before exec. Source: Linux
  // getrusage(2) and proc(5), VmHWM.
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    if (word == "VmHWM:") {
      std::uint64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  }
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return static_cast<std::uint64_t>(usage.ru_maxrss);
#else
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace anemone::cli
