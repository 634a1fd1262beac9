#include "anemone/generate/ranges.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/cli/command.h"
#include "anemone/cli/inputs.h"
#include "anemone/cli/model_options.h"
#include "anemone/cli/words.h"
#include "anemone/generate/generation.h"
#include "anemone/generate/ranges_plot.h"

namespace anemone::cli {
extern const Command command_ranges;
namespace {

// Beyond this a square overflows fp16: sqrt(65504) = 255.9.
constexpr double kLargestToSquare = 256;

struct Settings {
  std::string bundle;
  std::optional<std::string> text, tokens, page;
  std::int64_t top = 20;
  ModelSettings model = {.arithmetic = "float32"};
  bool json = false;
};

std::vector<int> ids_to_run(const Console& console, const Settings& settings,
                            const generate::Runner& runner) {
  if (settings.tokens) {
    return parse_ids(read_input(console, *settings.tokens), *settings.tokens);
  }
  if (!runner.tokenizer()) {
    throw Error(Code::kUnsupported,
                settings.bundle + ": has no tokenizer and takes token ids only: --tokens FILE");
  }
  return generate::encode_prompt(*runner.tokenizer(), read_input(console, *settings.text));
}

OrderedJson to_json(const generate::ValueRange& range) {
  return {
      {"package", range.package},
      {"value", range.value},
      {"op", range.op},
      {"max", range.max_magnitude},
      {"p50", range.percentile(0.5)},
      {"p99", range.percentile(0.99)},
      {"p99_9", range.percentile(0.999)},
      {"headroom", std::isfinite(range.headroom()) ? OrderedJson(range.headroom()) : OrderedJson()},
      {"square_headroom", range.max_magnitude > 0
                              ? OrderedJson(kLargestToSquare / range.max_magnitude)
                              : OrderedJson()},
      {"nans", range.nans},
      {"infinities", range.infinities}};
}

bool overflows(const generate::ValueRange& range) { return range.headroom() < 1 || range.nans > 0; }

void print_table(const Console& console, std::vector<generate::ValueRange> ranges,
                 std::int64_t top) {
  const auto first = std::find_if(ranges.begin(), ranges.end(), overflows);
  const std::string first_text = first == ranges.end()
                                     ? "nothing overflows fp16"
                                     : "the first to overflow fp16: " + first->package + " " +
                                           first->value + " (" + first->op + ")";
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const auto& a, const auto& b) { return a.headroom() < b.headroom(); });
  if (static_cast<std::int64_t>(ranges.size()) > top) ranges.resize(static_cast<std::size_t>(top));
  std::ostringstream table;
  table << std::setprecision(4) << std::left << std::setw(12) << "max" << std::setw(12) << "p99.9"
        << std::setw(12) << "p50" << std::setw(12) << "headroom"
        << "value (op, package)\n";
  for (const generate::ValueRange& range : ranges) {
    table << std::setw(12) << range.max_magnitude << std::setw(12) << range.percentile(0.999)
          << std::setw(12) << range.percentile(0.5) << std::setw(12) << range.headroom()
          << range.value << " (" << range.op << ", " << range.package << ")\n";
  }
  console.out << table.str() << first_text << '\n';
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_ranges);
  options.about(
      "Runs a text in fp32 and tells how large every value in the packages grows, the tightest "
      "first: "
      "headroom is how many times larger it could be before fp16 makes it infinite.");
  options.operand("BUNDLE", settings.bundle);
  options.text("--text FILE", settings.text, "the text to run");
  options.text("--tokens FILE", settings.tokens,
               "token ids instead: integers separated by white space, or a JSON array; - reads "
               "standard input");
  options.text("-o FILE.html", settings.page, "a drawing of all values, as a page of its own");
  options.integer("--top N", settings.top, 1, 1000000, "how many values to list (default: 20)");
  options.choice(
      "--arithmetic A", settings.model.arithmetic, {"float16", "float32"},
      "float32 shows how large values would grow, float16 what becomes of them (default: "
      "float32; float16 with what follows)");
  add_strictness_options(options, settings.model);
  options.integer("--threads N", settings.model.threads, 1, 1024, "(default: all processors)");
  options.flag("--json", settings.json,
               "every value, one object a line, in running order; and errors as JSON");
  options.example("anemone ranges OUT --text book.txt");
  if (!options.parse(console, arguments)) return 0;
  if (settings.text.has_value() == settings.tokens.has_value()) {
    throw Error(Code::kUsage, "ranges takes one of --text and --tokens");
  }
  ModelSettings& model = settings.model;
  if (strictness_of(model).any()) model.arithmetic = "float16";
  auto runner_settings = runner_options(model, false);
  engine::Options engine_options;
  engine_options.arithmetic = runner_settings.arithmetic;
  engine_options.pool = std::make_shared<ThreadPool>(static_cast<int>(model.threads));
  engine_options.strictness = strictness_of(model);
  generate::RangeRecorder recorder(/*of_all=*/true);
  runner_settings.open = recorder.open(engine_options);
  const auto runner = generate::Runner::load(settings.bundle, runner_settings);
  const std::vector<int> ids = ids_to_run(console, settings, *runner);
  console.stop_gently();
  generate::Session(*runner).feed(ids, console.stop);
  auto ranges = recorder.ranges();
  // A function that no call needed has seen nothing.
  std::erase_if(ranges, [](const generate::ValueRange& range) { return range.count == 0; });
  if (settings.page) {
    write_file(*settings.page,
               generate::ranges_html(ranges, "Ranges of " + settings.bundle + ", arithmetic " +
                                                 arithmetic_text(model)));
  }
  if (settings.json) {
    for (const generate::ValueRange& range : ranges) console.print(to_json(range));
  } else {
    print_table(console, std::move(ranges), settings.top);
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(ranges) = {.name = "ranges",
                                  .says = "how large every value grows, and what overflows fp16",
                                  .usage = "[options] BUNDLE (--text FILE | --tokens FILE)",
                                  .run = run};

}  // namespace anemone::cli
