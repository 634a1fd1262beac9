#include "anemone/evidence/evidence.h"

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/cli/command.h"
#include "anemone/cli/lint_subject.h"
#include "anemone/cli/measuring_settings.h"
#include "anemone/cli/nearest.h"
#include "anemone/cli/options.h"
#include "anemone/cli/own_path.h"
#include "anemone/cli/progress_bar.h"
#include "anemone/evidence/placement.h"
#include "anemone/evidence/power.h"
#include "anemone/evidence/schema.h"
#include "anemone/generate/bundle.h"
#include "anemone/ladder/record.h"
#include "anemone/lint/lint.h"
#include "anemone/package/package.h"

namespace anemone::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kParts[] = {"record", "energy", "merge", "show", "check"};
// Not for users: what `evidence record` starts for each function.
constexpr std::string_view kChild = "child";

constexpr Command kRecord = {.name = "evidence record",
                             .usage = "[options] PATH -o OUT.json --runner NAME"};
constexpr Command kEnergy = {.name = "evidence energy", .usage = "[options] FILE... --power LOG"};
constexpr Command kMerge = {.name = "evidence merge", .usage = "[options] FILE... -o OUT.json"};
constexpr Command kShow = {.name = "evidence show", .usage = "[options] FILE..."};
constexpr Command kCheck = {.name = "evidence check", .usage = "[options] FILE..."};

// Files as they are named; of a folder every .json file that lies in it, in the order of paths.
std::vector<fs::path> files_of(const std::vector<std::string>& named) {
  std::vector<fs::path> files;
  for (const std::string& name : named) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      files.emplace_back(name);
      continue;
    }
    std::vector<fs::path> inside;
    for (const auto& entry : fs::recursive_directory_iterator(name, error)) {
      const std::string file = entry.path().filename().string();
      if (entry.is_regular_file() && file.ends_with(".json") && file.front() != '.') {
        inside.push_back(entry.path());
      }
    }
    if (inside.empty()) throw Error(Code::kNotFound, name + ": holds no .json file");
    std::sort(inside.begin(), inside.end());
    files.insert(files.end(), inside.begin(), inside.end());
  }
  return files;
}

// Options takes a fixed number of operands; these commands take any number of files. `valued` names
// the options that are followed by a value.
std::vector<std::string> take_files(const Command& command, Arguments arguments,
                                    std::span<const std::string_view> valued,
                                    std::vector<std::string>& rest) {
  std::vector<std::string> files;
  bool is_over = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    if (!is_over && word == "--") {
      is_over = true;
    } else if (is_over || word.size() < 2 || word[0] != '-') {
      files.push_back(word);
    } else {
      rest.push_back(word);
      const bool has_value =
          std::find(valued.begin(), valued.end(), word) != valued.end() && i + 1 < arguments.size();
      if (has_value) rest.push_back(arguments[++i]);
    }
  }
  const bool asks_help = std::find(rest.begin(), rest.end(), "--help") != rest.end() ||
                         std::find(rest.begin(), rest.end(), "-h") != rest.end();
  if (files.empty() && !asks_help) {
    throw Error(Code::kUsage, std::string(command.name) + ": FILE is missing");
  }
  return files;
}

std::vector<fs::path> packages_at(const fs::path& path) {
  if (!generate::is_bundle(path)) return {path};
  std::vector<fs::path> all;
  for (const std::string& package : generate::load_bundle(path).packages()) {
    all.push_back(path / package);
  }
  return all;
}

int record(const Console& console, Arguments arguments) {
  ladder::RecordOptions settings;
  std::string path;
  MeasuringSettings measuring;
  std::optional<std::string> output, inputs, function;
  bool json = false;
  Options options(kRecord);
  options.about(
      "Runs every function of a package, or of a bundle's packages, each in a process of its own, "
      "and\n"
      "writes down what it did: loads, compute plan, times, memory, numbers against the CPU engine "
      "in fp32.");
  options.operand("PATH", path);
  options.text("-o OUT.json", output, "where to (needed)");
  options.text("--function NAME", function, "this one alone (default: each)");
  options.text("--inputs IN.npz", inputs,
               "inputs by name; what is missing is made up (default: seeded numbers in [-1, 1), "
               "integers 0)");
  add_measuring_options(options, measuring);
  options.flag("--json", json, "one record a line, and errors, as JSON");
  options.example("anemone evidence record OUT -o m4.json --runner coreml");
  if (!options.parse(console, arguments)) return 0;
  if (!output) throw Error(Code::kUsage, "evidence record: -o OUT.json is missing");
  settle_measuring(kRecord, measuring, settings);
  settings.function = function.value_or("");
  if (inputs) settings.inputs = predict::load_npz(*inputs);
  settings.command = {own_path(), "evidence", std::string(kChild)};
  settings.stop = console.stop;
  ProgressBar bar(console);
  settings.progress = [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
    bar.update(what, done, total);
  };
  console.stop_gently();
  evidence::Document document;
  for (const fs::path& package : packages_at(path)) {
    settings.package = package;
    for (evidence::Record& one : ladder::record_package(settings)) {
      bar.wipe();
      if (json) {
        console.print(evidence::to_json(one));
      } else {
        console.out << (document.records.empty() ? "" : "\n") << evidence::describe(one);
      }
      console.flush_out();
      document.records.push_back(std::move(one));
      evidence::save_document(document, *output);
    }
  }
  return 0;
}

int energy(const Console& console, Arguments arguments) {
  constexpr std::string_view kValued[] = {"-o", "--power"};
  std::vector<std::string> rest;
  const std::vector<std::string> named = take_files(kEnergy, arguments, kValued, rest);
  std::optional<std::string> output, power;
  bool json = false;
  Options options(kEnergy);
  options.about(
      "Puts what the Neural Engine took into records that were made while its power was sampled:\n"
      "'sudo powermetrics --samplers ane_power -i 100 > LOG' in another terminal, for some "
      "seconds\n"
      "before, during and after 'evidence record' or 'ladder run' with many steps.");
  options.text("--power LOG", power, "what powermetrics printed (needed)");
  options.text("-o OUT.json", output, "where to (default: the files themselves)");
  options.flag("--json", json, "the report, and errors, as JSON");
  options.example("anemone evidence energy steps/evidence/coreml --power power.txt");
  if (!options.parse(console, rest)) return 0;
  if (!power) throw Error(Code::kUsage, "evidence energy: --power LOG is missing");
  evidence::Document document;
  std::vector<std::pair<fs::path, std::size_t>> files;  // and how many records each has
  for (const fs::path& file : files_of(named)) {
    evidence::Document one = evidence::load_document(file);
    files.emplace_back(file, one.records.size());
    std::move(one.records.begin(), one.records.end(), std::back_inserter(document.records));
  }
  const auto samples = evidence::parse_power_log(read_text(*power), *power);
  const std::vector<std::string> left_out = evidence::add_energy(document.records, samples);
  if (output) {
    evidence::save_document(document, *output);
  } else {
    auto next = document.records.begin();
    for (const auto& [file, count] : files) {
      const auto end = next + static_cast<std::ptrdiff_t>(count);
      evidence::save_document({{next, end}}, file);
      next = end;
    }
  }
  const std::string where = output.value_or("in place");
  std::size_t given = 0;
  for (const evidence::Record& one : document.records) {
    for (const auto& [choice, units] : one.units) given += units.ane_energy.has_value();
  }
  if (json) {
    console.print({{"output", output ? OrderedJson(*output) : OrderedJson()},
                   {"samples", samples.size()},
                   {"with_energy", given},
                   {"left_out", left_out}});
  } else {
    for (const std::string& why : left_out) console.out << "left out: " << why << '\n';
    console.out << where << ": " << samples.size() << " samples; " << given
                << " choices of processors have their energy\n";
  }
  console.flush_out();
  return 0;
}

int merge(const Console& console, Arguments arguments) {
  constexpr std::string_view kValued[] = {"-o"};
  std::vector<std::string> rest;
  const std::vector<std::string> named = take_files(kMerge, arguments, kValued, rest);
  std::optional<std::string> output;
  bool json = false;
  Options options(kMerge);
  options.about(
      "Puts the records of several files into one, each once. Of a folder all .json files are "
      "taken.");
  options.text("-o OUT.json", output, "where to (needed)");
  options.flag("--json", json, "the report, and errors, as JSON");
  options.example("anemone evidence merge steps/evidence/coreml -o m4.json");
  if (!options.parse(console, rest)) return 0;
  if (!output) throw Error(Code::kUsage, "evidence merge: -o OUT.json is missing");
  std::vector<evidence::Document> documents;
  std::size_t records = 0;
  for (const fs::path& file : files_of(named)) {
    documents.push_back(evidence::load_document(file));
    records += documents.back().records.size();
  }
  const evidence::Document merged = evidence::merge(documents);
  evidence::save_document(merged, *output);
  if (json) {
    console.print({{"output", *output},
                   {"files", documents.size()},
                   {"records", merged.records.size()},
                   {"duplicates", records - merged.records.size()}});
  } else {
    console.out << *output << ": " << merged.records.size() << " records of " << documents.size()
                << " files; " << records - merged.records.size() << " were there twice\n";
  }
  console.flush_out();
  return 0;
}

// How the plans in records of a package bear out what lint predicts of it, rule by rule.
void print_agreement(const Console& console, const std::string& path,
                     const std::vector<evidence::Record>& records, bool json) {
  const package::Model model = package::load(path);
  const std::string hash = evidence::describe_package(path).hash;
  std::vector<evidence::Record> own;
  for (const evidence::Record& record : records) {
    if (record.package.hash == hash) own.push_back(record);
  }
  if (own.empty()) {
    throw Error(Code::kNotFound, path + ": no record is of this package (" + hash + ")");
  }
  std::vector<evidence::Prediction> predictions;
  for (const lint::Finding& finding : lint::lint(lint_subject(model))) {
    const lint::Severity severity = finding.severity();
    const bool is_about_place = severity <= lint::Severity::kLeavesAne &&
                                severity != lint::Severity::kNumeric && !finding.output.empty();
    const bool is_known = std::any_of(predictions.begin(), predictions.end(), [&](const auto& one) {
      return one.rule == finding.rule->id && one.output == finding.output &&
             one.function == finding.function;
    });
    if (is_about_place && !is_known) {
      predictions.push_back({.rule = std::string(finding.rule->id),
                             .output = finding.output,
                             .function = finding.function});
    }
  }
  const auto by_rule = evidence::compare(predictions, own);
  for (const auto& [rule, agreement] : by_rule) {
    if (json) {
      console.print({{"rule", rule},
                     {"agrees", agreement.agrees},
                     {"contradicts", agreement.contradicts},
                     {"silent", agreement.silent}});
    } else {
      console.out << rule << ": plans agree " << agreement.agrees << " times, contradict "
                  << agreement.contradicts << " times, say nothing of " << agreement.silent
                  << " ops\n";
    }
  }
  if (by_rule.empty() && !json) {
    console.out << path << ": lint predicts of no op that it leaves the Neural Engine\n";
  }
}

int show(const Console& console, Arguments arguments) {
  constexpr std::string_view kValued[] = {"--lint"};
  std::vector<std::string> rest;
  const std::vector<std::string> named = take_files(kShow, arguments, kValued, rest);
  std::optional<std::string> linted;
  bool json = false;
  Options options(kShow);
  options.about(
      "Says what each record shows about the Neural Engine. \"runs on the ANE\" needs five signs "
      "that\n"
      "agree: clock, plan, energy, footprint and the log of a cold load; less is worded as what it "
      "is.");
  options.text("--lint PACKAGE", linted,
               "counts instead, for each rule, how often the plans in this package's records agree "
               "with what lint predicts of an op");
  options.flag("--json", json, "one verdict a line, and errors, as JSON");
  options.example("anemone evidence show m4.json");
  if (!options.parse(console, rest)) return 0;
  if (linted) {
    std::vector<evidence::Record> records;
    for (const fs::path& file : files_of(named)) {
      const evidence::Document document = evidence::load_document(file);
      records.insert(records.end(), document.records.begin(), document.records.end());
    }
    print_agreement(console, *linted, records, json);
    console.flush_out();
    return 0;
  }
  bool is_first = true;
  for (const fs::path& file : files_of(named)) {
    for (const evidence::Record& record : evidence::load_document(file).records) {
      const evidence::Verdict verdict = evidence::judge(record);
      if (json) {
        const auto sign = [](evidence::Sign value) {
          return value == evidence::Sign::kAbsent ? OrderedJson()
                                                  : OrderedJson(value == evidence::Sign::kYes);
        };
        const auto share = [](double value) {
          return value < 0 ? OrderedJson() : OrderedJson(value);
        };
        // First and later loads, a line a record: never averaged.
        OrderedJson loads = OrderedJson::object();
        for (const auto& [choice, units] : record.units) {
          OrderedJson& load = loads[choice] = OrderedJson::object();
          if (units.cold_load && units.cold_load->seconds) {
            load["first_seconds"] = *units.cold_load->seconds;
          }
          if (units.warm_load && units.warm_load->seconds) {
            load["later_seconds"] = *units.warm_load->seconds;
          }
        }
        OrderedJson failed;
        if (const auto choice = evidence::failed_choice(record); !choice.empty()) {
          const evidence::Units& units = *record.find_units(choice);
          failed = {{"step", *units.failed_step}, {"units", choice}};
          if (record.steps) failed["of"] = *record.steps;
          if (units.state_bytes) failed["state_bytes"] = *units.state_bytes;
        }
        console.print({{"experiment", record.experiment},
                       {"form", record.form},
                       {"chip", record.machine.chip},
                       {"os_build", record.machine.os_build},
                       {"runner", record.runner},
                       {"outcome", evidence::name(record.outcome)},
                       {"verdict", evidence::name(verdict.placement)},
                       {"says", evidence::says(verdict.placement)},
                       {"reason", verdict.reason},
                       {"signs",
                        {{"clock", sign(verdict.clock)},
                         {"plan", sign(verdict.plan)},
                         {"energy", sign(verdict.energy)},
                         {"footprint", sign(verdict.footprint)},
                         {"quiet", sign(verdict.quiet)},
                         {"numbers", sign(verdict.numbers)}}},
                       {"package", record.package.hash},
                       {"failed_step", failed},
                       {"preferred_share", share(verdict.preferred_share)},
                       {"supported_share", share(verdict.supported_share)},
                       {"is_weighted", verdict.is_weighted},
                       {"loads", loads}});
      } else {
        console.out << (is_first ? "" : "\n") << evidence::describe(record);
      }
      is_first = false;
    }
  }
  console.flush_out();
  return 0;
}

// An error's words, which begin with the file's path.
std::string without_path(std::string_view message, const fs::path& file) {
  const std::string start = file.string() + ": ";
  return std::string(message.starts_with(start) ? message.substr(start.size()) : message);
}

int check(const Console& console, Arguments arguments) {
  std::vector<std::string> rest;
  bool prints_schema = std::find(arguments.begin(), arguments.end(), "--schema") != arguments.end();
  std::vector<std::string> named;
  if (prints_schema) {
    rest.assign(arguments.begin(), arguments.end());
  } else {
    named = take_files(kCheck, arguments, {}, rest);
  }
  bool json = false;
  Options options(kCheck);
  options.about(
      "Holds files against the schema, and records against themselves. Exit status 1 if anything "
      "is\n"
      "wrong.");
  options.flag("--schema", prints_schema,
               "prints the schema (JSON Schema, 2020-12) and checks nothing");
  options.flag("--json", json, "one problem a line, and errors, as JSON");
  options.example("anemone evidence check m4.json");
  if (!options.parse(console, rest)) return 0;
  if (prints_schema) {
    console.out << evidence::schema_text();
    console.flush_out();
    return 0;
  }
  bool is_sound = true;
  for (const fs::path& file : files_of(named)) {
    std::vector<std::string> wrong;
    std::size_t records = 0;
    Json document;
    try {
      document = load_json(file);
      wrong = evidence::violations(document);
    } catch (const Error& error) {
      // What is no JSON is as wrong as what is other JSON; the other files are checked as well.
      if (error.code() != Code::kBadInput) throw;
      wrong.push_back(without_path(error.what(), file));
    }
    if (wrong.empty()) {
      const evidence::Document read = evidence::read_document(document, file.string());
      records = read.records.size();
      for (std::size_t i = 0; i < records; ++i) {
        for (const std::string& what : evidence::inconsistencies(read.records[i])) {
          wrong.push_back("records[" + std::to_string(i) + "]: " + what);
        }
      }
    }
    for (const std::string& what : wrong) {
      if (json) {
        console.print({{"file", file.string()}, {"problem", what}});
      } else {
        console.out << file.string() << ": " << what << '\n';
      }
    }
    if (wrong.empty() && !json) {
      console.out << file.string() << ": " << records << " records, sound\n";
    }
    is_sound &= wrong.empty();
  }
  console.flush_out();
  return is_sound ? 0 : 1;
}

int run(const Console& console, Arguments arguments) {
  const std::string part = arguments.empty() ? "" : arguments[0];
  if (part == "--help" || part == "-h") {
    console.out << "usage: anemone evidence record|energy|merge|show|check ...\n\n"
                   "  record writes down what a package does on this machine\n"
                   "  energy puts the engine's power, sampled meanwhile, into records\n"
                   "  merge  puts the records of several files into one\n"
                   "  show   says what records show about the Neural Engine\n"
                   "  check  holds files against the schema and against themselves\n\n"
                   "'anemone evidence PART --help' tells more.\n";
    console.flush_out();
    return 0;
  }
  const Arguments rest = arguments.empty() ? arguments : arguments.subspan(1);
  if (part == "record") return record(console, rest);
  if (part == kChild) {
    return ladder::run_child(ladder::parse_package_arguments({rest.begin(), rest.end()}));
  }
  if (part == "energy") return energy(console, rest);
  if (part == "merge") return merge(console, rest);
  if (part == "show") return show(console, rest);
  if (part == "check") return check(console, rest);
  throw Error(Code::kUsage, part.empty()
                                ? "evidence: record, energy, merge, show or check is missing"
                                : "evidence: '" + part + "' is no part of it" +
                                      suggestion(part, kParts) +
                                      "; allowed: record, energy, merge, show, check");
}

}  // namespace

ANEMONE_DEFINE_COMMAND(evidence) = {
    .name = "evidence",
    .says = "what machines did, measured: record, merge, show and check it",
    .usage = "record|energy|merge|show|check [options] ...",
    .run = run};

}  // namespace anemone::cli
