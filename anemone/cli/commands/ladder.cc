#include <iostream>

#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/measuring_settings.h"
#include "anemone/cli/nearest.h"
#include "anemone/cli/options.h"
#include "anemone/cli/own_path.h"
#include "anemone/cli/progress_bar.h"
#include "anemone/cli/words.h"
#include "anemone/evidence/placement.h"
#include "anemone/ladder/build.h"
#include "anemone/ladder/run.h"
#include "anemone/ladder/verdict.h"

namespace anemone::cli {

extern const Command command_ladder;

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kParts[] = {"build", "run", "verdict"};
// Not for users: what `ladder run` starts for each experiment.
constexpr std::string_view kChild = "child";

constexpr Command kBuild = {.name = "ladder build", .usage = "[options] CHECKPOINT -o DIR"};
constexpr Command kRun = {.name = "ladder run", .usage = "[options] DIR --runner NAME"};
constexpr Command kVerdict = {.name = "ladder verdict", .usage = "[options] DIR"};

int build(const Console& console, Arguments arguments) {
  ladder::BuildOptions settings;
  std::string checkpoint;
  std::optional<std::string> output;
  std::string weights = "real";
  std::int64_t threads = 0;
  bool tiny_only = false;
  bool json = false;
  Options options(kBuild);
  options.about(
      "Makes experiments that tell what keeps a decoder off the Neural Engine: pieces, blocks and\n"
      "pairs that differ in one thing, each tiny (does it compile, are the numbers right) and "
      "filled\n"
      "(where does it run), with golden figures.");
  options.operand("CHECKPOINT", checkpoint);
  options.text("-o DIR", output, "the ladder's folder (needed)");
  options.integer("--hidden N", settings.sizes.hidden, 16, 4096,
                  "width of the tiny forms; the filled ones are four times as wide (default: 64)");
  options.integer("--context N", settings.sizes.context, 64, 8192,
                  "positions of the cache (default: 128)");
  options.integer("--layers N", settings.sizes.layers, 1, 28,
                  "the highest rung of the layer ladder (default: 28)");
  options.integer("--rows N", settings.sizes.rows, 1, 64, "positions of one call (default: 32)");
  options.integer("--filled-bytes N", settings.sizes.filled_bytes, 1, 2'000'000'000,
                  "the least size of a filled form's weights (default: 20000000)");
  options.texts("--only ID", settings.only,
                "this experiment and what it presupposes; may be given again (default: all)");
  options.flag("--tiny-only", tiny_only,
               "leaves the filled forms out; then nothing can be said about placement");
  options.choice("--weights KIND", weights, {"real", "random"},
                 "parts of the checkpoint's weights, or noise (default: real)");
  options.flag("--force", settings.replace, "replaces DIR if it exists");
  options.integer("--threads N", threads, 1, 1024, "(default: all processors)", std::nullopt);
  options.flag("--json", json, "the report, and errors, as JSON");
  options.example("anemone ladder build models/tiny-qwen3 -o steps");
  if (!options.parse(console, arguments)) return 0;
  if (!output) throw Error(Code::kUsage, "ladder build: -o DIR is missing");
  if (settings.sizes.hidden % 8 != 0) {
    throw Error(Code::kUsage,
                "--hidden " + std::to_string(settings.sizes.hidden) + ": must be a multiple of 8");
  }
  if (settings.sizes.rows + ladder::kWritePosition > settings.sizes.context) {
    throw Error(Code::kUsage, "--rows " + std::to_string(settings.sizes.rows) +
                                  ": the context must hold " +
                                  std::to_string(ladder::kWritePosition) + " positions more");
  }
  settings.checkpoint = checkpoint;
  settings.output = *output;
  settings.is_random = weights == "random";
  if (tiny_only) settings.sizes.filled_bytes = 0;
  settings.threads = threads > 0 ? static_cast<int>(threads) : ThreadPool::available();
  settings.stop = console.stop;
  ProgressBar bar(console);
  settings.progress = [&](std::string_view what, std::uint64_t done, std::uint64_t total) {
    bar.update(what, done, total);
  };
  console.stop_gently();
  const ladder::BuildReport report = ladder::build(settings);
  bar.wipe();
  if (json) {
    console.print({{"output", *output},
                   {"experiments", report.experiments},
                   {"packages", report.packages},
                   {"disk_bytes", report.disk_bytes},
                   {"shared_bytes", report.shared_bytes},
                   {"seconds", report.seconds}});
  } else {
    console.out << *output << ": " << report.experiments << " experiments in " << report.packages
                << " packages, " << bytes_text(report.disk_bytes) << " ("
                << bytes_text(report.shared_bytes) << " more are shared)\n";
  }
  console.flush_out();
  return 0;
}

int run_ladder(const Console& console, Arguments arguments) {
  ladder::RunOptions settings;
  MeasuringSettings measuring;
  std::string folder;
  bool json = false;
  Options options(kRun);
  options.about(
      "Runs experiments, each in a process of its own. What ran before, and for no fewer "
      "steps,\n"
      "is not run again. Whatever a process does, crashes and hangs included, is recorded in "
      "DIR/evidence.");
  options.operand("DIR", folder);
  options.flag("--next", settings.only_next,
               "runs only the one experiment that decides most, given what is known");
  add_measuring_options(options, measuring);
  options.flag("--json", json, "one record a line, and errors, as JSON");
  options.example("anemone ladder run steps --runner coreml --next");
  if (!options.parse(console, arguments)) return 0;
  settings.folder = folder;
  settle_measuring(kRun, measuring, settings);
  settings.command = {own_path(), "ladder", std::string(kChild)};
  settings.stop = console.stop;
  settings.done = [&](const evidence::Record& record) {
    if (json) {
      console.print(evidence::to_json(record));
    } else {
      const evidence::Verdict verdict = evidence::judge(record);
      console.out << record.experiment << ", " << record.form << ": "
                  << evidence::name(record.outcome);
      const std::string step = evidence::failed_step(record);
      // A prediction that is refused need not end the process.
      const bool is_ok = record.outcome == evidence::Outcome::kOk;
      if (!step.empty()) console.out << (is_ok ? ", predict failed " : " ") << step;
      console.out << ", " << evidence::name(verdict.placement);
      const evidence::Units* cpu = record.find_units("cpu");
      if (cpu != nullptr && cpu->numerics) {
        console.out << ", numbers on the CPU " << (cpu->numerics->passed() ? "right" : "wrong");
      }
      console.out << '\n';
    }
    console.flush_out();
  };
  console.stop_gently();
  const ladder::RunReport report = ladder::run(settings);
  for (const std::string& why : report.unsaved)
    console.err << "anemone: not saved: " << why << '\n';
  if (!json) {
    console.out << report.ran << " run, " << report.failed << " of them did not end well; "
                << report.resumed << " were there from before\n";
  }
  console.flush_out();
  return report.unsaved.empty() ? 0 : 1;
}

// Records that bear on placement come before those that do not.
std::string runner_with_records(const fs::path& folder) {
  for (const char* runner : {"coreml", "scripted", "cpu"}) {
    if (!ladder::load_records(folder, runner).empty()) return runner;
  }
  return "coreml";
}

int verdict(const Console& console, Arguments arguments) {
  std::string folder;
  std::string asked;
  bool json = false;
  Options options(kVerdict);
  options.about(
      "Says of every hypothesis whether it is supported, refuted, undecided or confounded, what "
      "that\n"
      "rests on, and which experiment comes next. Only filled forms decide; a runner that "
      "measures\n"
      "no placement decides nothing.");
  options.operand("DIR", folder);
  options.choice("--runner NAME", asked, {"cpu", "coreml", "scripted"},
                 "whose records (default: the first of coreml, scripted and cpu that has any)");
  options.flag("--json", json, "the tree, and errors, as JSON");
  options.example("anemone ladder verdict steps");
  if (!options.parse(console, arguments)) return 0;
  const ladder::Ladder ladder = ladder::load_ladder(folder);
  const std::string runner = !asked.empty() ? asked : runner_with_records(folder);
  const ladder::Verdict found = ladder::conclude(ladder, ladder::load_records(folder, runner));
  if (json) {
    OrderedJson tree = {{"runner", runner}};
    tree.update(ladder::to_json(found));
    console.print(tree);
  } else {
    const bool is_scripted = runner == "scripted";
    const bool is_cpu = runner == "cpu";
    console.out << ladder::to_text(found,
                                   is_scripted ? "played back, proves nothing"
                                   : is_cpu ? "not measured: the runner cpu compares numbers alone"
                                            : "measured");
  }
  console.flush_out();
  return 0;
}

int run(const Console& console, Arguments arguments) {
  const std::string part = arguments.empty() ? "" : arguments[0];
  if (part == "--help" || part == "-h") {
    console.out << "usage: anemone ladder build|run|verdict ...\n\n"
                   "  build    makes a folder of experiments from a checkpoint\n"
                   "  run      runs them, each in a process of its own\n"
                   "  verdict  says what they show\n\n"
                   "'anemone ladder PART --help' tells more.\n";
    console.flush_out();
    return 0;
  }
  const Arguments rest = arguments.empty() ? arguments : arguments.subspan(1);
  if (part == "build") return build(console, rest);
  if (part == "run") return run_ladder(console, rest);
  if (part == "verdict") return verdict(console, rest);
  if (part == kChild) {
    return ladder::run_child(ladder::parse_child_arguments({rest.begin(), rest.end()}));
  }
  throw Error(Code::kUsage, part.empty()
                                ? "ladder: build, run or verdict is missing"
                                : "ladder: '" + part + "' is no part of it" +
                                      suggestion(part, kParts) + "; allowed: build, run, verdict");
}

}  // namespace

ANEMONE_DEFINE_COMMAND(ladder) = {
    .name = "ladder",
    .says = "experiments that show what keeps a decoder off the Neural Engine",
    .usage = "build|run|verdict [options] ...",
    .run = run};

}  // namespace anemone::cli
