#include "anemone/report/report.h"

#include <sstream>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/cli/command.h"
#include "anemone/cli/lint_subject.h"
#include "anemone/cli/options.h"
#include "anemone/cli/words.h"
#include "anemone/generate/bundle.h"
#include "anemone/report/measurements.h"

namespace anemone::cli {
extern const Command command_report;
namespace {
namespace fs = std::filesystem;

struct Settings {
  std::string path;
  std::optional<std::string> output, title, chip, target, ranges;
  std::vector<std::string> evidence;
  bool force = false;
  bool json = false;
};

// The packages of a bundle, or the one that `path` is.
std::vector<fs::path> packages_at(const fs::path& path, report::Options& options) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Error(Code::kNotFound, path.string() + ": there is no such file or folder");
  }
  if (!generate::is_bundle(path)) return {path};
  const generate::Bundle bundle = generate::load_bundle(path);
  std::vector<fs::path> all;
  for (const std::string& package : bundle.packages()) all.push_back(path / package);
  options.facts = {{"architecture", bundle.architecture},
                   {"layers", std::to_string(bundle.num_hidden_layers)},
                   {"hidden", std::to_string(bundle.hidden_size)},
                   {"context", std::to_string(bundle.context)},
                   {"layout", bundle.layout},
                   {"cache", bundle.kv},
                   {"target", bundle.target}};
  return all;
}

// "OUT" of "OUT/", and of "." the folder's own name.
std::string name_of(const fs::path& path) {
  const fs::path clean = fs::absolute(path).lexically_normal();
  return (clean.has_filename() ? clean.filename() : clean.parent_path().filename()).string();
}

lint::Options lint_options(const Settings& settings) {
  lint::Options options;
  if (settings.chip) {
    options.chip = lint::find_chip(*settings.chip);
    if (!options.chip) {
      std::string known;
      for (const lint::Chip& chip : lint::chips()) {
        known += (known.empty() ? "" : ", ") + std::string(chip.name);
      }
      throw Error(Code::kUsage,
                  "--chip does not know '" + *settings.chip + "'; it takes one of " + known);
    }
  }
  if (settings.target) {
    options.target = mil::find_opset_by_target(*settings.target);
    if (!options.target) {
      throw Error(Code::kUsage,
                  "--target takes ios15 to ios18, ios26 or the macOS of that year; found '" +
                      *settings.target + "'");
    }
  }
  return options;
}

double number_in(const Json& line, const char* key, const std::string& where) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number()) {
    throw Error(Code::kBadInput,
                where + ": '" + key + "' must be a number, as ranges --json has it");
  }
  return found->get<double>();
}

std::string text_in(const Json& line, const char* key, const std::string& where) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_string()) {
    throw Error(Code::kBadInput,
                where + ": '" + key + "' must be a string, as ranges --json has it");
  }
  return found->get<std::string>();
}

// What `ranges --json` printed: an object a line.
std::vector<report::ValueRange> load_ranges(const fs::path& path) {
  std::vector<report::ValueRange> all;
  std::istringstream lines(read_text(path));
  std::string text;
  for (int number = 1; std::getline(lines, text); ++number) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string where = path.string() + ": line " + std::to_string(number);
    const Json line = parse_json(text, where);
    if (!line.is_object()) throw Error(Code::kBadInput, where + ": must be an object");
    const auto whole = [&](const char* key) {
      const double value = number_in(line, key, where);
      if (!(value >= 0 && value <= 9e15)) {
        throw Error(Code::kBadInput, where + ": '" + key + "' must be a count");
      }
      return static_cast<std::uint64_t>(value);
    };
    // Null where it is infinite; absent where somebody else wrote the file.
    const auto if_there = [&](const char* key) {
      const auto found = line.find(key);
      return found == line.end() || found->is_null() ? std::nullopt
                                                     : std::optional(number_in(line, key, where));
    };
    all.push_back({.package = text_in(line, "package", where),
                   .value = text_in(line, "value", where),
                   .max_magnitude = number_in(line, "max", where),
                   .median = if_there("p50"),
                   .nearly_all = if_there("p99_9"),
                   .nans = whole("nans"),
                   .infinities = whole("infinities")});
  }
  return all;
}

// Records of these very packages: evidence of other bytes says nothing of them.
void add_evidence(const fs::path& file, const std::vector<fs::path>& packages,
                  report::Options& options) {
  const evidence::Document document = evidence::load_document(file);
  const auto before = options.measurements.size();
  for (const fs::path& path : packages) {
    evidence::Package package = evidence::describe_package(path);
    package.name = name_of(path);
    for (report::Measurement& measurement : report::measurements_of(document, package)) {
      options.measurements.push_back(std::move(measurement));
    }
  }
  if (options.measurements.size() == before) {
    throw Error(Code::kBadInput,
                file.string() + ": none of its " + std::to_string(document.records.size()) +
                    " records holds a compute plan of a package here (they are told by the hash of "
                    "their files)");
  }
}

// Under its name when it is complete.
void write_page(const fs::path& path, const std::string& page, bool replace) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) {
    throw Error(Code::kBadInput, path.string() + ": is a folder; -o takes a file");
  }
  if (fs::exists(path, failed) && !fs::is_regular_file(path, failed)) {
    write_file(path, page);  // a pipe or a device
    return;
  }
  if (fs::exists(path, failed) && !replace) {
    throw Error(Code::kBadInput, path.string() + ": already exists; --force replaces it");
  }
  const fs::path partial = path.string() + ".partial";
  try {
    write_file(partial, page);
    fs::rename(partial, path, failed);
    if (failed) {
      throw Error(Code::kIo, path.string() + ": cannot be put in place: " + failed.message());
    }
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove(partial, ignored);
    throw;
  }
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_report);
  options.about(
      "Writes one page for a browser: every op by layer, where it is predicted to run and why, "
      "weights, states, and costs. It loads nothing from any network.");
  options.operand("PATH", settings.path);
  options.text("-o FILE", settings.output, "the page, report.html say");
  options.flag("--force", settings.force, "replaces FILE if it exists");
  options.text("--chip CHIP", settings.chip, "M4, A17 Pro, ... (default: the rules of every chip)");
  options.text("--target OS", settings.target,
               "ios17, ios18, macos15, ... (default: what the package asks for)");
  options.texts("--evidence FILE", settings.evidence,
                "what a Mac measured of these packages; repeatable");
  options.text("--ranges FILE", settings.ranges,
               "how large values grow: what 'anemone ranges --json' printed");
  options.text("--title TEXT", settings.title, "(default: PATH's name)");
  options.flag("--json", settings.json, "a summary, and errors, as JSON");
  options.example("anemone report OUT -o report.html");
  if (!options.parse(console, arguments)) return 0;
  if (!settings.output) throw Error(Code::kUsage, "report needs -o FILE");

  report::Options page_options;
  page_options.lint = lint_options(settings);
  const std::vector<fs::path> paths = packages_at(settings.path, page_options);
  page_options.title = settings.title.value_or(name_of(settings.path));
  if (settings.ranges) page_options.ranges = load_ranges(*settings.ranges);
  std::vector<package::Model> models;
  models.reserve(paths.size());
  std::vector<report::Source> sources;
  for (const fs::path& path : paths) {
    models.push_back(package::load(path));
    sources.push_back(
        {.name = name_of(path), .model = &models.back(), .subject = lint_subject(models.back())});
  }
  for (const std::string& file : settings.evidence) {
    add_evidence(file, paths, page_options);
  }
  report::Summary summary;
  const std::string page = report::page(report::data(sources, page_options, &summary));
  write_page(*settings.output, page, settings.force);

  if (settings.json) {
    console.print({{"output", *settings.output},
                   {"bytes", page.size()},
                   {"functions", summary.functions},
                   {"ops", summary.ops},
                   {"findings", summary.findings},
                   {"predicted_off_engine", summary.away},
                   {"measured", summary.measured},
                   {"agreements", summary.agreements},
                   {"contradictions", summary.contradictions}});
  } else {
    console.err << *settings.output << ": " << plural(summary.ops, "op") << " in "
                << plural(summary.functions, "function") << ", "
                << plural(summary.findings, "finding") << ", " << summary.away
                << " predicted off the engine; " << bytes_text(page.size()) << '\n';
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(report) = {.name = "report",
                                  .says = "a page that shows where every op would run, and why",
                                  .usage = "[options] PATH -o FILE",
                                  .run = run};

}  // namespace anemone::cli
